// The committed kernel is what its source compiles to.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

it('is committed as compiled; after a change to its source, run `npm run kernel`', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-kernel-'));
  const compiled = join(folder, 'kernel.generated.ts');
  await promisify(execFile)(process.execPath, [at('build-kernel.mjs'), compiled]);
  const text = await readFile(compiled, 'utf8');
  await rm(folder, { recursive: true });
  expect(await readFile(at('../../../src/scan/kernel.generated.ts'), 'utf8')).toBe(text);
}, 120_000);
