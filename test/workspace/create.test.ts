// What the operations of a workspace do to files and folders, and what they refuse.

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { closeFile } from '../../src/contract/index.ts';
import { createReader } from '../../src/index.ts';
import { createWorkspaceOf, pruneWorkspaces, type Workspace } from '../../src/workspace/index.ts';

// Works through large and hostile files.
vi.setConfig({ testTimeout: 180_000 });

let base: string;
let workspace: Workspace;
const at = (...names: string[]): string => join(base, 'workspaces/u/s', ...names);
const below = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String).sort();

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lectern-create-'));
  workspace = createWorkspaceOf({ dataDir: base, user: 'u', session: 's' });
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

describe('a workspace without files', () => {
  it('is empty, and reading it creates nothing', async () => {
    expect((await workspace.list()).entries).toEqual([]);
    expect((await workspace.glob('**')).entries).toEqual([]);
    expect((await workspace.search('x')).matches).toEqual([]);
    expect(await workspace.usage()).toEqual({ bytes: 0, files: 0 });
    expect(await workspace.kind('a')).toBeUndefined();
    for (const path of ['', '.', '/workspace']) {
      expect(await workspace.kind(path)).toBe('directory');
      expect(await workspace.stat(path)).toEqual({
        path: '',
        mounted: '/workspace',
        kind: 'directory',
        names: 1,
      });
    }
    expect(await workspace.prune()).toEqual({ removed: [] });
    for (const work of [
      () => workspace.open('a'),
      () => workspace.stat('a'),
      () => workspace.remove('a'),
      () => workspace.list('a'),
    ])
      await expect(work()).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    expect(below(base)).toEqual([]);
  });

  it('is created by the first write, private to its owner', async () => {
    await workspace.write('a', 'x');
    for (const folder of [at(), at('..'), at('../..')]) expect(statSync(folder).mode & 0o777).toBe(0o700);
    await expect(
      createWorkspaceOf({ dataDir: base, user: 'U', session: 's' }).write('a', 'x'),
    ).rejects.toMatchObject({ code: 'BAD_INPUT' });
    await expect(
      createWorkspaceOf({ dataDir: base, user: 'u', session: 'S' }).write('a', 'x'),
    ).rejects.toMatchObject({ code: 'BAD_INPUT' });
    expect(readdirSync(join(base, 'workspaces')).sort()).toEqual(['_staging', 'u']);
  });
});

