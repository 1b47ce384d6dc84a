import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Directory, opensByDescriptor } from '../../src/disk/index.ts';

it.runIf(opensByDescriptor())('reads at once only regular files that fit', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-'));
  writeFileSync(join(folder, 'file'), 'text');
  writeFileSync(join(folder, 'large'), 'x'.repeat(100));
  writeFileSync(join(folder, 'empty'), '');
  mkdirSync(join(folder, 'folder'));
  symlinkSync('file', join(folder, 'link'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const directory = await Directory.open(folder, true);
  const peek = async (name: string): Promise<string | undefined> =>
    (await directory.peek(Buffer.from(name), Buffer.alloc(64)))?.toString();
  const names = ['large', 'empty', 'folder', 'link', 'pipe', 'missing'];
  expect(await Promise.all(names.map(peek))).toEqual(names.map(() => undefined));
  // On a file system that is not known to be this machine's, nothing is.
  expect([undefined, 'text']).toContain(await peek('file'));
  directory.close();
  expect(await peek('file')).toBeUndefined();
});
