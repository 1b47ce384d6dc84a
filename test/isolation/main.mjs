// `npm run chaos`: hundreds of random mock documents through one pool of child processes, as counts by outcome and the
// time of the good ones beside a calm run. Exits 1 when a document does not end as it must. Runs what was built.

import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createPool } from '../../dist/modules/src/isolation/index.js';
import { createReaderOf } from '../../dist/modules/src/reader/reader.js';
import { documents, readAll } from './chaos.mjs';
import { MOCK } from './mock-processor.mjs';

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '500' },
    callers: { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
  },
});
const callers = Number(values.callers);
const pool = createPool({
  program: {
    file: fileURLToPath(new URL('mock-child.mjs', import.meta.url)),
    limits: { memoryBytes: 800 * 1024 * 1024, cpuSeconds: 120 },
  },
  size: callers,
  maxQueued: 1000,
  maxMilliseconds: 10_000,
});
const reader = createReaderOf([MOCK], { pool, environment: {} });
const percentile = (times, share) => {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
};
const run = (calm) =>
  readAll(reader, documents(Number(values.documents), Number(values.seed), calm), callers);

await run(true);
const calm = await run(true);
const started = performance.now();
const chaos = await run(false);
const seconds = (performance.now() - started) / 1000;
const after = await run(true);
console.log('| outcome | expected | counted |\n|---|---|---|');
for (const outcome of Object.keys({ ...chaos.expected, ...chaos.counted }).sort())
  console.log(`| ${outcome} | ${chaos.expected[outcome] ?? 0} | ${chaos.counted[outcome] ?? 0} |`);
for (const [name, { times }] of Object.entries({ calm, chaos, after }))
  console.log(
    `${name}: median ${percentile(times, 0.5).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms`,
  );
console.log(`${seconds.toFixed(1)} s; ${JSON.stringify(pool.status)}`);
for (const line of [...chaos.wrong, ...after.wrong]) console.log(`wrong: ${line}`);
await pool.close();
const left = readdirSync(tmpdir()).filter(
  (name) => name.startsWith('lectern-child-') && name.includes(`--${process.pid}--`),
);
if (left.length > 0) console.log(`left in temporary space: ${left.length}`);
process.exit(chaos.wrong.length + after.wrong.length > 0 ? 1 : 0);
