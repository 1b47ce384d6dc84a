// Where paths lead on a real file system: links, folders, odd names and odd things, and that nothing stays open.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReaderError } from '../../../src/contract/index.ts';
import type { FolderEntry } from '../../../src/workspace/paths/folder.ts';
import { Root } from '../../../src/workspace/paths/root.ts';

// Works through large and hostile files.
vi.setConfig({ testTimeout: 180_000 });

let base: string;
let root: Root;
const at = (...names: string[]): string => join(base, 'w', ...names);

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'lectern-root-'));
  mkdirSync(at('a/b'), { recursive: true });
  mkdirSync(at('c'));
  mkdirSync(at('..foo'));
  mkdirSync(join(base, 'out'));
  mkdirSync(join(base, 'w2'));
  writeFileSync(join(base, 'out/s'), 'SECRET');
  writeFileSync(join(base, 'w2/f'), 'SECRET');
  writeFileSync(at('a/b/f'), 'f');
  writeFileSync(at('c/g'), 'g');
  writeFileSync(at('..foo/x'), 'x');
  const links = {
    'a/b/in1': 'f',
    'a/b/in2': '../../c/g',
    abs: '/workspace/c/g',
    abs3: '/./workspace//c/./g',
    self: '/workspace',
    dl: 'a/b',
    up: 'a/b/..',
    etc: '/etc/passwd',
    etcdir: '/etc',
    esc: '../out/s',
    esc2: '../../../../../etc/passwd',
    pre: '/workspacex/y',
    abs2: '/workspace/../etc/passwd',
    escdir: '../out',
    twin: '../w2/f',
    l1: 'l2',
    l2: 'l1',
    dangling: 'nothing/here',
    zero: '/dev/zero',
    environ: '/proc/self/environ',
    kcore: '/proc/kcore',
    magic: '/proc/self/cwd/package.json',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, at(name));
  mkdirSync(at('chain'));
  writeFileSync(at('chain/0'), 'end');
  for (let link = 1; link <= 41; link += 1) symlinkSync(String(link - 1), at(`chain/${link}`));
});

beforeEach(() => {
  root = new Root({ base: at() });
});

afterAll(() => {
  execFileSync('rm', ['-rf', base]); // Node's own way knows no path so long
});

async function read(path: string, from = root): Promise<string> {
  try {
    const { handle, name } = await from.openFile(path);
    try {
      expect(name.startsWith('/')).toBe(false);
      return (await handle.readFile()).toString();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!(error instanceof ReaderError)) throw error;
    expect(`${error.message} ${error.hint}`).not.toContain(base);
    return error.code;
  }
}

const openDescriptors = (): number => readdirSync('/proc/self/fd').length;

const OUTCOMES: readonly (readonly [path: string, outcome: string])[] = [
  ['a/b/f', 'f'],
  ['./a//b/./f', 'f'],
  ['a/../a/b/f', 'f'],
  ['/workspace/a/b/f', 'f'],
  ['//workspace/./a/b/f', 'f'],
  ['a/b/f/', 'f'],
  ['a/b/in1', 'f'],
  ['a/b/in2', 'g'],
  ['abs', 'g'],
  ['abs3', 'g'],
  ['self/self/abs', 'g'],
  ['dl/f', 'f'],
  ['dl/in2', 'g'],
  ['up/b/f', 'f'],
  ['..foo/x', 'x'],
  ['chain/40', 'end'],
  ['chain/41', 'NOT_A_FILE'],
  ['l1', 'NOT_A_FILE'],
  ['l1/x', 'NOT_A_FILE'],
  ['../out/s', 'PATH_ESCAPES_WORKSPACE'],
  ['../w/a/b/f', 'PATH_ESCAPES_WORKSPACE'],
  ['../w2/f', 'PATH_ESCAPES_WORKSPACE'],
  ['a/../../out/s', 'PATH_ESCAPES_WORKSPACE'],
  ['/etc/passwd', 'PATH_ESCAPES_WORKSPACE'],
  ['/', 'PATH_ESCAPES_WORKSPACE'],
  ['/workspace/../etc/passwd', 'PATH_ESCAPES_WORKSPACE'],
  ['/workspace/../workspace/a/b/f', 'PATH_ESCAPES_WORKSPACE'],
  ['/workspacex/f', 'PATH_ESCAPES_WORKSPACE'],
  ...[
    'etc',
    'etcdir/passwd',
    'esc',
    'esc2',
    'pre',
    'abs2',
    'escdir/s',
    'twin',
    'zero',
    'environ',
    'kcore',
  ].map((path) => [path, 'PATH_ESCAPES_WORKSPACE'] as const),
  ['magic', 'PATH_ESCAPES_WORKSPACE'],
  ['dangling', 'FILE_NOT_FOUND'],
  ['a/b/f/x', 'NOT_A_FOLDER'],
  ['', 'NOT_A_FILE'],
  ['.', 'NOT_A_FILE'],
  ['/workspace', 'NOT_A_FILE'],
  ['a', 'NOT_A_FILE'],
  ['a/b/..', 'NOT_A_FILE'],
  ['a\0b', 'BAD_INPUT'],
  ['\ud800', 'BAD_INPUT'],
  ['x'.repeat(256), 'BAD_INPUT'],
  ['é'.repeat(128), 'BAD_INPUT'],
  ['x'.repeat(255), 'FILE_NOT_FOUND'],
  ['x/'.repeat(16_385), 'BAD_INPUT'],
  ['%2e%2e%2fout', 'FILE_NOT_FOUND'],
  ['..%c0%af', 'FILE_NOT_FOUND'],
  ['....//', 'FILE_NOT_FOUND'],
  ['..\\..\\out\\s', 'FILE_NOT_FOUND'],
  ['file:///etc/passwd', 'FILE_NOT_FOUND'],
  ['http://127.0.0.1', 'FILE_NOT_FOUND'],
];

