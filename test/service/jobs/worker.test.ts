import { expect, test } from 'vitest';
import { ReaderError } from '../../../src/index.ts';
import { failureJson } from '../../../src/service/jobs/failure.ts';
import { type ItemAnswer, JobWorker } from '../../../src/service/jobs/worker.ts';
import { gate, pathItem, trial } from './trial.ts';

const GOOD: ItemAnswer = { json: '{"success":true}' };
const ALL = { after: 0, limit: 100 };

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new ReaderError('ABORTED', 'm', 'h'))),
  );

test('each worker reads one item at a time, concurrently', async () => {
  const { submit, work, ended } = await trial({ limits: { jobWorkers: 3 } });
  const [full, go] = [gate(), gate()];
  let now = 0;
  let most = 0;
  work(async () => {
    now += 1;
    most = Math.max(most, now);
    if (now === 3) full.open();
    await go.opened;
    now -= 1;
    return GOOD;
  });
  const job = await submit({ items: ['a', 'b', 'c', 'd', 'e'].map(pathItem) });
  await full.opened;
  go.open();
  expect((await ended(job)).counts.succeeded).toBe(5);
  expect(most).toBe(3);
});

test('the error of a bad file is its result; a transient fault is retried', async () => {
  const { queue, submit, work, ended } = await trial({ limits: { jobAttempts: 2 } });
  const tries: string[] = [];
  work(async ({ name, attempt }) => {
    tries.push(`${name} ${attempt}`);
    if (name === 'bad') throw new ReaderError('CORRUPT_FILE', 'm', 'h');
    if (name === 'slow') throw new ReaderError('TIMED_OUT', 'm', 'h');
    if (name === 'odd') throw new TypeError('/secret/path');
    return GOOD;
  });
  const job = await submit({ items: ['bad', 'slow', 'odd', 'good'].map(pathItem) });
  expect((await ended(job)).counts).toMatchObject({ failed: 1, dead: 2, succeeded: 1 });
  expect(tries.sort()).toEqual(['bad 1', 'good 1', 'odd 1', 'odd 2', 'slow 1', 'slow 2']);
  const results = await queue.results('ada', job.id, ALL);
  expect(results.find(({ name }) => name === 'bad')?.json).toBe(
    failureJson('bad', { code: 'CORRUPT_FILE', message: 'm', hint: 'h' }),
  );
  expect(JSON.stringify(results)).not.toContain('secret');
});

test('cancelling aborts running reads', async () => {
  const { queue, submit, work } = await trial();
  const started = gate();
  const stopped = gate();
  const worker = work(async (_item, signal) => {
    started.open();
    await aborted(signal).finally(() => stopped.open());
    return GOOD;
  });
  const job = await submit();
  await started.opened;
  await queue.cancel('ada', job.id);
  await worker.checkLeases();
  await stopped.opened;
  expect(await queue.get('ada', job.id)).toMatchObject({ status: 'cancelled', counts: { cancelled: 1 } });
});

test('draining finishes running items and starts no more', async () => {
  const { queue, submit, work } = await trial({ limits: { jobWorkers: 1 } });
  const [started, go] = [gate(), gate()];
  const worker = work(async () => {
    started.open();
    await go.opened;
    return GOOD;
  });
  const job = await submit({ items: ['a', 'b'].map(pathItem) });
  await started.opened;
  const drained = worker.drain(new AbortController().signal);
  go.open();
  await drained;
  expect(await queue.get('ada', job.id)).toMatchObject({ counts: { succeeded: 1, queued: 1, running: 0 } });
});

test('items that do not finish in time are released, and count as new for the next worker', async () => {
  const { queue, submit, work, ended } = await trial();
  const started = gate();
  const worker = work(async (_item, signal) => {
    started.open();
    return aborted(signal);
  });
  const job = await submit();
  await started.opened;
  await worker.drain(AbortSignal.abort());
  expect(await queue.get('ada', job.id)).toMatchObject({ counts: { queued: 1, running: 0 } });
  const attempts: number[] = [];
  work(async ({ attempt }) => {
    attempts.push(attempt);
    return GOOD;
  });
  expect((await ended(job)).counts.succeeded).toBe(1);
  expect(attempts).toEqual([1]);
});

test('a failing queue is reported and retried', async () => {
  const { queue, blobs, limits, submit, ended } = await trial();
  const errors: unknown[] = [];
  let claims = 0;
  const flaky = new Proxy(queue, {
    get: (target, name) => {
      if (name === 'claim' && claims++ === 0) return () => Promise.reject(new Error('no'));
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const worker = new JobWorker({
    queue: flaky,
    blobs,
    limits,
    read: async () => GOOD,
    onError: (error) => errors.push(error),
  });
  worker.start();
  expect((await ended(await submit())).counts.succeeded).toBe(1);
  await worker.drain(AbortSignal.abort());
  expect(errors).toHaveLength(1);
});