describe('the host path of a plain root', () => {
  const plain = (root: string): Workspace => createWorkspaceOf({ root });

  it('is accepted as a prefix of paths, patterns and links, like the mount', async () => {
    const root = join(base, 'proj [1]');
    mkdirSync(join(root, 'a/b'), { recursive: true });
    writeFileSync(join(root, 'a/b/x.csv'), 'hit');
    symlinkSync(join(root, 'a/b'), join(root, 'in'));
    symlinkSync(root, join(root, 'self'));
    const own = plain(`${root}/../proj [1]/`);
    for (const path of [
      `${root}/a/b/x.csv`,
      `/${root}//a/./b/../b/x.csv`,
      'in/x.csv',
      `${root}/self/in/x.csv`,
    ]) {
      expect(await own.kind(path)).toBe('file');
      const file = await own.open(path);
      await closeFile(file);
      const { name } = file;
      expect(name.startsWith('/')).toBe(false);
    }
    expect(await own.stat(`${root}/a/b/x.csv`)).toMatchObject({
      path: 'a/b/x.csv',
      mounted: '/workspace/a/b/x.csv',
    });
    for (const path of [root, `${root}/`]) {
      expect(await own.stat(path)).toMatchObject({ path: '', kind: 'directory' });
      expect((await own.list(path)).entries.map((entry) => entry.path)).toEqual(['a', 'in', 'self']);
    }
    for (const pattern of [`${root}/**/*.csv`, `${root.replace(/[[\]]/g, '\\$&')}/a/**`])
      expect((await own.glob(pattern)).entries.map((entry) => entry.path)).toContain('a/b/x.csv');
    const found = await own.search('hit', { path: `${root}/a`, glob: `${root}/a/*/x.csv` });
    expect(found.matches.map(({ path }) => path)).toEqual(['a/b/x.csv']);
    expect(await own.write(`${root}/new/y`, 'y')).toMatchObject({ path: 'new/y' });
    await own.move(`${root}/new/y`, `${root}/new/z`);
    expect(readFileSync(join(root, 'new/z'), 'utf8')).toBe('y');
    await own.remove(`${root}/new/z`);
    expect(below(join(root, 'new'))).toEqual([]);
  });

  it('does not allow escapes', async () => {
    const root = join(base, 'proj');
    for (const folder of [root, `${root}2`]) {
      mkdirSync(folder);
      writeFileSync(join(folder, 's'), 'SECRET');
    }
    const links = { twin: `${root}2/s`, up: `${root}/../proj2/s`, above: base, etc: '/etc/passwd' };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
    const outside = [
      `${root}2/s`,
      `${root}/../proj2/s`,
      `${root}/..`,
      base,
      '/',
      '/etc/passwd',
      '/workspacex',
    ];
    for (const path of [...outside, ...Object.keys(links).map((name) => `${root}/${name}`)]) {
      await expect(plain(root).open(path)).rejects.toMatchObject({ code: 'PATH_ESCAPES_WORKSPACE' });
      await expect(plain(root).list(path)).rejects.toMatchObject({ code: 'PATH_ESCAPES_WORKSPACE' });
    }
    for (const pattern of [`${root}2/*`, `${root}/../*`, '/etc/*'])
      await expect(plain(root).glob(pattern)).rejects.toMatchObject({ code: 'PATH_ESCAPES_WORKSPACE' });
  });

  it('is replaced by the mount in answers', async () => {
    const root = join(base, 'proj');
    mkdirSync(join(root, 'proj'), { recursive: true });
    writeFileSync(join(root, 'proj/x'), 'x');
    const own = createWorkspaceOf({ root }, { mount: base });
    expect(await own.stat(`${base}/proj/x`)).toMatchObject({ path: 'proj/x', mounted: `${base}/proj/x` });
  });

  it('is rejected for a stored workspace', async () => {
    await workspace.write('a', 'x');
    symlinkSync(at('a'), at('link'));
    for (const path of [at('a'), at(), base, 'link'])
      await expect(workspace.open(path)).rejects.toMatchObject({ code: 'PATH_ESCAPES_WORKSPACE' });
    await expect(workspace.glob(`${at()}/*`)).rejects.toMatchObject({ code: 'PATH_ESCAPES_WORKSPACE' });
  });
});

it('does not create a plain root', async () => {
  const plain = createWorkspaceOf({ root: join(base, 'nothing') });
  for (const work of [
    () => plain.write('a', ''),
    () => plain.open('a'),
    () => plain.list(),
    () => plain.usage(),
  ])
    await expect(work()).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  expect(below(base)).toEqual([]);
});

describe('write', () => {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('on');
    yield Buffer.from('e');
  }

  it('accepts text, bytes and sources of bytes', async () => {
    const given = {
      text: 'one',
      bytes: Buffer.from('one'),
      blob: new Blob(['one']),
      web: new Blob(['one']).stream(),
      node: Readable.from([Buffer.from('on'), 'e']),
      iterable: pieces(),
    };
    for (const [name, content] of Object.entries(given)) {
      expect(await workspace.write(`d/${name}`, content)).toMatchObject({ bytes: 3, replaced: false });
      expect(readFileSync(at('d', name), 'utf8')).toBe('one');
    }
  });

  it('reports lost unpaired surrogates from any source', async () => {
    const notes = (texts: string): string[] => [
      `Unpaired surrogates, which UTF-8 cannot encode, are written as \`\ufffd\`: ${texts}.`,
    ];
    const half = `${'x'.repeat(200_000)}\ud800y\udc00`;
    expect(await workspace.write('half', half)).toMatchObject({ notes: notes('1 text') });
    expect(readFileSync(at('half'), 'utf8')).toBe(`${'x'.repeat(200_000)}\ufffdy\ufffd`);
    const pieces = Readable.from(['a\ud83d', '\ude00b', 'c\ud800']);
    expect(await workspace.write('pieces', pieces)).toMatchObject({ notes: notes('1 text') });
    expect(readFileSync(at('pieces'), 'utf8')).toBe('a\u{1f600}bc\ufffd');
    expect(await workspace.write('whole', 'a\u{1f600}')).not.toHaveProperty('notes');
  });

  it('splits text only between characters', async () => {
    const text = `a${'\u{1f600}'.repeat(70_000)}`;
    await workspace.write('t', text);
    expect(readFileSync(at('t'), 'utf8')).toBe(text);
  });

  it('rejects anything that does not give bytes', async () => {
    // What a caller without types may pass.
    for (const content of [7, null, undefined, {}, Readable.from([{ a: 1 }])])
      await expect(workspace.write('a', content as string)).rejects.toMatchObject({ code: 'BAD_INPUT' });
    expect(existsSync(at('a'))).toBe(false);
  });

  it('does not wait for a hanging source once it is cancelled', async () => {
    const controller = new AbortController();
    const silent = new ReadableStream<Uint8Array>(
      { pull: () => void setImmediate(() => controller.abort()) },
      { highWaterMark: 0 },
    );
    const writing = workspace.write('a', silent, { signal: controller.signal });
    await expect(writing).rejects.toMatchObject({ code: 'ABORTED' });
    expect(below(join(base, 'workspaces/_staging/u/s'))).toEqual([]);
  });
});

