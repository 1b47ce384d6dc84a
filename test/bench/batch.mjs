// `node test/bench/batch.mjs`: a batch over Redis and object storage with 1, 2 and 4 workers, as a table: documents per
// second, CPU time and requests to the store per document, and the same for 10 million documents on paper. Objects are in
// the S3 server of the tests, in a process of its own. Runs what was built.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openBlobs } from '../../dist/modules/src/blobs/index.js';
import { startRedis } from '../support/servers.mjs';

const { values } = parseArgs({
  options: {
    /** Small generated documents of six formats. */
    small: { type: 'string', default: '3000' },
    /** Copies of each document below `fixtures/documents`. */
    copies: { type: 'string', default: '4' },
    workers: { type: 'string', default: '1,2,4' },
    'shard-size': { type: 'string', default: '100' },
  },
});
const COMMAND = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const FIXTURES = new URL('../../fixtures/documents/', import.meta.url);
const ON_PAPER = 10_000_000;

const store = spawn(
  process.execPath,
  [fileURLToPath(new URL('store-process.mjs', import.meta.url)), values.small],
  { stdio: ['pipe', 'pipe', 'inherit'] },
);
const told = createInterface({ input: store.stdout })[Symbol.asyncIterator]();
const nextLine = async () => JSON.parse((await told.next()).value);
const env = { ...process.env, ...(await nextLine()) };
const requests = async () => {
  store.stdin.write('count\n');
  return (await nextLine()).requests;
};

const blobs = await openBlobs('s3://bucket/documents', { environment: env });
for (const { name } of readdirSync(FIXTURES, { withFileTypes: true }).filter((entry) => entry.isFile())) {
  if (name.endsWith('.md')) continue;
  for (let copy = 0; copy < Number(values.copies); copy += 1)
    await blobs.put(`${copy}/${name}`, readFileSync(new URL(name, FIXTURES)));
}

const redis = await startRedis();
const rows = [];
for (const [set, source] of [
  ['small', 's3://bucket/in'],
  ['documents', 's3://bucket/documents'],
])
  for (const workers of values.workers.split(',').map(Number))
    rows.push(await measured(set, source, workers));
print(rows);
store.kill();
await redis.end();

async function measured(set, source, count) {
  const workers = await Promise.all(Array.from({ length: count }, startWorker));
  const before = await requests();
  const started = performance.now();
  const batch = spawn(
    process.execPath,
    [
      COMMAND,
      'batch',
      source,
      `s3://bucket/out-${set}-${count}`,
      ...['--queue', redis.url, '--shard-size', values['shard-size'], '--json'],
    ],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let printed = '';
  batch.stdout.on('data', (text) => {
    printed += text;
  });
  const [status] = await once(batch, 'close');
  if (status !== 0) throw new Error(`The batch ended with status ${status}.`);
  const seconds = (performance.now() - started) / 1000;
  const asked = (await requests()) - before;
  const cpu = cpuSeconds(new Set(workers.map(({ pid }) => pid)));
  for (const worker of workers) {
    worker.kill('SIGTERM');
    await once(worker, 'close');
  }
  const { documents, succeeded, bytes } = JSON.parse(printed);
  return { set, count, documents, succeeded, bytes, seconds, cpu, asked };
}

async function startWorker() {
  const args = ['worker', '--queue', redis.url, '--max-processes', '1'];
  const worker = spawn(process.execPath, [COMMAND, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  await once(worker.stderr, 'data'); // it waits for shards
  worker.stderr.resume();
  return worker;
}

/** CPU time of processes and of all below them, those that ended too. */
function cpuSeconds(roots) {
  const TICKS = 100; // of the clock that Linux counts in
  const processes = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // Fields 4 and 14 to 17 of proc(5), counted after the name in parentheses.
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      processes.set(Number(name), { parent: Number(fields[1]), ticks });
    } catch {
      // It ended meanwhile.
    }
  }
  const isBelow = (id) => id > 1 && (roots.has(id) || isBelow(processes.get(id)?.parent ?? 0));
  let ticks = 0;
  for (const [id, one] of processes) if (isBelow(id)) ticks += one.ticks;
  return ticks / TICKS;
}

function print(measurements) {
  console.log(
    `${availableParallelism()} cores; the store, the queue and \`lectern batch\` share them. Each worker has one process.\n`,
  );
  console.log(
    '| documents | workers | read | documents/s | CPU per document, ms | requests per document | KiB per document |',
  );
  console.log('|---|--:|--:|--:|--:|--:|--:|');
  for (const { set, count, documents, succeeded, bytes, seconds, cpu, asked } of measurements)
    console.log(
      `| ${set} | ${count} | ${succeeded} of ${documents} | ${(documents / seconds).toFixed(1)} | ${((cpu / documents) * 1000).toFixed(1)} | ${(asked / documents).toFixed(2)} | ${(bytes / documents / 1024).toFixed(1)} |`,
    );
  console.log(`\n${ON_PAPER.toLocaleString('en')} documents, on paper:\n`);
  console.log('| documents | CPU hours | cores for one day | million requests |');
  console.log('|---|--:|--:|--:|');
  for (const set of new Set(measurements.map((one) => one.set))) {
    const [{ cpu, documents, asked }] = measurements.filter((one) => one.set === set);
    const hours = ((cpu / documents) * ON_PAPER) / 3600;
    console.log(
      `| ${set} | ${hours.toFixed(0)} | ${(hours / 24).toFixed(1)} | ${(((asked / documents) * ON_PAPER) / 1e6).toFixed(1)} |`,
    );
  }
}
