// Writes files without end into a stored workspace, each named by the sha256 of its content, for what kills it.

import { createHash, randomBytes } from 'node:crypto';
import { createWorkspace } from '../../../dist/src/index.js';

const [, , dataDir] = process.argv;
const workspace = createWorkspace({ dataDir, user: 'u', session: 's' });
const MAX_BYTES = 3_000_000;
for (let turn = 0; ; turn++) {
  const content = randomBytes(1 + ((turn * 7919 * 101 + process.pid) % MAX_BYTES));
  const name = createHash('sha256').update(content).digest('hex');
  await workspace.write(`results/${turn % 8}/${name}`, content);
  process.stdout.write('.');
}
