// What goes wrong around a read rather than in it: a process that cannot be started, aborts and closing at
// any moment. Each leaves the pool whole, and nothing behind.

import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPool, type Pool, type PoolOptions } from '../../src/isolation/index.ts';
import { createReaderOf } from '../../src/reader/reader.ts';
import { draws } from '../support/draws.ts';
import { MOCK } from './mock-processor.mjs';
import { switchboard } from './switchboard.ts';

const shell = vi.hoisted(() => ({ missing: false }));
vi.mock('node:child_process', async (original) => {
  const real = await original<typeof import('node:child_process')>();
  return {
    ...real,
    spawn: (command: string, given: string[], options: object) =>
      real.spawn(shell.missing ? '/missing/sh' : command, given, options),
  };
});

const OPTIONS: PoolOptions = {
  program: {
    file: fileURLToPath(new URL('mock-child.mjs', import.meta.url)),
    limits: { memoryBytes: 1_500_000 * 1024, cpuSeconds: 120 },
  },
  size: 2,
  maxQueued: 10,
  maxMilliseconds: 60_000,
};
const file = (...steps: string[]) => ({ name: 'a.mock', bytes: Buffer.from(steps.join('\n')) });
const folders = (): string[] =>
  readdirSync(tmpdir()).filter(
    (name) => name.startsWith('lectern-child-') && name.includes(`--${process.pid}--`),
  );
const descriptors = (): number => readdirSync('/proc/self/fd').length;

const pools: Pool[] = [];
function poolOf(options: Partial<PoolOptions> = {}): Pool {
  const pool = createPool({ ...OPTIONS, ...options });
  pools.push(pool);
  return pool;
}
afterEach(async () => {
  shell.missing = false;
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

describe('a process that cannot be started', () => {
  it('fails the read with what is missing, and the pool reads on', async () => {
    const pool = poolOf({ size: 1 });
    const reader = createReaderOf([MOCK], { pool });
    shell.missing = true;
    for (let turn = 0; turn < 3; turn += 1)
      expect(await reader.read(file('text fine'))).toMatchObject({
        success: false,
        error: { code: 'MISSING_DEPENDENCY', message: expect.stringContaining('`ENOENT`') },
      });
    expect(pool.status).toMatchObject({ busy: 0, queued: 0, ended: { CRASHED: 0, KILLED: 0 } });
    expect(folders()).toEqual([]);
    shell.missing = false;
    expect(await reader.read(file('text fine'))).toMatchObject({ success: true });
  });
});

/** Two moments in the child at which a test can act. */
const STEPS = ['text one', 'text two'] as const;

describe('at any moment', () => {
  it('an abort ends its own read only, and leaves nothing', async () => {
    const before = descriptors();
    let happened = 0;
    let aborts: { readonly at: number; readonly controller: AbortController }[] = [];
    const due = (): void => {
      for (const { at, controller } of aborts) if (at === happened) controller.abort();
      happened += 1;
    };
    const board = await switchboard(({ answer }) => {
      due();
      answer();
    });
    const pool = poolOf();
    const reader = createReaderOf([MOCK], { pool });
    const steps = STEPS.flatMap((text) => [board.step, text]);
    // At most four reads of two calls each; 0 is before the first, and the last few never come.
    const moments = fc.array(fc.nat({ max: 10 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(moments, async (all) => {
        happened = 0;
        aborts = all.map((at) => ({ at, controller: new AbortController() }));
        const reads = aborts.map(({ controller }) =>
          reader.read(file(...steps), { signal: controller.signal }),
        );
        due();
        for (const [index, answer] of (await Promise.all(reads)).entries()) {
          if (answer.success) expect(answer.text).toBe('one\ntwo\n');
          else expect(answer.error.code).toBe('ABORTED');
          if (!aborts[index]?.controller.signal.aborted) expect(answer.success).toBe(true);
        }
        expect(pool.status).toMatchObject({ busy: 0, queued: 0, ended: { CRASHED: 0, KILLED: 0 } });
      }),
      { numRuns: draws(25) },
    );
    expect(await reader.read(file('text fine'))).toMatchObject({ success: true });
    await pool.close();
    await board.close();
    expect(folders()).toEqual([]);
    expect(descriptors()).toBeLessThanOrEqual(before);
  });

  it.each([0, 1, 2, 3, 4])('closing the pool ends every read, after %i events', async (moment) => {
    let happened = 0;
    const pool = poolOf();
    let closing: Promise<void> | undefined;
    const due = (): void => {
      if (happened === moment) closing = pool.close();
      happened += 1;
    };
    const board = await switchboard(({ answer }) => {
      due();
      answer();
    });
    const reader = createReaderOf([MOCK], { pool });
    const steps = STEPS.flatMap((text) => [board.step, text]);
    const reads = [1, 2, 3].map(() => reader.read(file(...steps)));
    due();
    for (const answer of await Promise.all(reads))
      if (!answer.success) expect(['BUSY', 'CRASHED']).toContain(answer.error.code);
    await closing;
    expect(pool.status).toMatchObject({ busy: 0, idle: 0, queued: 0 });
    expect(folders()).toEqual([]);
    await board.close();
  });
});
