// The lint rule that keeps numbers of open files with their owners: it finds every way of passing one on.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const BIOME = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
const REFUSED = [
  "createReadStream('', { fd: file.fd, autoClose: false });",
  "createReadStream('', { fd: number });",
  "createReadStream('', { fd });",
  "spawn('program', { stdio: ['pipe', file.fd] });",
  'const { fd } = file;',
  'const { fd: number } = file;',
  'const numbers = files.map(({ fd }) => fd);',
  "import { closeSync } from 'node:fs';",
  "import { createReadStream as stream, readFileSync } from 'node:fs';",
  "import { readFileSync, open } from 'node:fs';",
  "import * as fs from 'node:fs';",
  "import fs from 'node:fs';",
];
const ACCEPTED = [
  "import { constants, readFileSync } from 'node:fs';",
  "import { open } from 'node:fs/promises';",
  'new Socket({ fd: 3 });',
  'file.createReadStream({ start: 0 });',
];

it('refuses to pass on the number of an open file', () => {
  const root = mkdtempSync(join(tmpdir(), 'lectern-lint-'));
  try {
    const { overrides } = JSON.parse(readFileSync('.biome.json', 'utf8'));
    const [rule] = overrides.filter((one: object) => 'plugins' in one);
    const plugins = rule.plugins.map((one: string) => resolve(one));
    writeFileSync(join(root, 'biome.json'), JSON.stringify({ overrides: [{ ...rule, plugins }] }));
    for (const folder of ['src/query', 'src/disk']) mkdirSync(join(root, folder), { recursive: true });
    const codes = [...REFUSED, ...ACCEPTED];
    for (const [at, code] of codes.entries()) writeFileSync(join(root, `src/query/${at}.ts`), code);
    writeFileSync(join(root, 'src/disk/owner.ts'), "import { closeSync } from 'node:fs';");
    const options = ['lint', '--only=plugin', '--max-diagnostics=none', '--reporter=github', '.'];
    const { stdout } = spawnSync(process.execPath, [BIOME, ...options], { cwd: root, encoding: 'utf8' });
    const found = new Set([...stdout.matchAll(/src\/query\/(\d+)\.ts/g)].map(([, at]) => codes[Number(at)]));
    expect(codes.filter((code) => found.has(code))).toEqual(REFUSED);
    expect(stdout).not.toContain('owner.ts');
  } finally {
    rmSync(root, { recursive: true });
  }
});
