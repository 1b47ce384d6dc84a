// A process that reads one mock document, given as its steps, in a pool of its own.

import { fileURLToPath } from 'node:url';
import { createPool } from '../../dist/modules/src/isolation/index.js';
import { createReaderOf } from '../../dist/modules/src/reader/reader.js';
import { MOCK } from './mock-processor.mjs';

const pool = createPool({
  program: {
    file: fileURLToPath(new URL('mock-child.mjs', import.meta.url)),
    limits: { memoryBytes: 1_500_000 * 1024, cpuSeconds: 120 },
  },
  size: 1,
  maxQueued: 10,
  maxMilliseconds: 60_000,
});
const answer = await createReaderOf([MOCK], { pool, environment: {} }).read({
  name: 'a.mock',
  bytes: Buffer.from(process.argv.slice(2).join('\n')),
});
await pool.close();
console.log(answer.text);
