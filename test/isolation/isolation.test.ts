// Files that hang, crash or exhaust the process that reads them, read in child processes: each ends as a typed outcome,
// keeps what was read before, and leaves a pool that reads the next file.

import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPool, type Pool, type PoolOptions, runTask } from '../../src/isolation/index.ts';
import { createReaderOf } from '../../src/reader/reader.ts';
import { draws } from '../support/draws.ts';
import { documents, readAll } from './chaos.mjs';
import { MOCK } from './mock-processor.mjs';

// Starts and kills processes.
vi.setConfig({ testTimeout: 180_000 });

const pools: Pool[] = [];
const CHILD = fileURLToPath(new URL('mock-child.mjs', import.meta.url));

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function poolOf(options: Partial<PoolOptions> = {}): Pool {
  const pool = createPool({
    program: {
      file: CHILD,
      limits: { memoryBytes: 1_500_000 * 1024, cpuSeconds: 120 },
    },
    size: 1,
    maxQueued: 100,
    maxMilliseconds: 60_000,
    ...options,
  });
  pools.push(pool);
  return pool;
}

const readerOf = (pool: Pool) => createReaderOf([MOCK], { pool });
const file = (...steps: string[]) => ({ name: 'a.mock', bytes: Buffer.from(steps.join('\n')) });
// Of this process: other tests run at the same time.
const folders = () =>
  readdirSync(tmpdir()).filter(
    (name) => name.startsWith('lectern-child-') && name.includes(`--${process.pid}--`),
  );

describe('a file that ends the process', () => {
  it.each([
    ['heap', 'OUT_OF_MEMORY'],
    ['buffers', 'OUT_OF_MEMORY'],
    ['exit', 'CRASHED'],
    ['fail', 'CRASHED'],
    ['abort', 'CRASHED'],
    ['segv', 'CRASHED'],
    ['garbage', 'CRASHED'],
    ['lie', 'CRASHED'],
    ['forge', 'CRASHED'],
    ['huge', 'CRASHED'],
    ['close', 'CRASHED'],
    ['deep', 'CRASHED'],
    ['wide', 'CRASHED'],
    ['question', 'CRASHED'],
    ['answers', 'CRASHED'],
    ['result', 'LIMIT_EXCEEDED'],
    ['throw', 'INTERNAL'],
    ['overflow', 'INTERNAL'],
  ])('%s is reported as %s, and the next file is read', async (step, code) => {
    const reader = readerOf(poolOf());
    const failed = await reader.read(file(step));
    expect(failed).toMatchObject({ success: false, error: { code } });
    expect(await reader.read(file('text fine'))).toMatchObject({ success: true, text: 'fine\n' });
  });

  it.each(['hang', 'spin', 'flood'])('%s is reported as TIMED_OUT', async (step) => {
    const pool = poolOf({ maxMilliseconds: 3_000 });
    const reader = readerOf(pool);
    expect(await reader.read(file(step))).toMatchObject({ success: false, error: { code: 'TIMED_OUT' } });
    expect(pool.status).toMatchObject({ busy: 0, queued: 0, ended: { TIMED_OUT: 1 } });
    expect(await reader.read(file('text fine'))).toMatchObject({ success: true });
  });

  it('leaves what was read before it, with a cursor that goes on there', async () => {
    const reader = readerOf(poolOf());
    const answer = await reader.read(file('text one', 'text two', 'abort', 'text three'));
    expect(answer).toMatchObject({
      success: true,
      truncation: {
        shown: [{ unit: 'line', from: 1, to: 2 }],
        omitted: [{ unit: 'line', from: 3, to: 3 }],
        next: { cursor: expect.any(String) },
      },
      warnings: expect.arrayContaining([expect.objectContaining({ code: 'INTERRUPTED' })]),
    });
  });

  it.each(['drip', 'endless'])('%s ends at the deadline with what it gave', async (step) => {
    const reader = readerOf(poolOf({ maxMilliseconds: 2_000 }));
    expect(await reader.read(file('text one', step, 'text two'))).toMatchObject({
      success: true,
      warnings: expect.arrayContaining([expect.objectContaining({ code: 'INTERRUPTED' })]),
    });
  });

  it('is refused at once after it has ended two processes', async () => {
    const pool = poolOf();
    const reader = readerOf(pool);
    await reader.read(file('abort'));
    await reader.read(file('abort'));
    const refused = await reader.read(file('abort'));
    expect(refused).toMatchObject({ success: false, error: { code: 'CRASHED' } });
    expect(pool.status.ended.CRASHED).toBe(2);
    expect(await reader.read(file('text fine'))).toMatchObject({ success: true });
  });

  it('is refused to the user who sent it only', async () => {
    const pool = poolOf();
    const readerFor = (user: string) => createReaderOf([MOCK], { pool, user });
    await readerFor('ada').read(file('abort'));
    await readerFor('ada').read(file('abort'));
    await readerFor('bob').read(file('abort'));
    expect(pool.status.ended.CRASHED).toBe(3);
    await readerFor('ada').read(file('abort'));
    expect(pool.status.ended.CRASHED).toBe(3);
  });

  it('leaves no temporary files', async () => {
    const before = folders();
    const pool = poolOf();
    await readerOf(pool).read(file('litter', 'abort'));
    expect(folders()).toEqual(before);
  });
});

