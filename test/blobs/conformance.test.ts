// What every store of blobs does.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BlobFacts, type Blobs, openBlobs } from '../../src/blobs/index.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';

interface Store {
  readonly name: string;
  open(): Promise<{ readonly blobs: Blobs; close(): Promise<void> }>;
}

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server({ pageSize: 7 });
});
afterAll(() => server.close());

let stores = 0;
const STORES: readonly Store[] = [
  {
    name: 'folder',
    open: async () => {
      const root = await mkdtemp(join(tmpdir(), 'lectern-blobs-'));
      return {
        blobs: await openBlobs(join(root, 'new', 'store')),
        close: () => rm(root, { recursive: true, force: true }),
      };
    },
  },
  {
    name: 's3',
    open: async () => {
      stores += 1;
      const blobs = await openBlobs(`s3://bucket/store-${stores}`, { environment: server.environment });
      return { blobs, close: () => Promise.resolve() };
    },
  },
];

const MIB = 1024 * 1024;
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

async function* pieces(...all: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of all) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}

async function keysOf(listing: AsyncIterable<BlobFacts>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of listing) keys.push(key);
  return keys;
}

describe.each(STORES)('$name', ({ open }) => {
  let blobs: Blobs;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ blobs, close } = await open());
  });
  afterAll(async () => {
    await blobs.close();
    await close();
  });

  test('stores and gives back', async () => {
    const put = await blobs.put('a/b.txt', Buffer.from('hello'));
    expect(put).toMatchObject({ key: 'a/b.txt', bytes: 5 });
    expect(await blobs.stat('a/b.txt')).toMatchObject({ key: 'a/b.txt', bytes: 5, version: put.version });
    expect(text(await blobs.read('a/b.txt'))).toBe('hello');
    expect(await blobs.stat('a')).toBeUndefined();
    expect(await blobs.stat('a/b.txt/c')).toBeUndefined();
    expect(await blobs.stat('other')).toBeUndefined();
  });

  test('stores nothing, and streams of pieces', async () => {
    await blobs.put('empty', new Uint8Array());
    expect(await blobs.read('empty')).toHaveLength(0);
    expect(await blobs.read('empty', { from: 5 })).toHaveLength(0);
    await blobs.put('streamed', pieces('one ', '', 'two ', 'three'));
    expect(text(await blobs.read('streamed'))).toBe('one two three');
    await blobs.put('streamed', pieces());
    expect(await blobs.stat('streamed')).toMatchObject({ bytes: 0 });
  });

  test('keeps long content of a reused buffer, sent in parts', async () => {
    const buffer = new Uint8Array(300_000);
    async function* long(): AsyncGenerator<Uint8Array> {
      for (let number = 0; number < 70; number += 1) yield buffer.fill(number);
    }
    const put = await blobs.put('long', long());
    expect(put.bytes).toBe(21_000_000);
    const back = await blobs.read('long');
    expect(back).toHaveLength(21_000_000);
    for (let number = 0; number < 70; number += 1)
      for (const at of [0, 150_000, 299_999]) expect(back[number * 300_000 + at]).toBe(number);
    expect(await blobs.stat('long')).toMatchObject({ bytes: 21_000_000, version: put.version });
  });

  test('reads ranges', async () => {
    await blobs.put('range', Buffer.from('0123456789'));
    const at = async (from?: number, to?: number): Promise<string> =>
      text(
        await blobs.read('range', {
          ...(from !== undefined && { from }),
          ...(to !== undefined && { to }),
        }),
      );
    expect(await at(2, 5)).toBe('234');
    expect(await at(undefined, 3)).toBe('012');
    expect(await at(7)).toBe('789');
    expect(await at(7, 100)).toBe('789');
    expect(await at(10)).toBe('');
    expect(await at(99, 120)).toBe('');
    expect(await at(4, 4)).toBe('');
    await expect(blobs.read('no such', { from: 4, to: 4 })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  test('ends a transfer early', async () => {
    await blobs.put('early', new Uint8Array(4 * MIB));
    for await (const piece of blobs.stream('early')) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    expect(text(await blobs.read('early', { to: 1 }))).toBe('\0');
  });

  test('binds reads to a version', async () => {
    const first = await blobs.put('version', Buffer.from('first'));
    expect(text(await blobs.read('version', { version: first.version }))).toBe('first');
    const second = await blobs.put('version', Buffer.from('other'));
    expect(second.version).not.toBe(first.version);
    for (const range of [{}, { from: 2 }, { from: 3, to: 3 }, { from: 50 }])
      await expect(blobs.read('version', { ...range, version: first.version })).rejects.toMatchObject({
        code: 'CONFLICT',
      });
  });

  test('stores only if absent', async () => {
    await blobs.put('absent', Buffer.from('one'), { ifAbsent: true });
    await expect(blobs.put('absent', Buffer.from('two'), { ifAbsent: true })).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
    });
    await expect(
      blobs.put('absent', pieces(new Uint8Array(9 * MIB)), { ifAbsent: true }),
    ).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    expect(text(await blobs.read('absent'))).toBe('one');
  });

  test('stores only over a version', async () => {
    const first = await blobs.put('over', Buffer.from('one'));
    const second = await blobs.put('over', pieces(new Uint8Array(9 * MIB)), { ifVersion: first.version });
    await expect(blobs.put('over', Buffer.from('two'), { ifVersion: first.version })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await expect(
      blobs.put('over', pieces(new Uint8Array(9 * MIB)), { ifVersion: first.version }),
    ).rejects.toMatchObject({ code: 'CONFLICT' });
    await blobs.put('over', Buffer.from('three'), { ifVersion: second.version });
    expect(text(await blobs.read('over'))).toBe('three');
    await expect(blobs.put('gone', Buffer.from('x'), { ifVersion: first.version })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  test('lets one of many writers win', async () => {
    const race = async (options: object): Promise<number> => {
      const all = await Promise.allSettled(
        Array.from({ length: 8 }, (_, number) => blobs.put('race', Buffer.from(`${number}`), options)),
      );
      return all.filter(({ status }) => status === 'fulfilled').length;
    };
    expect(await race({ ifAbsent: true })).toBe(1);
    const { version } = (await blobs.stat('race')) ?? {};
    expect(await race({ ifVersion: version })).toBe(1);
  });

  test('changes nothing when content or caller fails', async () => {
    await blobs.put('kept', Buffer.from('kept'));
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(18 * MIB);
      throw new Error('no more');
    }
    await expect(blobs.put('kept', failing())).rejects.toThrow();
    const controller = new AbortController();
    async function* aborting(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(18 * MIB);
      controller.abort();
      yield new Uint8Array(1);
    }
    await expect(blobs.put('kept', aborting(), { signal: controller.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    await expect(blobs.read('kept', { signal: controller.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    expect(text(await blobs.read('kept'))).toBe('kept');
    expect(await keysOf(blobs.list('kept'))).toEqual(['kept']);
    expect(server.openUploads).toBe(0);
  });

  test('removes', async () => {
    await blobs.put('removed/deep/down', Buffer.from('x'));
    expect(await blobs.remove('removed/deep/down')).toBe(true);
    expect(await blobs.remove('removed/deep/down')).toBe(false);
    expect(await blobs.remove('removed/deep')).toBe(false);
    const { version } = await blobs.put('removed/version', Buffer.from('x'));
    await blobs.put('removed/version', Buffer.from('yy'));
    await expect(blobs.remove('removed/version', { ifVersion: version })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    const now = await blobs.stat('removed/version');
    expect(await blobs.remove('removed/version', { ifVersion: now?.version ?? '' })).toBe(true);
    await expect(blobs.read('removed/deep/down')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  test('lists by prefix, in the order of UTF-8', async () => {
    const names = [
      'l/a',
      'l/a b+c',
      'l/a/z',
      'l/ab',
      'l/b&<">\'',
      'l/é',
      'l/\u{1f600}',
      'l/\uff5e',
      'l/%41',
      'l/-',
    ];
    // A folder cannot store both `l/a` and `l/a/z`.
    const stored = names.filter((name) => name !== 'l/a');
    for (const name of stored) await blobs.put(name, Buffer.from(name));
    const sorted = [...stored].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(await keysOf(blobs.list('l/'))).toEqual(sorted);
    expect(await keysOf(blobs.list('l/a'))).toEqual(['l/a b+c', 'l/a/z', 'l/ab']);
    expect(await keysOf(blobs.list('l/a/'))).toEqual(['l/a/z']);
    expect(await keysOf(blobs.list('l/none'))).toEqual([]);
    for (const after of [...sorted, 'l/a/', 'l/a0', 'l', 'm'])
      expect(await keysOf(blobs.list('l/', { after }))).toEqual(
        sorted.filter((key) => Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0),
      );
    for await (const facts of blobs.list('l/'))
      expect(facts).toEqual({ ...(await blobs.stat(facts.key)), modified: expect.any(Date) });
  });

  test('refuses invalid keys', async () => {
    for (const key of [
      '',
      '/a',
      'a/',
      'a//b',
      '.',
      '..',
      'a/../b',
      'a/./b',
      'a\0b',
      'a\nb',
      'x'.repeat(901),
      '\ud800',
    ])
      for (const use of [
        () => blobs.stat(key),
        () => blobs.read(key),
        () => blobs.put(key, new Uint8Array()),
        () => blobs.remove(key),
      ])
        await expect(use()).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  test('takes any key', async () => {
    const part = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 40 })
      // biome-ignore lint/suspicious/noControlCharactersInRegex: keys have none
      .map((drawn) => drawn.replace(/[\u0000-\u001f\u007f/]/g, '_'))
      .filter((drawn) => drawn !== '.' && drawn !== '..');
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 3 }), async (parts) => {
        const key = ['any', ...parts].join('/');
        await blobs.put(key, Buffer.from(key));
        expect(text(await blobs.read(key))).toBe(key);
        expect(await keysOf(blobs.list(key))).toContain(key);
        expect(await blobs.remove(key)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});
