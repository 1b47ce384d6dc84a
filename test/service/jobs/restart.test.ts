import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../../src/service/database.ts';
import type { JobQueue } from '../../../src/service/jobs/queue.ts';
import { createSqlQueue } from '../../../src/service/jobs/sql/queue.ts';
import { startPostgres } from '../../support/servers.mjs';
import { NO_POSTGRES } from '../../support/servers.ts';
import { jobLimits, newJob, pathItem } from './trial.ts';

// Starts and stops servers.
vi.setConfig({ testTimeout: 120_000 });

const FILES = 300;

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

test.skipIf(NO_POSTGRES)(
  'a database that restarts under working nodes loses no file and reads none twice',
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.end());
    const queues: JobQueue[] = [];
    for (const name of ['one', 'two', 'three']) {
      const database = await openDatabase('', { url: server.url, busyTimeoutMs: 1000 });
      onTestFinished(() => database.close());
      const limits = jobLimits({ jobLeaseMilliseconds: 500 });
      queues.push(await createSqlQueue(database, { limits, holder: name }));
    }
    const items = Array.from({ length: FILES }, (_, at) => pathItem(`${at}`));
    const job = (await queues[0]?.submit(newJob({ items })))?.job.id ?? '';
    const codes = new Set<unknown>();
    const failed = (error: { readonly code?: unknown }): undefined => {
      codes.add(error.code);
    };
    let ended = false;
    const work = async (queue: JobQueue): Promise<void> => {
      while (!ended) {
        const item = await queue.claim().catch(failed);
        if (item) await queue.complete(item.lease, { ok: true, json: '{}' }).catch(failed);
        else await pause(10);
      }
    };
    const watch = async (queue: JobQueue): Promise<void> => {
      while (!ended) {
        await queue.reclaim().catch(failed);
        await pause(100);
      }
    };
    const working = queues.flatMap((queue) => [work(queue), watch(queue)]);
    for (let restarts = 0; restarts < 3; restarts += 1) {
      await pause(150);
      await server.stop();
      await pause(200);
      await server.start();
    }
    for (const queue of queues)
      while ((await queue.get('ada', job).catch(failed))?.endedAt === undefined) await pause(50);
    ended = true;
    await Promise.all(working);
    const results = (await queues[1]?.results('ada', job, { after: 0, limit: FILES * 2 })) ?? [];
    expect(results.map(({ index }) => index).sort((a, b) => a - b)).toEqual(items.map((_, at) => at));
    expect(results.every(({ state }) => state === 'succeeded')).toBe(true);
    expect([...codes].filter((code) => code !== 'BUSY')).toEqual([]);
  },
);
