import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const BENCH = fileURLToPath(new URL('../bench/plan-kill.mjs', import.meta.url));

it('reloads a plan, its counters and its archive after kill -9 at any instant, and completes', {
  timeout: 300_000,
}, async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [BENCH, '--times', '6']);
  expect(stderr).toBe('');
  expect(stdout).toContain('6 kills, 1 runs to the end');
});
