// A child that the kernel or an operator ends: the file is not blamed, and is read once more.

import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Child } from '../../src/isolation/child.ts';
import { createPool, type Pool, runTask } from '../../src/isolation/index.ts';
import { createReaderOf } from '../../src/reader/reader.ts';
import { MOCK } from './mock-processor.mjs';
import { type Call, type Switchboard, switchboard } from './switchboard.ts';

const CHILD = fileURLToPath(new URL('mock-child.mjs', import.meta.url));
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  for (const each of open.splice(0).reverse()) await each.close();
});

function poolOf(cpuSeconds = 120): Pool {
  const limits = { memoryBytes: 1_500_000 * 1024, cpuSeconds };
  const pool = createPool({
    program: { file: CHILD, limits },
    size: 1,
    maxQueued: 10,
    maxMilliseconds: 60_000,
  });
  open.push(pool);
  return pool;
}

async function calls(onCall: (call: Call) => void): Promise<Switchboard> {
  const board = await switchboard(onCall);
  open.push(board);
  return board;
}

const file = (...steps: string[]) => ({ name: 'a.mock', bytes: Buffer.from(steps.join('\n')) });
const OUTSIDE = {
  code: 'CRASHED',
  message: expect.stringContaining('killed from outside'),
  hint: expect.stringContaining('`maxProcesses`'),
};

describe('a child that is killed from outside', () => {
  it.each(['SIGKILL', 'SIGTERM', 'SIGHUP'] as const)('by %s is followed by another', async (signal) => {
    const pids: number[] = [];
    const { step } = await calls(({ pid, answer }) => {
      pids.push(pid);
      if (pids.length === 1) process.kill(pid, signal);
      else answer();
    });
    const pool = poolOf();
    const reader = createReaderOf([MOCK], { pool });
    expect(await reader.read(file(step, 'text fine'))).toMatchObject({ success: true, text: 'fine\n' });
    expect(new Set(pids).size).toBe(2);
    expect(pool.status).toMatchObject({ busy: 0, ended: { KILLED: 1, OUT_OF_MEMORY: 0, CRASHED: 0 } });
  });

  it('fails the second time, and the content is never refused', async () => {
    let count = 0;
    const { step } = await calls(({ pid, answer }) => {
      count += 1;
      if (count <= 6) process.kill(pid, 'SIGKILL');
      else answer();
    });
    const pool = poolOf();
    const reader = createReaderOf([MOCK], { pool });
    const asked = file(step, 'text fine');
    for (let turn = 0; turn < 3; turn += 1)
      expect(await reader.read(asked)).toMatchObject({ success: false, error: OUTSIDE });
    expect(await reader.read(asked)).toMatchObject({ success: true });
    expect(pool.status.ended).toMatchObject({ KILLED: 6, CRASHED: 0, OUT_OF_MEMORY: 0 });
  });

  it('leaves what was read before, and is not tried again', async () => {
    let count = 0;
    const { step } = await calls(({ pid }) => {
      count += 1;
      process.kill(pid, 'SIGKILL');
    });
    const answer = await createReaderOf([MOCK], { pool: poolOf() }).read(file('text one', step, 'text two'));
    expect(answer).toMatchObject({
      success: true,
      truncation: { shown: [{ unit: 'line', from: 1, to: 1 }] },
      warnings: expect.arrayContaining([
        expect.objectContaining({
          code: 'INTERRUPTED',
          message: expect.stringContaining('killed from outside'),
        }),
      ]),
    });
    expect(count).toBe(1);
  });

  it('does not repeat a stream', async () => {
    const { step } = await calls(({ pid }) => process.kill(pid, 'SIGKILL'));
    const parts = createReaderOf([MOCK], { pool: poolOf() }).stream(file('text one', step));
    const texts: string[] = [];
    const all = async (): Promise<void> => {
      for await (const part of parts) if (part.kind === 'text') texts.push(part.text);
    };
    await expect(all()).rejects.toMatchObject(OUTSIDE);
    expect(texts).toEqual(['one\n']);
  });

  it('is a fault of the content when it held much of its memory', async () => {
    const pids = new Set<number>();
    const { step } = await calls(({ pid }) => pids.add(pid));
    const { usage } = Child.prototype;
    vi.spyOn(Child.prototype, 'usage').mockImplementation(function (this: Child) {
      const seen = usage.call(this);
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      return seen;
    });
    const reader = createReaderOf([MOCK], { pool: poolOf() });
    expect(await reader.read(file('hold', step))).toMatchObject({
      success: false,
      error: { code: 'OUT_OF_MEMORY' },
    });
    expect(pids.size).toBe(1);
  });

  it('ended by its limit of CPU time is late', async () => {
    const pool = poolOf(1);
    const answer = await createReaderOf([MOCK], { pool }).read(file('spin'));
    expect(answer).toMatchObject({ success: false, error: { code: 'TIMED_OUT' } });
  });

  it('does a task again', async () => {
    const pids: number[] = [];
    const { step } = await calls(({ pid, answer }) => {
      pids.push(pid);
      if (pids.length === 1) process.kill(pid, 'SIGKILL');
      else answer();
    });
    const request = { name: 'call', input: step.slice('call '.length), user: 'ana' };
    const done = runTask(poolOf(), { ...request, signal: new AbortController().signal });
    await expect(done).resolves.toMatchObject({ output: 'called' });
    expect(new Set(pids).size).toBe(2);
  });
});