describe('a path', () => {
  it.each(OUTCOMES)('%j leads to %s', async (path, outcome) => {
    expect(await read(path)).toBe(outcome);
  });

  it('does not lead to a sibling root', async () => {
    expect(await read('f', new Root({ base: at('../w2') }))).toBe('SECRET'); // so that the refusals above say something
  });

  it('leaves no descriptor open', async () => {
    const before = openDescriptors();
    for (let round = 0; round < 20; round += 1) for (const [path] of OUTCOMES) await read(path);
    expect(openDescriptors()).toBe(before);
  });
});

describe('a missing name', () => {
  const put = (name: string | Buffer, content: string): void => {
    mkdirSync(at('names'), { recursive: true });
    writeFileSync(Buffer.concat([Buffer.from(`${at('names')}/`), Buffer.from(name)]), content);
  };
  beforeAll(() => {
    put('Shot at 10.30\u202fAM.png', 'blank');
    put('it\u2019s \u201cit\u201d.txt', 'quotes');
    put('cafe\u0301.txt', 'decomposed');
    put('twice a.txt', '');
    put('twice\u00a0b.txt', '');
    put('twice\u3000b.txt', '');
    put('report.txt', '');
    put('repart.txt', '');
    put(Buffer.from([0x6e, 0xff, 0x0a]), 'bytes');
    put('\\x41', 'literal');
  });

  it.each([
    ['Shot at 10.30 AM.png', 'blank'],
    ['it\'s "it".txt', 'quotes'],
    ['caf\u00e9.txt', 'decomposed'],
    ['twice b.txt', 'FILE_NOT_FOUND'],
    ['Report.txt', 'FILE_NOT_FOUND'],
    ['n\\xff\\u{a}', 'bytes'],
    ['n\\xff\\x0a', 'bytes'],
    ['\\x41', 'literal'],
    ['\\u{5c}x41', 'literal'],
  ])('resolves to the only similar name: %j', async (name, content) => {
    expect(await read(`names/${name}`)).toBe(content);
  });

  it('never resolves to another name for a write, move or removal', async () => {
    const file = await root.createFile('names/it\'s "it".txt');
    await file.discard();
    const exact = { end: 'entry', spelling: 'near' } as const;
    await expect(root.walk(['names', 'caf\u00e9.txt'], exact)).rejects.toMatchObject({
      near: ['names/cafe\u0301.txt'],
    });
  });

  it('suggests similar names, as usable paths', async () => {
    await expect(root.openFile('names/reprot.txt')).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
      hint: 'Did you mean `names/repart.txt` or `names/report.txt`?',
    });
    await expect(root.openFolder('nmes/x')).rejects.toMatchObject({ hint: 'Did you mean `names`?' });
  });

  it('is listed in a form that can be opened', async () => {
    const folder = await root.openFolder('names');
    const entries: FolderEntry[] = [];
    for await (const entry of folder.entries()) entries.push(entry);
    expect(entries.map(({ shown }) => shown)).toContain('n\\xff\\u{a}');
    for (const entry of entries) {
      const [one, other] = [await folder.openFile(entry), await root.openFile(`names/${entry.shown}`)];
      expect([one.stats.ino, one.name]).toEqual([other.stats.ino, other.name]);
      await one.handle.close();
      await other.handle.close();
    }
    await folder.close();
  });
});

describe('depth', () => {
  it('does not prevent writing and reading a path of 12000 bytes', async () => {
    const path = `${`${'d'.repeat(199)}/`.repeat(60)}end`;
    const before = openDescriptors();
    const file = await root.createFile(path);
    await file.write(Buffer.from('deep'));
    expect((await file.commit()).path).toBe(path);
    expect(await read(path)).toBe('deep');
    expect(openDescriptors()).toBe(before);
  });

  it('is limited for a path of folders only', async () => {
    expect(await read('x/'.repeat(3000))).toBe('FILE_NOT_FOUND');
    expect(await read(`${'self/'.repeat(41)}abs`)).toBe('NOT_A_FILE');
    symlinkSync('a/../'.repeat(700), at('long'));
    expect(await read('long/a/b/f')).toBe('f');
    expect(await read(`${'long/'.repeat(4)}a/b/f`)).toBe('BAD_INPUT');
  });
});
