import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Warning } from '../../src/contract/index.ts';
import { ZipFile } from '../../src/package/index.ts';
import { rawZip } from '../support/archive.ts';
import { memorySource } from '../support/context.ts';
import { zipOf } from '../support/zip.ts';

const LIMITS = { maxInflatedBytes: 64 * 1024 * 1024, maxInflateRatio: 200, maxBytesInMemory: 2 ** 28 };
const signal = new AbortController().signal;

const warn = (): void => undefined;

const open = (bytes: Uint8Array): Promise<ZipFile> =>
  ZipFile.open(memorySource(bytes, 'a.zip'), { limits: LIMITS, warn });

async function read(zip: ZipFile, name: string): Promise<string> {
  const entry = zip.get(name);
  return entry ? (await zip.bytes(entry, 1e9, signal)).toString() : '';
}

describe('ZipFile', () => {
  it('passes on a read that fails while earlier bytes are inflated, and nothing goes unhandled', async () => {
    const bytes = zipOf([{ name: 'a', data: randomBytes(6 * 1024 * 1024).toString('hex') }]);
    const whole = memorySource(bytes, 'a.zip');
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => {
      unhandled.push(reason);
    };
    process.on('unhandledRejection', note);
    let broken = false;
    const failing = {
      ...whole,
      name: whole.name,
      size: whole.size,
      read: (at: number, length: number) =>
        broken && at > 1024 * 1024 ? Promise.reject(new Error('disk gone')) : whole.read(at, length),
    };
    const zip = await ZipFile.open(failing as typeof whole, { limits: LIMITS, warn }); // a stand-in for the three members it uses
    broken = true;
    await expect(read(zip, 'a')).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('reads deflated and stored entries by name, in any case', async () => {
    const zip = await open(
      zipOf([
        { name: 'a/One.txt', data: 'x'.repeat(100_000) },
        { name: '\\b\\two.txt', data: 'stored', stored: true },
      ]),
    );
    expect(await read(zip, 'A/one.TXT')).toBe('x'.repeat(100_000));
    expect(await read(zip, 'b/two.txt')).toBe('stored');
    expect(zip.get('c')).toBeUndefined();
  });

  it('finds its directory behind leading bytes and before a comment', async () => {
    const zip = zipOf([{ name: 'a', data: 'content' }]);
    expect(await read(await open(Buffer.concat([Buffer.alloc(1000, 1), zip])), 'a')).toBe('content');
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no zip', Buffer.from('PK but not really')],
    ['a zip cut off before its first data', zipOf([{ name: 'a', data: 'content' }]).subarray(0, 31)],
    ['an empty directory', zipOf([])],
  ])('refuses %s', async (_, bytes) => {
    await expect(open(bytes)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });

  it('refuses entries that overlap', async () => {
    const zip = zipOf([
      { name: 'a', data: 'content '.repeat(50) },
      { name: 'b', data: 'content', claimedOffset: 10 },
    ]);
    await expect(open(zip)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });

  it('refuses an entry that points nowhere, and reads the others', async () => {
    const zip = await open(
      zipOf([
        { name: 'a', data: 'content', claimedOffset: 2 ** 31 },
        { name: 'b', data: 'content' },
      ]),
    );
    await expect(read(zip, 'a')).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
    expect(await read(zip, 'b')).toBe('content');
  });

  it.each([0, 1])('finds the entries of a directory that is said to have %i bytes', async (size) => {
    const zip = await open(rawZip([{ name: 'a', data: 'content' }], { size }));
    expect([zip.salvaged, await read(zip, 'a')]).toEqual([true, 'content']);
  });

  it('tells encrypted entries', async () => {
    const zip = await open(zipOf([{ name: 'a', data: 'content', encrypted: true }]));
    await expect(read(zip, 'a')).rejects.toMatchObject({ code: 'ENCRYPTED_FILE' });
  });

  it('refuses an entry that only its local header says is encrypted', async () => {
    const bytes = zipOf([{ name: 'a', data: 'content' }]);
    bytes.writeUInt16LE(0x801, 6);
    await expect(read(await open(bytes), 'a')).rejects.toMatchObject({ code: 'ENCRYPTED_FILE' });
  });

  it('refuses one part of several', async () => {
    await expect(open(rawZip([{ name: 'a', data: 'content' }], { disk: 1 }))).rejects.toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
    });
  });

  it('refuses a method that packages do not have', async () => {
    const zip = await open(rawZip([{ name: 'a', data: 'content', method: 12 }]));
    await expect(read(zip, 'a')).rejects.toMatchObject({
      code: 'CORRUPT_FILE',
      message: expect.stringContaining('method 12'),
    });
  });

  it('reads names without a declared encoding in UTF-8, else in code page 437', async () => {
    const names = ['größe.xml', Buffer.from([0x81, 0x2e, 0x74])] as const;
    const zip = await open(rawZip(names.map((name) => ({ name, data: 'content' }))));
    expect([...zip.entries.keys()]).toEqual(['größe.xml', 'ü.t']);
  });

  it('finds data by offsets from the first byte of the file, and from that of the zip', async () => {
    const before = 'leading bytes';
    const items = [{ name: 'a', data: 'content' }];
    expect(await read(await open(rawZip(items, { before })), 'a')).toBe('content');
    const fromFile = rawZip([{ name: 'a', data: 'content', offset: before.length }], { before });
    expect(await read(await open(fromFile), 'a')).toBe('content');
  });

  it('has a limit on entries by what is listed, not by what is declared', async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => ({ name: String(index), method: 0 }));
    await expect(open(rawZip(many, { count: 3 }))).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    const few = await open(rawZip([{ name: 'a', data: 'content' }], { count: 20_000 }));
    expect(await read(few, 'a')).toBe('content');
  });

  it('keeps the first of two entries of one name', async () => {
    const zip = await open(
      zipOf([
        { name: 'a', data: 'first' },
        { name: 'a', data: 'second' },
      ]),
    );
    expect(zip.duplicates).toEqual(['a']);
    expect(await read(zip, 'a')).toBe('first');
  });

  it('counts the bytes that really come out, whatever the header claims', async () => {
    const bomb = deflateRawSync(Buffer.alloc(8 * 1024 * 1024));
    const member = { name: 'bomb', data: '', deflated: { data: bomb, size: 10 } };
    await expect(read(await open(zipOf([member])), 'bomb')).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('maxInflateRatio'),
    });
    const small = await ZipFile.open(memorySource(zipOf([member]), 'a'), {
      limits: { maxInflatedBytes: 1024 * 1024, maxInflateRatio: 1e9, maxBytesInMemory: 2 ** 28 },
      warn,
    });
    await expect(read(small, 'bomb')).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('maxInflatedBytes'),
    });
  });

  it('counts the sum of all entries, and an entry read twice once', async () => {
    const noise = Buffer.from(Array.from({ length: 40_000 }, (_, index) => (index * 7919) % 251));
    const bytes = zipOf([
      { name: 'a', data: noise },
      { name: 'b', data: noise },
    ]);
    const zip = await ZipFile.open(memorySource(bytes, 'a'), {
      limits: { maxInflatedBytes: 50_000, maxInflateRatio: 200, maxBytesInMemory: 2 ** 28 },
      warn,
    });
    await read(zip, 'a');
    await read(zip, 'a');
    await expect(read(zip, 'b')).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  it('reports damaged data as a damaged file', async () => {
    const bytes = zipOf([{ name: 'a', data: Buffer.from('content '.repeat(1000)) }]);
    bytes.fill(0xff, 35, 50);
    await expect(read(await open(bytes), 'a')).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });

  describe('checksums', () => {
    const told = async (items: Parameters<typeof rawZip>[0]) => {
      const warnings: Warning[] = [];
      const zip = await ZipFile.open(memorySource(rawZip(items), 'a.zip'), {
        limits: LIMITS,
        warn: (warning) => warnings.push(warning),
      });
      return { zip, warnings };
    };
    const first = async (zip: ZipFile): Promise<void> => {
      const entry = zip.get('a/b.xml');
      if (!entry) throw new Error('no entry');
      for await (const _ of zip.inflate(entry, signal)) break;
    };

    it('reads an entry that does not match its own, and tells it once', async () => {
      const { zip, warnings } = await told([
        { name: 'a/b.xml', data: 'content', crc: 1 },
        { name: 'c', data: 'content' },
      ]);
      for (const name of ['a/b.xml', 'c', 'a/b.xml']) expect(await read(zip, name)).toBe('content');
      expect(warnings).toEqual([
        {
          code: 'SKIPPED_CONTENT',
          message: 'The entry `a/b.xml` may be damaged: its checksum does not match.',
        },
      ]);
      expect([zip.isDamaged('a/b.xml'), zip.isDamaged('c')]).toEqual([true, false]);
    });

    it('checks a small entry whose end nobody asks for, and not a large one', async () => {
      const small = await told([{ name: 'a/b.xml', data: randomBytes(300_000).toString('latin1'), crc: 1 }]);
      await first(small.zip);
      expect(small.warnings).toHaveLength(1);
      const large = await told([{ name: 'a/b.xml', data: randomBytes(3_000_000), crc: 1 }]);
      await first(large.zip);
      expect(large.warnings).toEqual([]);
    });

    it('says nothing of an entry whose end is missing', async () => {
      const bytes = rawZip([{ name: 'a', data: randomBytes(100_000), method: 0 }]).subarray(0, 50_000);
      const warnings: Warning[] = [];
      const zip = await ZipFile.open(memorySource(bytes, 'a.zip'), {
        limits: LIMITS,
        warn: (warning) => warnings.push(warning),
      });
      expect((await read(zip, 'a')).length).toBeGreaterThan(0);
      expect(warnings).toEqual([]);
    });
  });

  it('stops when the caller stops reading', async () => {
    const zip = await open(zipOf([{ name: 'a', data: Buffer.alloc(3_000_000, 'abcdefgh') }]));
    const entry = zip.get('a');
    if (!entry) throw new Error('no entry');
    let pieces = 0;
    for await (const piece of zip.inflate(entry, signal)) {
      expect(piece.length).toBeGreaterThan(0);
      pieces++;
      break;
    }
    expect(pieces).toBe(1);
    const stop = new AbortController();
    stop.abort();
    await expect(zip.bytes(entry, 1e9, stop.signal)).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
