// Saves rows without end into a stored workspace, and says so once some are on disk: a process for tests to kill.
// Arguments: the build, the data folder.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , dist, base] = process.argv;
const load = (file) => import(pathToFileURL(join(dist, 'modules/src/workspace', file)).href);
const { Root } = await load('paths/root.js');
const { saveResult } = await load('results/save/save.js');

function* rows() {
  for (let id = 1; ; id += 1) yield { id, name: `name ${id}` };
}

let said = false;
const store = new Root({
  base,
  below: ['workspaces', 'user', 'session'],
  staging: ['workspaces', '_staging', 'user', 'session'],
});
await saveResult(
  store,
  rows(),
  {
    onProgress: ({ bytes }) => {
      if (!said && bytes > 1_000_000) process.stdout.write('writing\n');
      said ||= bytes > 1_000_000;
    },
  },
  { limits: { previewTokens: 0 }, preview: () => Promise.resolve('') },
);
