import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { draws } from '../../support/draws.ts';
import { emptyPostgres, NO_POSTGRES } from '../../support/servers.ts';

// Starts and kills processes.
vi.setConfig({ testTimeout: 180_000 });

const PROGRAM: string = fileURLToPath(new URL('../../bench/jobs-kill.mjs', import.meta.url));

const TIMES = draws(5, 2);

test('a service that is killed at random instants loses no accepted job and ends each once', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, '--times', String(TIMES)]);
  expect(stdout).toContain(`${TIMES} kills with SIGKILL`);
  expect(stdout).toMatch(/files without a job 0, files left after expiry 0, integrity_check ok\nno problems/);
});

test.skipIf(NO_POSTGRES)(
  'nodes on PostgreSQL of which one is killed again and again do the same',
  async () => {
    const options = ['--times', String(TIMES), '--nodes', '3', '--database', await emptyPostgres()];
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...options]);
    expect(stdout).toMatch(
      /files without a job 0, files left after expiry 0, integrity_check ok\nno problems/,
    );
  },
);
