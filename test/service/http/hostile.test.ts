import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { SERVICE_CASES } from '../../hostile/service/cases.mjs';
import { runServiceCases } from '../../hostile/service/table.mjs';
import { someOf } from '../../support/draws.ts';

// Starts and kills processes.
vi.setConfig({ testTimeout: 180_000 });

/** `npm run hostile -- --service` has more of them, and ten thousand. */
const IDLE_CONNECTIONS = 300;

it('answers hostile clients correctly, and is unaffected afterwards', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lectern-hostile-'));
  const cases = someOf(SERVICE_CASES.filter(({ heavy }) => heavy !== true));
  const missed: string[] = [];
  let count = 0;
  try {
    for await (const { name, outcome, faults } of runServiceCases(cases, {
      dataDir,
      idle: IDLE_CONNECTIONS,
    })) {
      count += 1;
      if (faults.length > 0) missed.push(`${name}: ${outcome}; ${faults.join('; ')}`);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  expect(missed).toEqual([]);
  expect(count).toBe(cases.length);
  expect(count).toBeGreaterThan(20);
});
