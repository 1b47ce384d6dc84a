// A process that is killed with SIGKILL while its child works: the child ends with it, and the next pool tidies up.

import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { confinement, createPool } from '../../src/isolation/index.ts';
import { createReaderOf } from '../../src/reader/reader.ts';
import { MOCK } from './mock-processor.mjs';
import { switchboard } from './switchboard.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const foldersOf = (pid: number): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('lectern-child-') && name.includes(`--${pid}--`));

it('ends the child, and its folder is removed by the next pool', async () => {
  const { wrapper } = await confinement();
  // Without `setpriv` only a child that reads its channel notices.
  const busy = wrapper.includes('setpriv') ? 'spin' : 'hang';
  const board = await switchboard();
  const owner = spawn(process.execPath, [here('owner.mjs'), board.step, busy], { stdio: 'ignore' });
  const ended = new Promise((resolve) => owner.once('exit', resolve));
  const { answer, gone } = await board.first;
  answer();
  const left = foldersOf(owner.pid ?? 0);
  expect(left).not.toEqual([]);
  owner.kill('SIGKILL');
  await ended;
  await gone;
  expect(foldersOf(owner.pid ?? 0)).toEqual(left);

  const pool = createPool({
    program: { file: here('mock-child.mjs'), limits: { memoryBytes: 1_500_000 * 1024, cpuSeconds: 120 } },
    size: 1,
    maxQueued: 1,
    maxMilliseconds: 60_000,
  });
  const reader = createReaderOf([MOCK], { pool });
  await reader.read({ name: 'a.mock', bytes: Buffer.from('text fine') });
  await pool.close();
  expect(foldersOf(owner.pid ?? 0)).toEqual([]);
  await board.close();
});
