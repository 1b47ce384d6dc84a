import { expect, test } from 'vitest';
import { thisHolder } from '../../../src/service/jobs/holder.ts';
import type { ClaimedItem, JobQueue } from '../../../src/service/jobs/queue.ts';
import { onEachDatabase } from '../engines.ts';
import { ManualClock, newJob, pathItem, temporaryFolder, trial } from './trial.ts';

const ANSWER = { ok: true, json: '{"success":true}' };
const FAULT = { code: 'CRASHED', message: 'm', hint: 'h' } as const;
/** A process of this machine that has ended: no number is so large. */
const ENDED = thisHolder().replace(/-\d+-\d+$/, '-999999999-1');
const ALL = { after: 0, limit: 100 };

async function claimed(queue: JobQueue): Promise<ClaimedItem> {
  const item = await queue.claim();
  if (item === undefined) throw new Error('Nothing to claim.');
  return item;
}

onEachDatabase(() => {
  test('a worker that lost its lease cannot store a result; the new holder can', async () => {
    const clock = new ManualClock();
    const { queue, submit } = await trial({ clock });
    const job = await submit();
    const first = await claimed(queue);
    await queue.reclaim();
    clock.pass(31_000);
    expect(await queue.reclaim()).toBe(1);
    const second = await claimed(queue);
    expect(second.lease.fence).toBeGreaterThan(first.lease.fence);
    expect(await queue.complete(first.lease, { ok: true, json: '"first"' })).toBe(false);
    expect(await queue.fail(first.lease, FAULT, '{}')).toBe(false);
    expect(await queue.heartbeat([first.lease, second.lease])).toEqual([first.lease]);
    expect(await queue.complete(second.lease, { ok: true, json: '"second"' })).toBe(true);
    expect(await queue.complete(second.lease, { ok: true, json: '"again"' })).toBe(false);
    expect((await queue.results('ada', job.id, ALL)).map(({ json }) => json)).toEqual(['"second"']);
  });

  test('a heartbeat keeps the lease', async () => {
    const clock = new ManualClock();
    const { queue, submit } = await trial({ clock });
    await submit();
    const { lease } = await claimed(queue);
    for (let beat = 0; beat < 5; beat += 1) {
      await queue.heartbeat([lease]);
      expect(await queue.reclaim()).toBe(0);
      clock.pass(20_000);
    }
  });

  test.each([
    ['forwards', 365 * 86_400_000],
    ['back', -365 * 86_400_000],
  ])('a wall clock that jumps %s neither ends nor extends a lease', async (_way, jump) => {
    const clock = new ManualClock();
    const { queue, submit } = await trial({ clock });
    await submit();
    await claimed(queue);
    await queue.reclaim();
    clock.wall += jump;
    expect(await queue.reclaim()).toBe(0);
    clock.steady += 31_000;
    expect(await queue.reclaim()).toBe(1);
    expect(await queue.claim()).toBeDefined();
  });

  test('a wall clock that jumps back does not delay a retry', async () => {
    const clock = new ManualClock();
    const { queue, submit } = await trial({ clock });
    await submit();
    await queue.fail((await claimed(queue)).lease, FAULT, '{}');
    expect(await queue.claim()).toBeUndefined();
    clock.wall -= 86_400_000;
    expect(await queue.claim()).toBeDefined();
  });

  test('work of a dead process is taken over immediately', async () => {
    // No process of this machine has the number 0, and no boot this id.
    const { queue, submit } = await trial({ holder: ENDED });
    await submit();
    await claimed(queue);
    expect(await queue.reclaim()).toBe(1);
  });

  test('users take turns, even if one of them sent many files first', async () => {
    const { queue, submit } = await trial();
    await submit({ user: 'ada', items: ['a1', 'a2', 'a3', 'a4'].map(pathItem) });
    await submit({ user: 'bob', items: ['b1', 'b2'].map(pathItem) });
    await submit({ user: 'cyd', items: ['c1'].map(pathItem) });
    const order: string[] = [];
    for (let item = await queue.claim(); item; item = await queue.claim()) order.push(item.name);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  test('a fault is retried with backoff, then becomes a dead letter that can be retried', async () => {
    const clock = new ManualClock();
    const { queue, submit } = await trial({ clock, limits: { jobAttempts: 3 } });
    const job = await submit();
    const waits: number[] = [];
    for (const attempt of [1, 2, 3]) {
      let waited = 0;
      let item = await queue.claim();
      for (; item === undefined; item = await queue.claim()) {
        clock.pass(100);
        waited += 100;
      }
      waits.push(waited);
      expect(item.attempt).toBe(attempt);
      await queue.fail(item.lease, FAULT, '{"success":false}');
    }
    expect(waits[0]).toBe(0);
    expect(waits[1]).toBeGreaterThanOrEqual(500);
    expect(waits[1]).toBeLessThanOrEqual(1100);
    expect(waits[2]).toBeGreaterThanOrEqual(2000);
    expect(await queue.get('ada', job.id)).toMatchObject({ status: 'done', counts: { dead: 1 } });
    expect(await queue.deadLetters('ada', 10)).toEqual([
      { job: job.id, index: 0, name: 'a.csv', attempts: 3, error: FAULT },
    ]);
    expect(await queue.results('ada', job.id, ALL)).toMatchObject([{ state: 'dead', seq: 1 }]);

    expect(await queue.retryDead('ada', job.id)).toBe(1);
    const again = await queue.get('ada', job.id);
    expect(again).toMatchObject({ status: 'queued', counts: { dead: 0, queued: 1 } });
    expect(again?.endedAt).toBeUndefined();
    await queue.complete((await claimed(queue)).lease, ANSWER);
    expect(await queue.results('ada', job.id, ALL)).toMatchObject([{ state: 'succeeded', seq: 3 }]);
    expect(await queue.events('ada', job.id, { after: 2, limit: 10 })).toMatchObject([
      { seq: 3, type: 'item' },
      { seq: 4, type: 'done' },
    ]);
  });

  test('a process of another machine is judged by its heartbeat alone, where machines share the database', async () => {
    const { queue, submit, database } = await trial({ holder: '00000000-1-1-1' });
    await submit();
    await claimed(queue);
    expect(await queue.reclaim()).toBe(database.isShared ? 0 : 1);
  });

  test('a file that kills its worker every time becomes a dead letter', async () => {
    const { queue, submit } = await trial({ holder: ENDED });
    const job = await submit();
    let claims = 0;
    while (await queue.claim()) {
      claims += 1;
      await queue.reclaim();
    }
    expect(claims).toBe(20);
    expect(await queue.get('ada', job.id)).toMatchObject({ status: 'done', counts: { dead: 1 } });
    expect(JSON.parse((await queue.results('ada', job.id, ALL))[0]?.json ?? '')).toMatchObject({
      success: false,
      error: { code: 'CRASHED' },
      metadata: { name: 'a.csv' },
    });
  });

  test('cancelling ends queued and running items, and keeps finished ones', async () => {
    const { queue, submit } = await trial();
    const job = await submit({ items: ['a', 'b', 'c', 'd'].map(pathItem) });
    await queue.complete((await claimed(queue)).lease, ANSWER);
    const running = await claimed(queue);
    expect(await queue.cancel('ada', job.id)).toMatchObject({
      status: 'cancelled',
      counts: { total: 4, succeeded: 1, cancelled: 3 },
    });
    expect(await queue.complete(running.lease, ANSWER)).toBe(false);
    expect(await queue.claim()).toBeUndefined();
    const results = await queue.results('ada', job.id, ALL);
    expect(results.map(({ seq, index }) => [seq, index])).toEqual([
      [1, 0],
      [2, 1],
      [3, 2],
      [4, 3],
    ]);
    expect(JSON.parse(results[3]?.json ?? '')).toMatchObject({
      success: false,
      error: { code: 'ABORTED' },
      metadata: { name: 'd' },
    });
    const ended = await queue.get('ada', job.id);
    expect(await queue.cancel('ada', job.id)).toEqual(ended);
  });

  test('a released item counts no attempt', async () => {
    const { queue, submit } = await trial();
    await submit();
    await queue.release((await claimed(queue)).lease);
    expect((await claimed(queue)).attempt).toBe(1);
  });

  test('identical content, name and request of a user are read once, as long as the result is kept', async () => {
    const clock = new ManualClock();
    const { queue, submit, blob } = await trial({ clock });
    await submit({ items: [await blob('a.csv', 'x')] });
    await queue.complete((await claimed(queue)).lease, { ok: true, json: '"kept"' });
    const twin = await submit({ items: [await blob('a.csv', 'x')] });
    expect(await queue.claim()).toBeUndefined();
    expect(await queue.results('ada', twin.id, ALL)).toMatchObject([{ state: 'succeeded', json: '"kept"' }]);
    expect(await queue.get('ada', twin.id)).toMatchObject({ status: 'done' });

    const others = [
      { items: [await blob('b.csv', 'x')] },
      { items: [await blob('a.csv', 'y')] },
      { items: [await blob('a.csv', 'x')], request: '{"maxTokens":5}' },
      { items: [await blob('a.csv', 'x')], version: '2' },
      { items: [await blob('a.csv', 'x', 'bob')], user: 'bob' },
    ];
    for (const other of others) {
      await submit(other);
      expect(await queue.claim()).toBeDefined();
    }
  });

  test('a submission repeated with its idempotency key answers with the first job', async () => {
    const { queue } = await trial();
    const first = await queue.submit(newJob({ idempotencyKey: 'k', fingerprint: 'one' }));
    const second = await queue.submit(newJob({ idempotencyKey: 'k', fingerprint: 'one' }));
    expect([first.created, second.created]).toEqual([true, false]);
    expect(second.job.id).toBe(first.job.id);
    expect(await queue.list('ada', { limit: 10 })).toHaveLength(1);
    await expect(queue.submit(newJob({ idempotencyKey: 'k', fingerprint: 'two' }))).rejects.toMatchObject({
      name: 'ReaderError',
      code: 'BAD_INPUT',
      message: 'The idempotency key was used before, with other files or another request.',
    });
    const other = await queue.submit(newJob({ idempotencyKey: 'k', fingerprint: 'two', user: 'bob' }));
    expect(other.created).toBe(true);
  });

  test('results are kept for the requested time, and can be read repeatedly', async () => {
    const clock = new ManualClock();
    const { queue, submit, blob } = await trial({ clock });
    const item = await blob('a.csv', 'x');
    const job = await submit({ items: [item], keepSeconds: 60 });
    clock.pass(3_600_000);
    expect(await queue.prune()).toEqual({ jobs: 0, blobs: [] });
    await queue.complete((await claimed(queue)).lease, ANSWER);
    clock.pass(59_000);
    for (let times = 0; times < 5; times += 1) {
      expect(await queue.prune()).toEqual({ jobs: 0, blobs: [] });
      expect(await queue.results('ada', job.id, ALL)).toHaveLength(1);
    }
    clock.pass(1000);
    if (item.input.kind !== 'blob') throw new Error('A blob was stored.');
    expect(await queue.refers('ada', item.input.blob)).toBe(true);
    expect(await queue.prune()).toEqual({ jobs: 1, blobs: [{ user: 'ada', blob: item.input.blob }] });
    expect(await queue.refers('ada', item.input.blob)).toBe(false);
    expect(await queue.get('ada', job.id)).toBeUndefined();
    expect(await queue.results('ada', job.id, ALL)).toEqual([]);
  });

  test('a user cannot see the jobs of another', async () => {
    const { queue, submit } = await trial({ limits: { jobAttempts: 1 } });
    const job = await submit({ items: ['a', 'b'].map(pathItem) });
    await queue.complete((await claimed(queue)).lease, ANSWER);
    await queue.fail((await claimed(queue)).lease, FAULT, '{}');
    expect(await queue.get('bob', job.id)).toBeUndefined();
    expect(await queue.list('bob', { limit: 10 })).toEqual([]);
    expect(await queue.list('bob', { limit: 10, before: job.id })).toEqual([]);
    expect(await queue.results('bob', job.id, ALL)).toEqual([]);
    expect(await queue.events('bob', job.id, ALL)).toEqual([]);
    expect(await queue.deadLetters('bob', 10)).toEqual([]);
    expect(await queue.retryDead('bob', job.id)).toBeUndefined();
    expect(await queue.cancel('bob', job.id)).toBeUndefined();
    expect(await queue.get('ada', job.id)).toMatchObject({ counts: { succeeded: 1, dead: 1 } });
  });

  test('jobs are listed newest first, in pages', async () => {
    const { queue, submit } = await trial();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.unshift((await submit()).id);
    const first = await queue.list('ada', { limit: 2 });
    expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const rest = await queue.list('ada', { limit: 10, before: ids[1] ?? '' });
    expect(rest.map(({ id }) => id)).toEqual(ids.slice(2));
  });

  test('jobs and bytes of a user are bounded', async () => {
    const { submit, blob } = await trial({ limits: { maxJobsPerUser: 2, maxJobBytesPerUser: 10 } });
    await submit({ items: [await blob('a', '123456')] });
    await expect(submit({ items: [await blob('b', '12345')] })).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: 'The files of all jobs of this user would exceed 10 bytes.',
    });
    await submit();
    await expect(submit()).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: 'There are 2 jobs of this user, the maximum.',
    });
    await submit({ user: 'bob' });
  });

  test('two queues on one database never claim the same item', async () => {
    const folder = await temporaryFolder();
    const one = await trial({ folder });
    const two = await trial({ folder });
    await one.submit({ items: Array.from({ length: 30 }, (_, index) => pathItem(`${index}`)) });
    const names: string[] = [];
    const drain = async (queue: JobQueue): Promise<void> => {
      for (let item = await queue.claim(); item; item = await queue.claim()) {
        names.push(item.name);
        await new Promise(setImmediate);
      }
    };
    await Promise.all([drain(one.queue), drain(two.queue)]);
    expect(names).toHaveLength(30);
    expect(new Set(names).size).toBe(30);
  });
});
