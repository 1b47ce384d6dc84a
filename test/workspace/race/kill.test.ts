// A process that is killed while it writes leaves whole files or none.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { draws } from '../../support/draws.ts';
import { killWriters } from './kill.mjs';

// Starts and kills processes.
vi.setConfig({ testTimeout: 180_000 });

const ROUNDS = draws(20, 6);

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'lectern-kill-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

it('shows whole files alone when its writers are killed, and the next write clears away what they left', async () => {
  const { whole, broken, other, leftAfter } = await killWriters(dataDir, ROUNDS);
  expect({ broken, other, leftAfter }).toEqual({ broken: 0, other: [], leftAfter: 0 });
  expect(whole).toBeGreaterThanOrEqual(ROUNDS);
});
