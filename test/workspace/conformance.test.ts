// What every workspace does, on a disk and in object storage.

import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Blobs, openBlobs } from '../../src/blobs/index.ts';
import { closeFile, type WorkspaceLimits } from '../../src/contract/index.ts';
import { createReader, createWorkspace, type Workspace, type WorkspacePlace } from '../../src/index.ts';
import { textOfFile } from '../support/open-file.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';

let server: S3Server;
let s3: Blobs;
let folder: string;
beforeAll(async () => {
  server = await startS3Server({ pageSize: 50 });
  s3 = await openBlobs('s3://bucket/p', { environment: server.environment });
  folder = await mkdtemp(join(tmpdir(), 'lectern-workspaces-'));
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const STORES = {
  disk: async (): Promise<object> => ({ dataDir: join(folder, 'disk') }),
  'folder of blobs': async () => ({ storage: await openBlobs(join(folder, 'blobs')) }),
  s3: async () => ({ storage: s3 }),
};

let sessions = 0;

describe.each(Object.entries(STORES))('%s', (_, store) => {
  let workspace: Workspace;
  let place: WorkspacePlace;
  const open = async (limits: Partial<WorkspaceLimits> = {}): Promise<Workspace> => {
    sessions += 1;
    // Each store names one kind of place.
    place = { ...(await store()), user: `u${sessions}`, session: 's' } as WorkspacePlace;
    return createWorkspace(place, { environment: {}, limits });
  };
  const text = async (path: string): Promise<string> => {
    const file = await workspace.open(path);
    try {
      return await textOfFile(file);
    } finally {
      await closeFile(file);
    }
  };
  const paths = async (...given: Parameters<Workspace['list']>): Promise<string[]> =>
    (await workspace.list(...given)).entries.map(({ path, kind }) =>
      kind === 'directory' ? `${path}/` : path,
    );
  beforeEach(async () => {
    workspace = await open();
  });

  test('is empty at first', async () => {
    expect(await workspace.list()).toEqual({ entries: [], total: 0, next: null, notes: [] });
    expect(await workspace.usage()).toEqual({ bytes: 0, files: 0 });
    expect(await workspace.stat('')).toMatchObject({ kind: 'directory' });
    expect(await workspace.kind('x')).toBeUndefined();
    await expect(workspace.open('x')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    expect(await workspace.prune()).toEqual({ removed: [] });
  });

  test('suggests the file that a path with other spellings means', async () => {
    await workspace.write('my dir/sub/a b.txt', 'x');
    await workspace.write('my dir/sub/100%.txt', 'x');
    for (const [path, hint] of [
      ['my%20dir/sub/a%20b.txt', 'Did you mean `my dir/sub/a b.txt`?'],
      ['my\\ dir/sub/a\\ b.txt', 'Did you mean `my dir/sub/a b.txt`?'],
      ['MY DIR/Sub/A B.TXT', 'Did you mean `my dir/sub/a b.txt`?'],
      ['my dirr/sub/a_b.txt', 'Did you mean `my dir/sub/a b.txt`?'],
      ['my%20dir/sub/100%.txt', 'Did you mean `my dir/sub/100%.txt`?'],
      ['my%20dir/other/z.txt', 'Did you mean `my dir`?'],
    ] as const)
      await expect(workspace.open(path)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND', hint });
  });

  test('writes, reads and describes files', async () => {
    const sha256 = createHash('sha256').update('hällo').digest('hex');
    expect(await workspace.write('a/b/c.txt', 'hällo')).toEqual({
      path: 'a/b/c.txt',
      mounted: '/workspace/a/b/c.txt',
      bytes: 6,
      sha256,
      replaced: false,
    });
    for (const path of ['a/b/c.txt', '/workspace/a/b/c.txt', './a//b/../b/c.txt'])
      expect(await text(path)).toBe('hällo');
    expect(await workspace.stat('a/b/c.txt')).toMatchObject({
      path: 'a/b/c.txt',
      mounted: '/workspace/a/b/c.txt',
      kind: 'file',
      bytes: 6,
      names: 1,
    });
    expect([await workspace.kind('a/b'), await workspace.kind('a/b/c.txt')]).toEqual(['directory', 'file']);
    expect(await workspace.stat('a')).toMatchObject({ path: 'a', kind: 'directory' });
    await expect(workspace.open('a/b')).rejects.toMatchObject({ code: 'NOT_A_FILE' });
    await expect(workspace.list('a/b/c.txt')).rejects.toMatchObject({ code: 'NOT_A_FOLDER' });
  });

  test('keeps long content', async () => {
    async function* long(): AsyncGenerator<Uint8Array> {
      for (let number = 0; number < 90; number += 1) yield Buffer.alloc(100_000, number);
    }
    const hash = createHash('sha256');
    for await (const piece of long()) hash.update(piece);
    expect(await workspace.write('long', long())).toMatchObject({
      bytes: 9_000_000,
      sha256: hash.digest('hex'),
    });
    expect(await workspace.usage()).toEqual({ bytes: 9_000_000, files: 1 });
  });

  test('stays inside', async () => {
    for (const path of ['../x', '/etc/passwd', 'a/../../x', '/workspace/../x', '/workspace2/x'])
      for (const use of [
        () => workspace.open(path),
        () => workspace.write(path, 'x'),
        () => workspace.remove(path),
        () => workspace.move('a', path),
        () => workspace.list(path),
      ])
        await expect(use()).rejects.toMatchObject({ code: 'PATH_ESCAPES_WORKSPACE' });
    for (const path of ['a\0b', '\ud800', 'x'.repeat(256), 'x/'.repeat(20_000)])
      await expect(workspace.write(path, 'x')).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  test('does not mix sessions and users', async () => {
    await workspace.write('mine', 'x');
    const { user } = place as { readonly user: string };
    for (const other of [
      { user, session: 't' },
      { user: `${user}0`, session: 's' },
    ])
      expect(await createWorkspace({ ...place, ...other }, { environment: {} }).list()).toMatchObject({
        total: 0,
      });
  });

  test('replaces a file only on request', async () => {
    const { sha256 } = await workspace.write('a', 'one');
    await expect(workspace.write('a', 'two')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    expect(await workspace.write('a', 'two', { ifSha256: sha256 })).toMatchObject({ replaced: true });
    await expect(workspace.write('a', 'three', { ifSha256: sha256 })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await expect(workspace.write('new', 'x', { ifSha256: sha256 })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await workspace.write('a', 'four', { overwrite: true })).toMatchObject({ replaced: true });
    expect(await text('a')).toBe('four');
  });

  test('lets one of many writers win', async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 6 }, (_, number) => workspace.write('new', `${number}`)),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { sha256 } = await workspace.write('old', 'x');
    const bound = await Promise.allSettled(
      Array.from({ length: 6 }, (_, number) => workspace.write('old', `${number}`, { ifSha256: sha256 })),
    );
    expect(bound.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('keeps files and folders apart', async () => {
    await workspace.write('a/b', 'x');
    await expect(workspace.write('a', 'x')).rejects.toMatchObject({ code: 'NOT_A_FILE' });
    await expect(workspace.write('a/b/c', 'x')).rejects.toMatchObject({ code: 'NOT_A_FOLDER' });
    await expect(workspace.write('', 'x')).rejects.toMatchObject({ code: 'NOT_A_FILE' });
    expect(await paths('', { depth: 3 })).toEqual(['a/', 'a/b']);
  });

  test('leaves nothing of a failed write', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(6_000_000);
      throw new Error('no more');
    }
    await expect(workspace.write('a/b', failing())).rejects.toThrow();
    const controller = new AbortController();
    controller.abort();
    await expect(workspace.write('a/b', 'x', { signal: controller.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    expect(await paths()).toEqual([]);
    expect(server.openUploads).toBe(0);
  });

  test('lists in pages, and below folders', async () => {
    const names = Array.from({ length: 120 }, (_, number) => `d/${number % 2 ? 'x' : 'y'}/${number}.txt`);
    for (const name of [...names, 'd-1', 'd.txt']) await workspace.write(name, name);
    expect(await paths()).toEqual(['d/', 'd-1', 'd.txt']);
    expect(await paths('d')).toEqual(['d/x/', 'd/y/']);
    const all: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await workspace.list('', { depth: 9, limit: 50, ...(cursor && { cursor }) });
      expect(page.total).toBe(125);
      all.push(...page.entries.map(({ path }) => path));
      cursor = page.next ?? undefined;
    } while (cursor);
    expect(all).toHaveLength(125);
    expect(all.filter((path) => path.endsWith('.txt') && path !== 'd.txt').sort()).toEqual([...names].sort());
    expect((await workspace.list('d/x')).entries[0]).toMatchObject({ kind: 'file', bytes: 9 });
    expect((await workspace.glob('d/x/1*.txt')).total).toBe(16);
    expect((await workspace.glob('*.txt', { limit: 2 })).entries).toHaveLength(2);
  });

  test('heeds ignore files', async () => {
    await workspace.write('.gitignore', 'hidden/\n*.log\n');
    for (const path of ['a.txt', 'a.log', 'hidden/b.txt', 'sub/.ignore', 'sub/c.md'])
      await workspace.write(path, path === 'sub/.ignore' ? '*.md\n' : 'needle');
    const { entries } = await workspace.glob('**');
    expect(entries.map(({ path }) => path)).toEqual(['.gitignore', 'a.txt', 'sub/.ignore']);
    const { matches } = await workspace.search('needle');
    expect(matches.map(({ path }) => path)).toEqual(['a.txt']);
  });

  test('searches, with context and by pages', async () => {
    const lines = Array.from(
      { length: 60_000 },
      (_, number) => `line ${number}${number % 10_000 === 7 ? ' needle' : ''}`,
    );
    await workspace.write('big.txt', lines.join('\n'));
    await workspace.write('sub/small.txt', 'one\nNEEDLE\nthree');
    await workspace.write('bin', new Uint8Array([0, 1, 2]));
    const first = await workspace.search('needle', { limit: 4, context: 1 });
    expect(first.matches.map(({ line }) => line)).toEqual([8, 10_008, 20_008, 30_008]);
    expect(first.matches[1]).toMatchObject({
      path: 'big.txt',
      text: 'line 10007 needle',
      before: ['line 10006'],
      after: ['line 10008'],
    });
    const second = await workspace.search('needle', { limit: 4, context: 1, cursor: first.next ?? '' });
    expect(second.matches.map(({ line }) => line)).toEqual([40_008, 50_008]);
    expect(second.next).toBeNull();
    expect(second.skipped).toEqual([{ path: 'bin', reason: 'binary' }]);
    expect((await workspace.search('needle', { caseSensitive: false, path: 'sub' })).matches).toMatchObject([
      { path: 'sub/small.txt', line: 2 },
    ]);
    expect((await workspace.search('^three$', { regex: true })).matches).toHaveLength(1);
    expect((await workspace.search('x', { path: 'bin' })).skipped).toHaveLength(1);
    const whole = await workspace.search('e 59999', { path: 'big.txt' });
    expect(whole.matches).toMatchObject([{ line: 60_000 }]);
  });

  test('finds names that look the same, and suggests similar ones', async () => {
    await workspace.write('Übersicht \u2019a\u2019.txt'.normalize('NFD'), 'x');
    await workspace.write('reports/summary.txt', 'x');
    expect(await text("Übersicht 'a'.txt".normalize('NFC'))).toBe('x');
    await expect(workspace.open('reports/sumary.txt')).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
      hint: expect.stringContaining('reports/summary.txt'),
    });
  });

  test('removes files and folders', async () => {
    const { sha256 } = await workspace.write('a', 'x');
    await workspace.write('d/e/f', 'x');
    await workspace.write('d/g', 'x');
    await expect(workspace.remove('a', { ifSha256: '0'.repeat(64) })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await workspace.remove('a', { ifSha256: sha256 });
    await expect(workspace.remove('a')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(workspace.remove('d')).rejects.toMatchObject({ code: 'NOT_A_FILE' });
    await expect(workspace.remove('')).rejects.toMatchObject({ code: 'BAD_INPUT' });
    await workspace.remove('d', { recursive: true });
    expect(await paths('', { depth: 5 })).toEqual([]);
  });

  test('moves files and folders', async () => {
    await workspace.write('a', 'one');
    await workspace.write('d/e/f', 'two');
    await workspace.move('a', 'n/b');
    expect(await text('n/b')).toBe('one');
    expect(await workspace.kind('a')).toBeUndefined();
    await expect(workspace.move('d/e/f', 'n/b')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    await workspace.move('d/e', 'n/e');
    expect(await text('n/e/f')).toBe('two');
    await workspace.move('n/e/f', 'n/b', { overwrite: true });
    expect(await text('n/b')).toBe('two');
    await expect(workspace.move('n', 'n/x/y')).rejects.toMatchObject({ code: 'BAD_INPUT' });
    await expect(workspace.move('none', 'x')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(workspace.move('n', 'n/b/c')).rejects.toMatchObject({ code: expect.any(String) });
    expect(await text('n/b')).toBe('two');
  });

  test('saves results under free names', async () => {
    const rows = [
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
    ];
    const first = await workspace.saveResult(rows, { name: 'r' });
    expect(first).toMatchObject({ path: 'results/r.csv', rows: 2, format: 'csv', replaced: false });
    expect(first.preview).toContain('1,x');
    expect(await workspace.saveResult(rows, { name: 'r' })).toMatchObject({ path: 'results/r-2.csv' });
    expect(await workspace.saveResult(rows, { name: 'r', overwrite: true })).toMatchObject({
      path: 'results/r.csv',
      replaced: true,
    });
    expect(await workspace.saveResult(rows, { name: 'r.xlsx' })).toMatchObject({ format: 'xlsx', rows: 2 });
    // The second row has a new column, so the header is written again.
    await workspace.saveResult([{ a: 1 }, { a: 2, b: 3 }], { name: 'late' });
    expect(await text('results/late.csv')).toBe('a,b\n1,\n2,3\n');
  });

  test('holds its quotas', async () => {
    workspace = await open({ maxWorkspaceBytes: 1000, maxWorkspaceFiles: 3 });
    await workspace.write('a', 'x'.repeat(600));
    await expect(workspace.write('b', 'x'.repeat(600))).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(await paths()).toEqual(['a']);
    await workspace.write('a', 'x'.repeat(900), { overwrite: true });
    await workspace.remove('a');
    for (const name of ['f1', 'f2', 'f3']) await workspace.write(name, 'x'.repeat(300));
    await expect(workspace.write('f4', '')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await expect(workspace.write('f1', 'x'.repeat(500), { overwrite: true })).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
    // Of writes at the same time, no more are admitted than fit.
    await workspace.remove('f1');
    await Promise.allSettled(
      Array.from({ length: 5 }, (_, number) => workspace.write(`g${number}`, 'x'.repeat(300))),
    );
    expect((await workspace.usage()).bytes).toBeLessThanOrEqual(1000);
    expect((await workspace.usage()).files).toBeLessThanOrEqual(3);
  });

  test('is read by a reader, as one version', async () => {
    await workspace.write('t.csv', 'a,b\n1,2\n3,4\n');
    const reader = createReader({ workspace, environment: {}, cache: false });
    expect(await reader.read('t.csv')).toMatchObject({ success: true, text: expect.stringContaining('3,4') });
    expect(await reader.read('none.csv')).toMatchObject({
      success: false,
      error: { code: 'FILE_NOT_FOUND' },
    });
  });
});
