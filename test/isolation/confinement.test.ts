// A system without `unshare` and `setpriv`: files are read all the same, and the status says what is missing.

import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('reads without `unshare` and `setpriv`', async () => {
  vi.stubEnv('PATH', '/missing');
  const { confinement, createPool, runTask } = await import('../../src/isolation/index.ts');
  expect(await confinement()).toEqual({ wrapper: [], network: 'available' });
  const pool = createPool({
    program: {
      file: fileURLToPath(new URL('mock-child.mjs', import.meta.url)),
      limits: { memoryBytes: 1_500_000 * 1024, cpuSeconds: 120 },
    },
    size: 1,
    maxQueued: 1,
    maxMilliseconds: 60_000,
  });
  const { signal } = new AbortController();
  const { output } = await runTask(pool, { name: 'state', input: null, user: '', signal });
  expect(output).toMatchObject({ pid: expect.any(Number) });
  expect(pool.status.network).toBe('available');
  await pool.close();
});
