// A process that accepts and works on jobs until it is killed, run by test/bench/jobs-kill.mjs. It prints one line of JSON
// for each job once it is accepted. With the mode `finish` it accepts nothing, works until all is done, and ends.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openDatabase } from '../../dist/modules/src/service/database.js';
import { createFolderBlobStore } from '../../dist/modules/src/service/jobs/blob-store.js';
import { startJobs } from '../../dist/modules/src/service/jobs/jobs.js';
import { JOB_LIMIT_DEFINITIONS } from '../../dist/modules/src/service/jobs/limits.js';

const [folder, mode, webhook, secret, first, url] = process.argv.slice(2);
const USERS = ['ada', 'bob', 'cyd'];
const MAX_QUEUED = 30;
const limits = {
  ...Object.fromEntries(JOB_LIMIT_DEFINITIONS.map(({ key, default: usual }) => [key, usual])),
  jobWorkers: 4,
  maxJobsPerUser: 1e6,
};

/** Content of a file, the same whenever its job is submitted again. */
const contentOf = (number, index) => `${number}/${index} `.repeat(1 + ((number * 31 + index * 17) % 4000));

async function read(item) {
  await setTimeout(Math.random() * 20);
  if (item.name.startsWith('flaky') && item.attempt === 1) {
    const error = { code: 'TIMED_OUT', message: 'Scripted.', hint: 'Try again.' };
    return { json: JSON.stringify({ success: false, error }), error };
  }
  const sha256 = createHash('sha256')
    .update(await readFile(item.file))
    .digest('hex');
  return { json: JSON.stringify({ success: true, sha256 }) };
}

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const database = await openDatabase(folder, { url });
const jobs = await startJobs({
  database,
  blobs: createFolderBlobStore(join(folder, 'blobs'), { isShared: database.isShared }),
  limits,
  read,
  version: '1',
  webhookAllow: ['127.0.0.1'],
  onError: (error) => say({ fault: String(error?.cause ?? error) }),
});
say({ ready: true });

async function* bytes(text) {
  yield Buffer.from(text.slice(0, 1000));
  yield Buffer.from(text.slice(1000));
}

async function submit(number) {
  const user = USERS[number % USERS.length];
  const files = Array.from({ length: 1 + (number % 6) }, (_, index) => ({
    name: `${(number + index) % 23 === 0 ? 'flaky' : 'file'}-${number}-${index}.txt`,
    content: bytes(contentOf(number, index)),
  }));
  const { job, created } = await jobs.submit({
    user,
    input: { files },
    request: { maxTokens: 100 },
    keepSeconds: 3600,
    webhook: { url: webhook, secret },
    idempotencyKey: `number ${number}`,
    signal: new AbortController().signal,
  });
  const sha256 = files.map((_, index) => createHash('sha256').update(contentOf(number, index)).digest('hex'));
  say({ accepted: { id: job.id, user, number, created, sha256 } });
}

if (mode === 'work') {
  for (let number = Number(first); ; number += 1) {
    while ((await jobs.queue.backlog()).queued > MAX_QUEUED) await setTimeout(5);
    await submit(number);
  }
}

async function isDone() {
  const { queued, running } = await jobs.queue.backlog();
  if (queued + running > 0) return false;
  for (const user of USERS) {
    const page = await jobs.queue.list(user, { limit: 1e6 });
    if (page.some((job) => job.webhook?.state !== 'delivered')) return false;
  }
  return true;
}

await submit(Number(first)); // perhaps accepted before, with nobody left to hear it
while (!(await isDone())) await setTimeout(50);
await jobs.close(AbortSignal.timeout(10_000));
await database.close();
