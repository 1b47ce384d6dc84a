// Where the packages of this folder are not installed, its tests are reported as skipped instead of missing.

import { readdirSync } from 'node:fs';
import { test } from 'vitest';

// Without packages, the folder has nothing but its own files.
const files = readdirSync(import.meta.dirname, { encoding: 'utf8', recursive: true }).filter(
  (name) => name.endsWith('.test.ts') && name !== 'not-installed.test.ts',
);

for (const file of files)
  test.skip(`test/integrations/${file} (run \`npm ci --prefix test/integrations --ignore-scripts\`)`);
