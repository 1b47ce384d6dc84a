// Where there are no real files, the tests over them are reported as skipped instead of missing.

import { readdirSync } from 'node:fs';
import { test } from 'vitest';

const files = readdirSync(import.meta.dirname).filter(
  (name) => name.endsWith('.test.ts') && name !== 'not-run.test.ts',
);

for (const file of files) test.skip(`test/corpus/${file} (set LECTERN_CORPUS to a folder of real files)`);