describe('stat', () => {
  it('follows links and returns names and times', async () => {
    await workspace.write('d/f', 'one');
    utimesSync(at('d/f'), 1, 1);
    linkSync(at('d/f'), at('g'));
    symlinkSync('d/f', at('l'));
    symlinkSync('/etc/passwd', at('out'));
    expect(await workspace.stat('/workspace/l')).toEqual({
      path: 'l',
      mounted: '/workspace/l',
      kind: 'file',
      bytes: 3,
      modified: '1970-01-01T00:00:01.000Z',
      names: 2,
    });
    expect(await workspace.stat('')).toMatchObject({ path: '', mounted: '/workspace', kind: 'directory' });
    await expect(workspace.stat('out')).rejects.toMatchObject({ code: 'PATH_ESCAPES_WORKSPACE' });
    const kinds = ['l', 'd', 'out', 'nothing', '../x'].map((path) => workspace.kind(path));
    expect(await Promise.all(kinds)).toEqual(['file', 'directory', undefined, undefined, undefined]);
  });
});

describe('remove', () => {
  it('removes a file, a link but not its target, and a folder only on request', async () => {
    await workspace.write('d/e/f', 'x');
    symlinkSync('d', at('l'));
    await workspace.remove('l');
    await expect(workspace.remove('d')).rejects.toMatchObject({ code: 'NOT_A_FILE' });
    await workspace.remove('d/e/f');
    await workspace.remove('d', { recursive: true });
    expect(readdirSync(at())).toEqual([]);
    for (const path of ['', '/workspace', 'a/..'])
      await expect(workspace.remove(path, { recursive: true })).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  it('never follows a link out of the workspace', async () => {
    mkdirSync(join(base, 'outside'));
    writeFileSync(join(base, 'outside/f'), 'x');
    await workspace.write('d/f', 'x');
    symlinkSync(join(base, 'outside'), at('d/out'));
    symlinkSync('..', at('d/up'));
    await expect(workspace.remove('d/out/f')).rejects.toMatchObject({ code: 'PATH_ESCAPES_WORKSPACE' });
    await workspace.remove('d', { recursive: true });
    expect(below(join(base, 'outside'))).toEqual(['f']);
  });

  it('removes folders of any depth and size with few descriptors', async () => {
    mkdirSync(at(), { recursive: true });
    const script =
      'import os\nos.chdir("' +
      at() +
      '")\nfor i in range(1500):\n  os.mkdir("d"); open("f","w").close(); os.chdir("d")';
    execFileSync('python3', ['-c', script]);
    mkdirSync(at('wide'));
    for (let file = 0; file < 3000; file += 1) writeFileSync(at('wide', String(file)), '');
    expect(await workspace.usage()).toEqual({ bytes: 0, files: 3000 + 1 + 3000 });
    let most = 0;
    const before = readdirSync('/proc/self/fd').length;
    let removing = true;
    const watch = (): void => {
      most = Math.max(most, readdirSync('/proc/self/fd').length);
      if (removing) setImmediate(watch);
    };
    watch();
    await workspace.remove('d', { recursive: true });
    await workspace.remove('wide', { recursive: true });
    removing = false;
    expect(readdirSync(at())).toEqual(['f']);
    expect(most).toBeLessThan(before + 20);
    expect(readdirSync('/proc/self/fd').length).toBe(before);
  });

  it('stops at its limit of entries, and says so', async () => {
    const small = createWorkspaceOf(
      { dataDir: base, user: 'u', session: 's' },
      { limits: { maxWalkedEntries: 10 } },
    );
    for (let file = 0; file < 30; file += 1) await workspace.write(`d/${file}/f`, '');
    await expect(small.remove('d', { recursive: true })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(below(at('d')).length).toBeLessThan(60);
  });
});

describe('move', () => {
  it('moves files, folders and links', async () => {
    await workspace.write('a', 'one');
    await workspace.write('d/f', 'two');
    symlinkSync('d/f', at('l'));
    await workspace.move('a', 'x/y/a2');
    await workspace.move('d', 'x/d');
    await workspace.move('l', 'x/l');
    expect(below(at())).toEqual(['x', 'x/d', 'x/d/f', 'x/l', 'x/y', 'x/y/a2']);
    expect(readlinkSync(at('x/l'))).toBe('d/f');
    expect(readFileSync(at('x/y/a2'), 'utf8')).toBe('one');
  });

  it('replaces a file only on request, and never a folder', async () => {
    await workspace.write('a', 'one');
    await workspace.write('b', 'two');
    await workspace.write('d/f', '');
    mkdirSync(at('empty'));
    for (const [from, to] of [
      ['a', 'b'],
      ['a', 'a'],
      ['a', 'd'],
      ['d', 'a'],
      ['d', 'empty'],
      ['a', 'empty'],
    ] as const) {
      await expect(workspace.move(from, to)).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
      if (to !== 'b' && to !== 'a')
        await expect(workspace.move(from, to, { overwrite: true })).rejects.toMatchObject({
          code: 'ALREADY_EXISTS',
        });
    }
    await workspace.move('a', 'b', { overwrite: true });
    expect(readFileSync(at('b'), 'utf8')).toBe('one');
    expect(below(at())).toEqual(['b', 'd', 'd/f', 'empty']);
  });

  it('does not replace a file with a folder', async () => {
    await workspace.write('a.txt', 'x');
    await workspace.write('d/f', 'x');
    symlinkSync('a.txt', at('link'));
    for (const to of ['a.txt', 'link'])
      await expect(workspace.move('d', to, { overwrite: true })).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
        message: `\`${to}\` already exists and is not a folder; a folder can only be moved to an unused path.`,
      });
    expect(below(at())).toEqual(['a.txt', 'd', 'd/f', 'link']);
  });

  it('rejects paths that escape, lead into the source, or do not exist', async () => {
    await workspace.write('d/f', '');
    for (const [from, to, code] of [
      ['d', 'd/e/g', 'BAD_INPUT'],
      ['', 'x', 'BAD_INPUT'],
      ['d', '', 'BAD_INPUT'],
      ['d', '../x', 'PATH_ESCAPES_WORKSPACE'],
      ['../u', 'x', 'PATH_ESCAPES_WORKSPACE'],
      ['g', 'x', 'FILE_NOT_FOUND'],
      ['d/f', 'd/f/x', 'NOT_A_FOLDER'],
    ] as const)
      await expect(workspace.move(from, to)).rejects.toMatchObject({ code });
    expect(existsSync(at('d/f'))).toBe(true);
  });
});

it('a length that is not one is refused', async () => {
  for (const bytes of [Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY, '5', null] as never[])
    await expect(workspace.write('a', 'x', { bytes })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringMatching(/^`bytes` is .*; expected the length of the content\.$/),
    });
});

