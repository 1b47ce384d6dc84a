// Adds one to a number in private data, so many times, for a test that runs several of these and kills some.

import { createPrivateData } from '../../dist/modules/src/workspace/private-data/private-data.js';

const [, , dataDir, times] = process.argv;
const data = createPrivateData({ dataDir });
for (let i = 0; i < Number(times); i += 1) {
  await data.update('u', 's', (before) => ({ count: (before?.count ?? 0) + 1 }));
  process.stdout.write('.');
}
