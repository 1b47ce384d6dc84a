// `node test/bench/cluster.mjs`: a batch over real servers whose workers are killed at random, as a table: every document
// must end in exactly one outcome. Objects are in the S3 server of the tests, in a process of its own. Runs what was built.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openBlobs } from '../../dist/modules/src/blobs/index.js';
import { startPostgres, startRedis } from '../support/servers.mjs';
import { startNodes } from './cluster-nodes.mjs';

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '2000' },
    workers: { type: 'string', default: '4' },
    queue: { type: 'string', default: 'redis' },
    'shard-size': { type: 'string', default: '200' },
    /** Seconds between two kills; 0 for none. */
    kill: { type: 'string', default: '5' },
    /** Restart the queue's server once, and cut the network to the store twice. */
    faults: { type: 'boolean', default: false },
    /** HTTP nodes over PostgreSQL, Redis and the same objects beside the workers. */
    nodes: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
  },
});
const documents = Number(values.documents);
const killEvery = Number(values.kill);
const COMMAND = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

let state = Number(values.seed) >>> 0 || 1;
/** Numerical Recipes' generator: the same kills with the same seed. */
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};

const store = spawn(process.execPath, [
  fileURLToPath(new URL('store-process.mjs', import.meta.url)),
  String(documents),
]);
store.stderr.pipe(process.stderr);
const told = createLines(store.stdout);
const environment = JSON.parse(await told.next());
const hasNodes = Number(values.nodes) > 0;
const postgres = hasNodes || values.queue === 'postgres' ? await startPostgres() : undefined;
const redis = hasNodes || values.queue !== 'postgres' ? await startRedis() : undefined;
const server = values.queue === 'postgres' ? postgres : redis;

const workers = new Map();
let kills = 0;
let isDone = false;

/** What workers said that ended although nobody ended them. */
const ended = [];
const isEnding = new Set();

function startWorker(index) {
  const child = spawn(process.execPath, [COMMAND, 'worker', '--queue', server.url, '--max-processes', '1'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (text) => {
    said = (said + text).slice(-2000);
  });
  child.once('close', (status, signal) => {
    if (isEnding.has(child)) return;
    ended.push(`status ${status ?? signal}: ${said}`);
    if (!isDone) startWorker(index);
    else workers.delete(index);
  });
  workers.set(index, child);
}

async function endWorker(child, signal) {
  isEnding.add(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit'); // its reading process may keep the streams open for a moment
  child.kill(signal);
  await gone;
}

/** Milliseconds of all cores in use since the machine started. */
const busy = () =>
  cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);

const started = performance.now();
const busyBefore = busy();
for (let index = 0; index < Number(values.workers); index += 1) startWorker(index);
const batch = spawn(
  process.execPath,
  [
    COMMAND,
    'batch',
    's3://bucket/in',
    's3://bucket/out',
    '--queue',
    server.url,
    '--shard-size',
    values['shard-size'],
    '--json',
  ],
  { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'inherit'] },
);
let printed = '';
batch.stdout.on('data', (text) => {
  printed += text;
});
const batchEnded = once(batch, 'close').then(([status]) => {
  isDone = true;
  return status;
});

const nodes = hasNodes
  ? await startNodes({
      command: COMMAND,
      count: Number(values.nodes),
      database: postgres.url,
      redis: redis.url,
      storage: 's3://bucket/nodes',
      environment,
      random,
    })
  : undefined;

const faults = [];
async function disturb() {
  if (!values.faults) return;
  await wait(10_000);
  if (isDone) return;
  faults.push('store cut');
  store.stdin.write('cut\n');
  await wait(8000);
  if (isDone) return;
  const restarted = postgres ?? server;
  await restarted.stop();
  await restarted.start();
  faults.push(postgres ? 'database restarted' : 'queue restarted');
  await wait(8000);
  if (isDone) return;
  faults.push('store cut');
  store.stdin.write('cut\n');
}

async function kill() {
  while (killEvery > 0 && !isDone) {
    await Promise.race([wait(killEvery * 1000 * (0.5 + random())), batchEnded]);
    if (isDone) return;
    if (nodes && random() < 0.5) {
      await nodes.kill();
      continue;
    }
    const index = Math.floor(random() * workers.size);
    await endWorker(workers.get(index), 'SIGKILL');
    kills += 1;
    startWorker(index);
  }
}

const [status] = await Promise.all([batchEnded, kill(), disturb()]);
const seconds = (performance.now() - started) / 1000;
const busyMilliseconds = busy() - busyBefore;
await nodes?.stop();
for (const child of workers.values()) await endWorker(child, 'SIGTERM');

const blobs = await openBlobs('s3://bucket/out', { environment });
const counts = new Map();
for await (const { key } of blobs.list('outcomes/')) {
  const text = Buffer.from(await blobs.read(key)).toString('utf8');
  for (const line of text.trim().split('\n')) {
    const outcome = JSON.parse(line);
    counts.set(outcome.key, (counts.get(outcome.key) ?? 0) + 1);
  }
}
store.stdin.write('count\n');
const { requests } = JSON.parse(await told.next());
const summary = status === 0 ? JSON.parse(printed) : {};
const twice = [...counts.values()].filter((count) => count !== 1).length;
const rows = [
  ['queue', values.queue],
  ['workers', values.workers],
  ['documents', documents],
  ['with exactly one outcome', counts.size - twice],
  ['without, or with two', documents - counts.size + twice],
  ['succeeded, failed, dead', `${summary.succeeded}, ${summary.failed}, ${summary.dead}`],
  ['workers killed', kills],
  ['workers that ended by themselves', ended.length],
  ['other faults', faults.join(', ') || 'none'],
  ...(nodes
    ? [
        ['nodes, killed', `${values.nodes}, ${nodes.tally.kills}`],
        ['answers, and attempts without one', `${nodes.tally.requests}, ${nodes.tally.refused}`],
        ['jobs accepted, and ended with all results', `${nodes.tally.jobs}, ${nodes.tally.jobsDone}`],
        ['wrong answers', nodes.tally.wrong.length],
      ]
    : []),
  ['seconds', seconds.toFixed(1)],
  ['documents/s', (documents / seconds).toFixed(1)],
  ['CPU of the whole machine per document, ms', (busyMilliseconds / documents).toFixed(1)],
  ['requests to the store per document', (requests / documents).toFixed(2)],
];
for (const [name, value] of rows) console.log(`| ${name} | ${value} |`);
store.kill();
for (const one of [...ended, ...(nodes?.tally.wrong ?? [])].slice(0, 10)) console.log(one);
await postgres?.end();
await redis?.end();
process.exitCode =
  status === 0 && counts.size === documents && twice === 0 && ended.length === 0 && !nodes?.tally.wrong.length
    ? 0
    : 1;

/** Lines of a stream, one at a time. */
function createLines(stream) {
  const lines = [];
  const waiting = [];
  let rest = '';
  stream.on('data', (piece) => {
    const parts = (rest + piece).split('\n');
    rest = parts.pop();
    for (const line of parts) {
      const next = waiting.shift();
      if (next) next(line);
      else lines.push(line);
    }
  });
  return {
    next: () => new Promise((resolve) => (lines.length > 0 ? resolve(lines.shift()) : waiting.push(resolve))),
  };
}
