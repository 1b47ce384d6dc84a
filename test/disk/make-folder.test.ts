import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../../src/disk/index.ts';
import { createDiskCache, createWorkspace } from '../../src/index.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-folder-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('a folder', () => {
  test('is made with those above it, and left as it is where it exists', async () => {
    const path = join(folder, 'a', 'b', 'c');
    await makeFolder(path, 0o700);
    await makeFolder(path, 0o755);
    for (const made of [path, join(folder, 'a')]) expect((await stat(made)).mode & 0o777).toBe(0o700);
  });

  test('is refused below a file', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(makeFolder(join(folder, 'file', 'x', 'y'), 0o700)).rejects.toMatchObject({
      code: 'ENOTDIR',
    });
  });

  test('is refused where a file system makes none and calls it missing', async () => {
    // Such a file system is not everywhere: a name below a file is refused as well.
    const nowhere = existsSync('/proc/self') ? '/proc/lectern/x' : join(folder, 'file', 'x');
    await expect(makeFolder(nowhere, 0o700)).rejects.toMatchObject({
      code: expect.stringMatching(/ENOENT|ENOTDIR/),
    });
    const workspace = createWorkspace({ dataDir: nowhere, user: 'ada', session: 'one' });
    await expect(workspace.write('a.txt', 'text')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    const cache = createDiskCache({ directory: nowhere });
    await cache.put('0'.repeat(64), new Uint8Array(3));
    expect((await cache.stats()).problem).toBeDefined();
  });
});
