// Where the hosts are not installed, the tests inside them are reported as skipped instead of missing.

import { readdirSync } from 'node:fs';
import { test } from 'vitest';

const files = readdirSync(import.meta.dirname).filter(
  (name) => name.endsWith('.test.ts') && name !== 'not-installed.test.ts',
);

for (const file of files)
  test.skip(`test/hosts/${file} (run \`npm ci --prefix test/hosts --ignore-scripts\`)`);
