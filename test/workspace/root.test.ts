// Where paths lead on a real file system: links, folders, odd names and odd things, and that nothing stays open.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/contract/index.ts';
import { ReaderError } from '../../src/contract/index.ts';
import { isRaceSafe } from '../../src/workspace/directory.ts';
import { Root } from '../../src/workspace/root.ts';

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
    esc2: '../../../../etc/passwd',
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
  rmSync(base, { recursive: true, force: true });
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
  ['a/b/f/x', 'FILE_NOT_FOUND'],
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

describe('a path leads', () => {
  it.each(OUTCOMES)('%j to %s', async (path, outcome) => {
    expect(await read(path)).toBe(outcome);
  });

  it('nowhere else when it is one of a sibling', async () => {
    expect(await read('f', new Root({ base: at('../w2') }))).toBe('SECRET'); // so that the refusals above say something
  });

  it('and leaves no descriptor open', async () => {
    const before = openDescriptors();
    for (let round = 0; round < 20; round += 1) for (const [path] of OUTCOMES) await read(path);
    expect(openDescriptors()).toBe(before);
  });
});