describe('what a child remembers', () => {
  it('is of one user', async () => {
    const pool = poolOf();
    const read = (user: string, name: string) =>
      createReaderOf([MOCK], { pool, user }).read({ name, bytes: Buffer.from('text fine') });
    const { signal } = new AbortController();
    const remembered = async () => {
      const { output } = await runTask(pool, { name: 'state', input: null, user: '', signal });
      return output;
    };
    await read('ada', 'a.mock');
    await read('ada', 'b.mock');
    expect(await remembered()).toMatchObject({ read: ['a.mock', 'b.mock'] });
    await read('bob', 'c.mock');
    expect(await remembered()).toMatchObject({ read: ['c.mock'] });
  });
});

describe('the most that a processor says', () => {
  it.each(['extents', 'position', 'wholes', 'names'])('arrives: %s', async (step) => {
    const isolated = await readerOf(poolOf()).read(file(step));
    expect(isolated).toMatchObject({ success: true, text: expect.stringContaining('most\n') });
    expect(isolated).toEqual(await createReaderOf([MOCK]).read(file(step)));
  });
});

describe('the pool', () => {
  it('ignores what a processor prints', async () => {
    const answer = await readerOf(poolOf()).read(file('noise', 'text fine'));
    expect(answer).toMatchObject({ success: true, text: 'fine\n' });
  });

  it('uses one process for many files, beside one that stands by', async () => {
    const pool = poolOf();
    const reader = readerOf(pool);
    for (let index = 0; index < 5; index += 1) await reader.read(file(`text ${index}`));
    expect(pool.status.busy).toBe(0);
    expect(pool.status.started).toBeLessThanOrEqual(2);
  });

  it('refuses with BUSY when its queue is full, and serves those who wait', async () => {
    const reader = readerOf(poolOf({ maxQueued: 1 }));
    const answers = await Promise.all([1, 2, 3].map((index) => reader.read(file(`text ${index}`))));
    const codes = answers.map((answer) => (answer.success ? 'read' : answer.error.code));
    expect(codes.sort()).toEqual(['BUSY', 'read', 'read']);
  });

  it('ends the process of a read that is aborted, and reads on', async () => {
    const reader = readerOf(poolOf());
    const controller = new AbortController();
    const hanging = reader.read(file('hang'), { signal: controller.signal });
    const waiting = reader.read(file('text fine'));
    controller.abort();
    expect(await hanging).toMatchObject({ success: false, error: { code: 'ABORTED' } });
    expect(await waiting).toMatchObject({ success: true });
  });

  it('lets a waiting read be aborted', async () => {
    const reader = readerOf(poolOf());
    const first = new AbortController();
    const second = new AbortController();
    const hanging = reader.read(file('hang'), { signal: first.signal });
    const waiting = reader.read(file('text never'), { signal: second.signal });
    second.abort();
    expect(await waiting).toMatchObject({ success: false, error: { code: 'ABORTED' } });
    first.abort();
    await hanging;
  });

  it('stops the processor when the budget is spent', async () => {
    const pool = poolOf();
    const reader = readerOf(pool);
    const many = Array.from({ length: 500 }, (_, index) => `text line ${index}`);
    const answer = await reader.read(file(...many, 'abort'), { maxTokens: 200 });
    expect(answer).toMatchObject({ success: true, truncation: { next: { cursor: expect.any(String) } } });
    expect(pool.status.ended.CRASHED).toBe(0);
  });

  it('ends each of many random documents as it must, read at once', async () => {
    const limits = { memoryBytes: 800 * 1024 * 1024, cpuSeconds: 120 };
    const pool = poolOf({ size: 4, maxMilliseconds: 10_000, program: { file: CHILD, limits } });
    const all = documents(draws(60), 7);
    const { wrong, counted, expected } = await readAll(readerOf(pool), all, 4);
    expect(wrong).toEqual([]);
    expect(counted).toEqual(expected);
    expect(pool.status).toMatchObject({ busy: 0, queued: 0 });
  }, 120_000);

  it('gives users turns, however many reads one of them queues', async () => {
    const pool = poolOf();
    const order: string[] = [];
    const reads = ['a', 'a', 'a', 'b'].map(async (user, index) => {
      const reader = createReaderOf([MOCK], { pool, user });
      await reader.read(file(`text ${index}`));
      order.push(`${user}${index}`);
    });
    await Promise.all(reads);
    expect(order).toEqual(['a0', 'a1', 'b3', 'a2']);
  });

  it('drops the last read of the user who queues most when its queue is full', async () => {
    const pool = poolOf({ maxQueued: 3 });
    const readAs = async (user: string): Promise<string> => {
      const answer = await createReaderOf([MOCK], { pool, user }).read(file(`text ${user}`));
      return answer.success ? 'read' : answer.error.code;
    };
    const codes = await Promise.all(['a', 'a', 'a', 'a', 'b'].map(readAs));
    expect(codes).toEqual(['read', 'read', 'read', 'BUSY', 'read']);
  });

  it('does not refuse content that only ended a process after it had given parts', async () => {
    const reader = readerOf(poolOf());
    for (let turn = 0; turn < 3; turn += 1)
      expect(await reader.read(file('text one', 'abort', 'text two'))).toMatchObject({ success: true });
  });

  it('refuses reads once it is closed, and ends those under way', async () => {
    const pool = poolOf();
    const reader = readerOf(pool);
    const hanging = reader.read(file('hang'));
    const waiting = reader.read(file('text never'));
    await reader.read(file('text x'), { signal: AbortSignal.abort() });
    await pool.close();
    expect(await hanging).toMatchObject({ success: false });
    expect(await waiting).toMatchObject({ success: false, error: { code: 'BUSY' } });
    expect(await reader.read(file('text late'))).toMatchObject({ success: false, error: { code: 'BUSY' } });
  });

  it('fails a stream whose process ends between two parts', async () => {
    const texts: string[] = [];
    const read = async (): Promise<void> => {
      for await (const part of readerOf(poolOf()).stream(file('text one', 'abort', 'text two')))
        if (part.kind === 'text') texts.push(part.text);
    };
    await expect(read()).rejects.toMatchObject({ code: 'CRASHED' });
    expect(texts).toEqual(['one\n']);
  });
});
