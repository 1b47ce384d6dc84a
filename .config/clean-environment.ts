// Keeps settings and caches of the machine out of the tests.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  HISTORY_LIMIT_DEFINITIONS,
  ISOLATION_LIMIT_DEFINITIONS,
  LIMIT_DEFINITIONS,
  WORKSPACE_LIMIT_DEFINITIONS,
} from '../src/limits/index.ts';

/** Run by vitest once, before all tests; what it gives is run after them. */
export default function setup(): () => void {
  for (const definitions of [
    LIMIT_DEFINITIONS,
    WORKSPACE_LIMIT_DEFINITIONS,
    HISTORY_LIMIT_DEFINITIONS,
    ISOLATION_LIMIT_DEFINITIONS,
  ])
    for (const { variable, alias } of definitions) {
      delete process.env[variable];
      if (alias !== undefined) delete process.env[alias];
    }
  delete process.env['LECTERN_DATA_DIR'];
  delete process.env['DATA_DIR'];
  const caches = mkdtempSync(join(tmpdir(), 'lectern-caches-'));
  process.env['XDG_CACHE_HOME'] = caches;
  return () => rmSync(caches, { recursive: true, force: true });
}
