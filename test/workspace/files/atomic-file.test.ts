// A file that is written appears whole, once, under its own name, or not at all, and nothing else is ever left.

import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AtomicFile } from '../../../src/workspace/files/writing.ts';
import { Root } from '../../../src/workspace/paths/root.ts';
import type { WriteOptions, Written } from '../../../src/workspace/workspace.ts';

let base: string;
let roots: Record<'beside' | 'staged' | 'unsafe', Root>;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lectern-atomic-'));
  const below = ['workspaces', 'u', 's'];
  const stored = join(base, 'data');
  mkdirSync(join(base, 'beside'));
  mkdirSync(join(base, 'unsafe'));
  roots = {
    beside: new Root({ base: join(base, 'beside') }),
    staged: new Root({ base: stored, below, staging: ['workspaces', '_staging', 'u', 's'] }),
    unsafe: new Root({ base: join(base, 'unsafe'), raceSafe: false }),
  };
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

const FOLDERS = { beside: 'beside', staged: 'data/workspaces/u/s', unsafe: 'unsafe' };

async function write(root: Root, path: string, content: string, options?: WriteOptions): Promise<Written> {
  const file = await root.createFile(path, options);
  await file.write(Buffer.from(content));
  return file.commit();
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe.each(['beside', 'staged', 'unsafe'] as const)('a file written %s', (kind) => {
  let root: Root;
  const at = (...names: string[]): string => join(base, FOLDERS[kind], ...names);
  const left = (): string[] =>
    [at(), join(base, 'data/workspaces/_staging/u/s')].flatMap((folder) =>
      existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : [],
    );
  beforeEach(() => {
    root = roots[kind];
  });

  it('is created with its parent folders', async () => {
    const file = await root.createFile('x/y/z.txt');
    await file.write(Buffer.from('one '));
    expect(existsSync(at('x'))).toBe(false);
    await file.write(Buffer.from('two'));
    expect(await file.commit()).toEqual({
      path: 'x/y/z.txt',
      mounted: '/workspace/x/y/z.txt',
      bytes: 7,
      sha256: sha256('one two'),
      replaced: false,
    });
    await file.discard();
    expect(readFileSync(at('x/y/z.txt'), 'utf8')).toBe('one two');
    expect(left().sort()).toEqual(['x', 'x/y', 'x/y/z.txt']);
  });

  it('replaces another only on request', async () => {
    await write(root, 'a', 'one');
    chmodSync(at('a'), 0o755);
    await expect(write(root, 'a', 'two')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    expect(readFileSync(at('a'), 'utf8')).toBe('one');
    expect(await write(root, 'a', 'two', { overwrite: true })).toMatchObject({ replaced: true });
    expect(readFileSync(at('a'), 'utf8')).toBe('two');
    expect(statSync(at('a')).mode & 0o777).toBe(0o755);
    expect(left()).toEqual(['a']);
  });

  it('replaces the expected content', async () => {
    await write(root, 'a', 'one');
    const ifSha256 = sha256('one');
    await write(root, 'a', 'two', { ifSha256 });
    await expect(write(root, 'a', 'three', { ifSha256 })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(write(root, 'b', 'three', { ifSha256 })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(readFileSync(at('a'), 'utf8')).toBe('two');
    expect(left()).toEqual(['a']);
  });

  it('loses no concurrent change between the comparison and the replacement', async () => {
    await write(root, 'n', '0');
    const increment = async (): Promise<void> => {
      for (;;) {
        const { handle } = await root.openFile('n');
        const before = (await handle.readFile()).toString();
        await handle.close();
        try {
          await write(root, 'n', String(Number(before) + 1), { ifSha256: sha256(before) });
          return;
        } catch (error) {
          expect(error).toMatchObject({ code: 'CONFLICT' });
        }
      }
    };
    await Promise.all(Array.from({ length: 12 }, increment));
    expect(readFileSync(at('n'), 'utf8')).toBe('12');
    expect(left()).toEqual(['n']);
  });

  it('is absent if it is discarded, or if another was first', async () => {
    const [one, two, three]: AtomicFile[] = [
      await root.createFile('f/g'),
      await root.createFile('f/g'),
      await root.createFile('f/g/h'),
    ];
    await one?.write(Buffer.from('one'));
    await two?.write(Buffer.from('two'));
    await one?.commit();
    await expect(two?.commit()).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    await two?.discard();
    await expect(three?.commit()).rejects.toMatchObject({ code: 'NOT_A_FOLDER' });
    const gone = await root.createFile('k/l/m');
    await gone.write(Buffer.from('x'));
    await gone.discard();
    await expect(gone.commit()).rejects.toThrow();
    expect(left().sort()).toEqual(['f', 'f/g']);
    expect(readFileSync(at('f/g'), 'utf8')).toBe('one');
  });

  it('can be read back, and be published under another name if its own is taken', async () => {
    const file = await root.createFile('f/g');
    await file.write(Buffer.from('0123456789'));
    await write(root, 'f/g', 'first');
    await expect(file.commit()).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    const target = new Uint8Array(4);
    expect(await file.readBack(target, 3)).toBe(4);
    expect(Buffer.from(target).toString()).toBe('3456');
    expect(await file.readBack(target, 10)).toBe(0);
    await file.write(Buffer.from('+'));
    expect(await file.commit('f/h')).toMatchObject({ path: 'f/h', bytes: 11, sha256: sha256('0123456789+') });
    expect(readFileSync(at('f/h'), 'utf8')).toBe('0123456789+');
    expect(left().sort()).toEqual(['f', 'f/g', 'f/h']);
  });

  it('is absent if it is cancelled', async () => {
    const controller = new AbortController();
    const file = await root.createFile('a/b', { signal: controller.signal });
    await file.write(Buffer.from('x'));
    controller.abort();
    await expect(file.write(Buffer.from('y'))).rejects.toMatchObject({ code: 'ABORTED' });
    const other = await root.createFile('a/b');
    await other.discard();
    expect(left()).toEqual([]);
  });

  it('is hidden from the workspace until it is published', async () => {
    const file = await root.createFile('a');
    const [hidden] = left();
    expect(hidden).toMatch(/^\.lectern-/);
    await expect(root.openFile(hidden ?? '')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(root.createFile(hidden ?? '')).rejects.toMatchObject({ code: 'BAD_INPUT' });
    const folder = await root.openFolder('');
    for await (const entry of folder.entries()) expect(entry.shown).toBe('nothing');
    await folder.close();
    await file.discard();
  });

  it('rejects a target that is not a file', async () => {
    await write(root, 'd/f', '');
    await expect(write(root, '', 'x')).rejects.toMatchObject({ code: 'NOT_A_FILE' });
    await expect(write(root, 'd', 'x', { overwrite: true })).rejects.toMatchObject({ code: 'NOT_A_FILE' });
    await expect(write(root, 'd/f/g', 'x')).rejects.toMatchObject({ code: 'NOT_A_FOLDER' });
    await expect(write(root, '../x', 'x')).rejects.toMatchObject({ code: 'PATH_ESCAPES_WORKSPACE' });
    expect(left().sort()).toEqual(['d', 'd/f']);
  });

  it('lets the next writer clean up after a killed one', async () => {
    await write(root, 'a', '');
    const where = kind === 'staged' ? join(base, 'data/workspaces/_staging/u/s') : at();
    const old = join(where, '.lectern-0-1-0-aaaa.tmp');
    const young = join(where, '.lectern-0-1-0-bbbb.tmp');
    writeFileSync(old, '');
    writeFileSync(young, '');
    utimesSync(old, 1, 1);
    mkdirSync(at('sub'));
    const again = new Root({ base: at() });
    if (kind !== 'staged') {
      // This folder was swept a moment ago; one that is new to the process is swept at once.
      writeFileSync(at('sub/.lectern-0-1-0-cccc.tmp'), '');
      utimesSync(at('sub/.lectern-0-1-0-cccc.tmp'), 1, 1);
      await write(again, 'sub/b', '');
      expect(readdirSync(at('sub'))).toEqual(['b']);
    }
    expect(existsSync(young)).toBe(true);
  });
});

describe('links', () => {
  it('are followed for writing inside the workspace and never out of it', async () => {
    const { beside } = roots;
    const at = (name: string): string => join(base, 'beside', name);
    mkdirSync(at('d'));
    writeFileSync(join(base, 'secret'), 'SECRET');
    symlinkSync('d/f', at('in'));
    symlinkSync('../secret', at('out'));
    symlinkSync('../new', at('dangling'));
    symlinkSync('..', at('above'));
    await write(beside, 'in', 'one');
    expect(await write(beside, 'in', 'two', { overwrite: true })).toMatchObject({ path: 'in' });
    expect(readFileSync(at('d/f'), 'utf8')).toBe('two');
    for (const path of ['out', 'dangling', 'above/x'])
      await expect(write(beside, path, 'x', { overwrite: true })).rejects.toMatchObject({
        code: 'PATH_ESCAPES_WORKSPACE',
      });
    expect(readFileSync(join(base, 'secret'), 'utf8')).toBe('SECRET');
    expect(readdirSync(base).sort()).toEqual(['beside', 'secret', 'unsafe']);
  });

  it('are rejected if they cannot be followed safely', async () => {
    const { unsafe } = roots;
    writeFileSync(join(base, 'unsafe/f'), '');
    symlinkSync('f', join(base, 'unsafe/l'));
    await expect(unsafe.openFile('l')).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await expect(write(unsafe, 'l', '', { overwrite: true })).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
    });
  });
});
