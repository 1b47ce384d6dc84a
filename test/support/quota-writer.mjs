// Writes files until the quota refuses one, run by test/service/quotas.test.ts: one of several processes that share a
// ledger. Prints a line of JSON for each file, and waits for a line of input before the first.

import { once } from 'node:events';
import { createWorkspace } from '../../dist/modules/src/index.js';
import { openDatabase } from '../../dist/modules/src/service/database.js';
import { createQuotas } from '../../dist/modules/src/service/quotas.js';

const { name, dataDir, folder, url, limits, sizes, pieces = 1, pauseMs = 0 } = JSON.parse(process.argv[2]);
const database = await openDatabase(folder, url === undefined ? {} : { url });
const ledger = await createQuotas(database, {
  onError: (error) => {
    throw error;
  },
});
const workspace = createWorkspace(
  { dataDir, user: 'ada', session: 's' },
  { limits, environment: {}, ledger },
);

async function* content(size) {
  for (let piece = 0; piece < pieces; piece += 1) {
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    yield Buffer.alloc(Math.floor(((piece + 1) * size) / pieces) - Math.floor((piece * size) / pieces), 'x');
  }
}

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
say({ ready: true });
await once(process.stdin, 'data');
for (const [at, size] of sizes.entries()) {
  try {
    await workspace.write(`${name}-${at}`, content(size));
    say({ written: size });
  } catch (error) {
    say({ refused: size, code: error.code, message: error.message });
  }
}
await database.close();
process.exit(0);
