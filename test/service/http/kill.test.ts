import { execFileSync } from 'node:child_process';
import { expect, it, vi } from 'vitest';
import { draws } from '../../support/draws.ts';

// Starts and kills processes.
vi.setConfig({ testTimeout: 180_000 });

const TIMES = draws(4, 2);

it('keeps every file whole when the service is killed at random instants', () => {
  // Exits 1, which throws, when a file was lost or is half written.
  const printed = execFileSync(process.execPath, ['test/bench/service-kill.mjs', '--times', String(TIMES)], {
    encoding: 'utf8',
  });
  expect(printed).toMatch(new RegExp(`^${TIMES} kills .* database ok\\n$`));
});