describe('quotas', () => {
  const limited = (limits: object, session = 's'): Workspace =>
    createWorkspaceOf({ dataDir: base, user: 'u', session }, { limits });

  it('count existing, written and removed files', async () => {
    mkdirSync(at('d'), { recursive: true });
    writeFileSync(at('d/old'), 'x'.repeat(600));
    const small = limited({ maxWorkspaceBytes: 1000 });
    await small.write('a', 'x'.repeat(300));
    await expect(small.write('b', 'x'.repeat(300))).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringMatching(/`b`.* quota of 1000 bytes: 900 are used, and the write adds 300/),
    });
    await small.write('d/old', 'x'.repeat(100), { overwrite: true });
    await small.write('b', 'x'.repeat(300));
    await small.remove('a');
    await small.write('c', 'x'.repeat(500));
    await expect(small.write('e', 'x'.repeat(200))).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    rmSync(at('c')); // by somebody else
    // A refusal stands for half a second, then the files are counted again.
    const later = performance.now() + 600;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => later);
    await small.write('e', 'x'.repeat(200)).finally(() => clock.mockRestore());
    expect(await small.usage()).toEqual({ bytes: 600, files: 4 });
  });

  it('apply to concurrent and endless writes', async () => {
    const small = limited({ maxWorkspaceBytes: 1000 });
    const done = await Promise.allSettled(
      Array.from({ length: 10 }, (_, file) => small.write(String(file), 'x'.repeat(300))),
    );
    expect(done.filter(({ status }) => status === 'fulfilled').length).toBe(3);
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.alloc(64);
    }
    await expect(small.write('endless', endless())).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect((await small.usage()).bytes).toBe(900);
    expect(below(join(base, 'workspaces/_staging/u/s'))).toEqual([]);
  });

  it('apply to files and folders, and to all sessions of a user', async () => {
    const few = limited({ maxWorkspaceFiles: 3 });
    await few.write('a/b', '');
    await expect(few.write('c/d', '')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await few.write('c', '');
    await few.write('c', 'more', { overwrite: true });
    await limited({ maxUserBytes: 1000 }).write('big', 'x'.repeat(800));
    await expect(limited({ maxUserBytes: 1000 }, 's2').write('a', 'x'.repeat(300))).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
  });

  it('let a file shrink when used up, and count holes by their disk usage', async () => {
    await workspace.write('a', 'x'.repeat(2000));
    const small = limited({ maxWorkspaceBytes: 1000 });
    await small.write('a', 'x'.repeat(1500), { overwrite: true });
    await small.write('a', 'x', { overwrite: true });
    writeFileSync(at('hole'), '');
    truncateSync(at('hole'), 100 * 2 ** 30);
    await small.write('b', 'x');
  });
});

