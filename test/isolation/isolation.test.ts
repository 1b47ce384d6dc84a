// Files that hang, crash or exhaust the process that reads them, read in child processes: each ends as a typed outcome,
// keeps what was read before, and leaves a pool that reads the next file.

import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { createPool, type Pool, type PoolOptions } from '../../src/isolation/index.ts';
import { createReaderOf } from '../../src/reader/reader.ts';
import { MOCK } from './mock-processor.mjs';

const pools: Pool[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function poolOf(options: Partial<PoolOptions> = {}): Pool {
  const pool = createPool({
    program: {
      file: fileURLToPath(new URL('mock-child.mjs', import.meta.url)),
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
const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('lectern-child-'));

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
    ['throw', 'INTERNAL'],
    ['overflow', 'INTERNAL'],
  ])('%s is reported as %s, and the next file is read', async (step, code) => {
    const reader = readerOf(poolOf());
    const failed = await reader.read(file(step));
    expect(failed).toMatchObject({ success: false, error: { code } });
    expect(await reader.read(file('text fine'))).toMatchObject({ success: true, text: 'fine\n' });
  });

  it.each(['hang', 'spin'])('%s is reported as TIMED_OUT', async (step) => {
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

  it('leaves no temporary files', async () => {
    const before = folders();
    const pool = poolOf();
    await readerOf(pool).read(file('litter', 'abort'));
    expect(folders()).toEqual(before);
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
});
