// Kills a process that accepts and works on jobs, again and again with SIGKILL at random instants, and checks what is left:
// `node test/bench/jobs-kill.mjs --times 200`. Ends with status 1 when any job, result, file or notification is wrong.
// `--database postgres://...`: on an empty PostgreSQL database. `--nodes 3`: so many processes at the same time, of which
// one is killed.

import { spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openDatabase } from '../../dist/modules/src/service/database.js';
import { createFolderBlobStore } from '../../dist/modules/src/service/jobs/blob-store.js';
import { startJobs } from '../../dist/modules/src/service/jobs/jobs.js';
import { JOB_LIMIT_DEFINITIONS } from '../../dist/modules/src/service/jobs/limits.js';
import { createSqlQueue } from '../../dist/modules/src/service/jobs/sql/queue.js';

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '200' },
    nodes: { type: 'string', default: '1' },
    database: { type: 'string' },
  },
});
const NODES = Number(values.nodes);
const url = values.database;
const TIMES = Number(values.times);
const SERVICE = fileURLToPath(new URL('../support/jobs-service.mjs', import.meta.url));
const key = randomBytes(32);
const secret = `whsec_${key.toString('base64')}`;
const limits = Object.fromEntries(
  JOB_LIMIT_DEFINITIONS.map(({ key: name, default: usual }) => [name, usual]),
);

const folder = await mkdtemp(join(tmpdir(), 'lectern-jobs-kill-'));
const accepted = new Map();
const faults = [];
let readySince = 0;

// The receiver of the notifications.
const notified = new Map();
let badSignatures = 0;
const receiver = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  } = request.headers;
  const expected = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  if (signature !== expected) badSignatures += 1;
  const job = JSON.parse(body);
  notified.set(job.id, [...(notified.get(job.id) ?? []), id]);
  response.writeHead(204).end();
});
await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const webhook = `http://127.0.0.1:${receiver.address().port}/hook`;

function start(mode) {
  const next = Math.max(0, ...[...accepted.values()].map(({ number }) => number + 1));
  const child = spawn(
    process.execPath,
    [SERVICE, folder, mode, webhook, secret, String(next), ...(url ? [url] : [])],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  let ready = () => undefined;
  const isReady = new Promise((resolve) => {
    ready = resolve;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.endsWith('}')) return; // cut off by the kill
    const said = JSON.parse(line);
    if (said.ready) {
      readySince += 1;
      ready();
    }
    if (said.accepted) accepted.set(said.accepted.id, said.accepted);
    if (said.fault) faults.push(said.fault);
  });
  return { child, ended, isReady: Promise.race([isReady, ended]) };
}

const nodes = [];

/** One in six is killed while it starts and recovers, the others while they work. */
async function killOne() {
  while (nodes.length < NODES) nodes.push(start('work'));
  const [{ child, ended, isReady }] = nodes.splice(Math.floor(Math.random() * nodes.length), 1);
  if (Math.random() < 1 / 6) await setTimeout(Math.random() * 400);
  else {
    await isReady;
    await setTimeout(Math.random() * 600);
  }
  child.kill('SIGKILL');
  const { signal } = await ended;
  if (signal !== 'SIGKILL') faults.push(`The process ended by itself: ${signal}`);
}

const started = performance.now();
for (let time = 0; time < TIMES; time += 1) await killOne();
for (const { child } of nodes) child.kill('SIGKILL');
await Promise.all(nodes.map(({ ended }) => ended));
const last = await start('finish').ended;
if (last.code !== 0) faults.push(`The last process ended with ${last.code} ${last.signal}`);
receiver.close();

const database = await openDatabase(folder, { url });
const queue = await createSqlQueue(database, { limits });
const problems = [...faults];
let items = 0;
let expected = 0;
const states = {};
let kept = 0;
let done = 0;
for (const { id, user, sha256 } of accepted.values()) {
  const job = await queue.get(user, id);
  if (job?.status === 'done') done += 1;
  else problems.push(`Job ${id} is ${job?.status}`);
  const results = await queue.results(user, id, { after: 0, limit: 1e6 });
  expected += sha256.length;
  const positions = results.map(({ index }) => index).sort((a, b) => a - b);
  if (positions.join() !== sha256.map((_, index) => index).join())
    problems.push(`Job ${id} has results ${positions}`);
  for (const { index, state, json } of results) {
    items += 1;
    states[state] = (states[state] ?? 0) + 1;
    if (state === 'succeeded' && JSON.parse(json).sha256 !== sha256[index])
      problems.push(`Job ${id}: wrong content`);
  }
  const messages = notified.get(id) ?? [];
  if (new Set(messages).size !== 1) problems.push(`Job ${id}: ${messages.length} notifications`);
}
for (const user of ['ada', 'bob', 'cyd']) kept += (await queue.list(user, { limit: 1e6 })).length;
if (kept !== accepted.size) problems.push(`${kept} jobs are stored, ${accepted.size} were accepted`);

const files = async () =>
  (await readdir(join(folder, 'blobs'), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => ({ name, user: parentPath.split('/').at(-1) }));
let unreferred = 0;
for (const { name, user } of await files()) if (!(await queue.refers(user, name))) unreferred += 1;
if (unreferred > 0) problems.push(`${unreferred} files belong to no job`);
if (badSignatures > 0) problems.push(`${badSignatures} wrong signatures`);

// Two hours later everything has expired.
const later = { now: () => Date.now() + 7_200_000, monotonic: () => performance.now() };
const cleaning = await startJobs({
  database,
  blobs: createFolderBlobStore(join(folder, 'blobs'), { isShared: database.isShared }),
  limits,
  read: () => Promise.reject(new Error('Nothing is left to read.')),
  version: '1',
  clock: later,
});
await cleaning.close(AbortSignal.timeout(1000));
const leftOver = (await files()).length;
if (leftOver > 0) problems.push(`${leftOver} files are left after all jobs expired`);
const integrity = await database.integrity();
if (integrity !== 'ok') problems.push(integrity);
await database.close();
await rm(folder, { recursive: true, force: true });

const deliveries = [...notified.values()].flat().length;
console.log(
  [
    `${TIMES} kills with SIGKILL in ${Math.round((performance.now() - started) / 1000)} s, ${readySince} starts came to work`,
    `jobs accepted ${accepted.size}, ended ${done}, stored ${kept}`,
    `files ${expected}, results ${items}: ${Object.entries(states)
      .map(([state, count]) => `${state} ${count}`)
      .join(', ')}`,
    `notifications: ${deliveries} deliveries of ${notified.size} jobs, wrong signatures ${badSignatures}`,
    `files without a job ${unreferred}, files left after expiry ${leftOver}, integrity_check ${integrity}`,
    problems.length === 0
      ? 'no problems'
      : `PROBLEMS (${problems.length}):\n${problems.slice(0, 20).join('\n')}`,
  ].join('\n'),
);
process.exitCode = problems.length === 0 ? 0 : 1;