describe('retention', () => {
  const age = (path: string, days: number): void => {
    const time = Date.now() / 1000 - days * 24 * 3600;
    utimesSync(path, time, time);
  };

  it('removes old results and leftovers of killed writers', async () => {
    for (const path of ['results/old.csv', 'results/d/older.csv', 'results/new.csv', 'notes/old.md'])
      await workspace.write(path, 'x');
    for (const path of ['results/old.csv', 'results/d/older.csv', 'notes/old.md']) age(at(path), 31);
    const left = join(base, 'workspaces/_staging/u/s/.lectern-0-1-0-a.tmp');
    writeFileSync(left, '');
    age(left, 1);
    writeFileSync(at('.lectern-0-1-0-b.tmp'), '');
    age(at('.lectern-0-1-0-b.tmp'), 1);
    expect([...(await workspace.prune()).removed].sort()).toEqual(['results/d/older.csv', 'results/old.csv']);
    expect(below(at())).toEqual(['notes', 'notes/old.md', 'results', 'results/d', 'results/new.csv']);
    expect(existsSync(left)).toBe(false);
    const kept = createWorkspaceOf({ dataDir: base, user: 'u', session: 's' }, { limits: { resultDays: 0 } });
    age(at('results/new.csv'), 4000);
    expect(await kept.prune()).toEqual({ removed: [] });
  });

  it('does not follow a link as the results folder', async () => {
    await workspace.write('mine/old', 'x');
    age(at('mine/old'), 99);
    symlinkSync('mine', at('results'));
    expect(await workspace.prune()).toEqual({ removed: [] });
  });

  it('removes only unused sessions', async () => {
    const session = (user: string, name: string): Workspace =>
      createWorkspaceOf({ dataDir: base, user, session: name });
    for (const [user, name] of [
      ['u', 'idle'],
      ['u', 'used'],
      ['v', 'idle'],
    ] as const)
      await session(user, name).write('d/f', 'x');
    for (const path of [
      'u/idle/d/f',
      'u/idle/d',
      'u/idle',
      'u/used/d',
      'u/used',
      'v/idle/d/f',
      'v/idle/d',
      'v/idle',
    ])
      age(join(base, 'workspaces', path), 10);
    mkdirSync(join(base, 'workspaces/_private-data/u'), { recursive: true });
    writeFileSync(join(base, 'workspaces/_private-data/u/idle.json'), '{"revision":1,"data":1}');
    mkdirSync(join(base, 'workspaces/not an id'));
    age(join(base, 'workspaces/not an id'), 99);
    expect(await pruneWorkspaces({ dataDir: base, days: 7 })).toEqual([
      { user: 'u', session: 'idle' },
      { user: 'v', session: 'idle' },
    ]);
    expect(below(join(base, 'workspaces')).filter((path) => !path.startsWith('_staging'))).toEqual([
      '_private-data',
      '_private-data/u',
      '_private-data/u/idle.json',
      'not an id',
      'u',
      'u/used',
      'u/used/d',
      'u/used/d/f',
      'v',
    ]);
    await expect(pruneWorkspaces({ dataDir: base, days: 0 })).rejects.toMatchObject({ code: 'BAD_INPUT' });
    expect(await pruneWorkspaces({ dataDir: join(base, 'nothing'), days: 1 })).toEqual([]);
  });
});

