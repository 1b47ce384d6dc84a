// Queries whose rows cannot be saved, asked of a real service beside other users.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { failingSaves } from '../../hostile/service/failing-saves.mjs';
import { runServiceCases } from '../../hostile/service/table.mjs';

// Starts a process for each query.
vi.setConfig({ testTimeout: 180_000 });

it('a save that is refused changes nothing of others', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lectern-saves-'));
  const saves = { name: 'saves', run: failingSaves(2), expect: /^6 saves, 0 wrong$/ };
  try {
    for await (const { outcome, faults } of runServiceCases([saves], { dataDir }))
      expect({ outcome, faults }).toEqual({ outcome: '6 saves, 0 wrong', faults: [] });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