it('remove compares the content on request', async () => {
  const base = mkdtempSync(join(tmpdir(), 'lectern-remove-'));
  try {
    const workspace = createWorkspaceOf({ root: base });
    const { sha256 } = await workspace.write('a', 'one');
    await workspace.write('a', 'two', { overwrite: true });
    await expect(workspace.remove('a', { ifSha256: sha256 })).rejects.toMatchObject({ code: 'CONFLICT' });
    const { sha256: now } = await workspace.write('a', 'three', { overwrite: true });
    // A write and a removal of the same content at once: one of them wins, and the other is told.
    const [written, removed] = await Promise.allSettled([
      workspace.write('a', 'four', { ifSha256: now }),
      workspace.remove('a', { ifSha256: now }),
    ]);
    expect([written.status, removed.status].sort()).toEqual(['fulfilled', 'rejected']);
    await workspace.write('d/b', 'x');
    await expect(workspace.remove('d', { ifSha256: now })).rejects.toMatchObject({ code: 'NOT_A_FILE' });
    const { sha256: last } = await workspace.write('a', 'five', { overwrite: true });
    for (const ifSha256 of ['abc', `${now}0`, '', 5, null] as never[])
      for (const change of [
        () => workspace.write('a', 'six', { ifSha256 }),
        () => workspace.write('new', 'six', { ifSha256 }),
        () => workspace.remove('a', { ifSha256 }),
      ])
        await expect(change()).rejects.toMatchObject({
          code: 'BAD_INPUT',
          message: expect.stringMatching(/^`ifSha256` is .*; expected 64 hexadecimal digits\.$/),
        });
    await workspace.remove('a', { ifSha256: last.toUpperCase() });
  } finally {
    rmSync(base, { recursive: true });
  }
});

describe('a file in place of a folder', () => {
  it('is reported the same way by every operation, as a parent in the path and as the root', async () => {
    await workspace.write('a.txt', 'x');
    await workspace.write('d/f', 'x');
    const reader = createReader({ workspace, environment: {} });
    for (const path of ['a.txt/x', 'a.txt/x/y'])
      for (const work of [
        () => workspace.open(path),
        () => workspace.stat(path),
        () => workspace.list(path),
        () => workspace.search('x', { path }),
        () => workspace.write(path, 'y'),
        () => workspace.remove(path),
        () => workspace.move('d', path),
        () => workspace.move(path, 'e'),
      ])
        await expect(work()).rejects.toMatchObject({ code: 'NOT_A_FOLDER' });
    expect(await reader.read('a.txt/x')).toMatchObject({ error: { code: 'NOT_A_FOLDER' } });
    const onHost = createReader({ environment: {} });
    expect(await onHost.read(at('a.txt/x'))).toMatchObject({ error: { code: 'NOT_A_FOLDER' } });

    const rooted = createWorkspaceOf({ root: at('a.txt') });
    for (const work of [
      () => rooted.list(),
      () => rooted.open('x'),
      () => rooted.stat(''),
      () => rooted.search('x'),
      () => rooted.write('x', 'y'),
      () => rooted.usage(),
    ])
      await expect(work()).rejects.toMatchObject({ code: 'NOT_A_FOLDER' });
  });
});

it('a folder in place of a file is reported with a next step', async () => {
  await workspace.write('d/f', 'x');
  for (const overwrite of [true, false])
    await expect(workspace.write('d', 'x', { overwrite })).rejects.toMatchObject({
      code: 'NOT_A_FILE',
      message: '`d` is a directory; expected a regular file.',
      hint: 'Choose another name.',
    });
  await expect(workspace.remove('d', { ifSha256: '0'.repeat(64) })).rejects.toMatchObject({
    code: 'NOT_A_FILE',
    hint: expect.stringContaining('Omit `ifSha256`'),
  });
});
