// Zip archives, honest and hostile: what is listed, what is flagged, what is refused.

import { deflateRawSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { createReader, type FileExtractionResult, type ReadRequest } from '../../../src/index.ts';
import { rawZip, type ZipEnd, type ZipItem } from '../../support/archive.ts';
import { contentOf, readOk, walk } from '../../support/walk.ts';

// Works through large and hostile files.
vi.setConfig({ testTimeout: 180_000 });

const reader = createReader({ environment: {} });
const read = (
  items: readonly ZipItem[],
  request: ReadRequest & { entry?: string } = {},
  end?: ZipEnd,
): Promise<FileExtractionResult> => {
  const { entry, ...rest } = request;
  return reader.read(
    { name: 'a.zip', bytes: rawZip(items, end), ...(entry !== undefined && { entry }) },
    rest,
  );
};
const list = async (items: readonly ZipItem[], end?: ZipEnd): Promise<string[]> => {
  const result = await read(items, { all: true }, end);
  if (!result.success) throw new Error(`${result.error.code} ${result.error.message}`);
  return contentOf([result]).trimEnd().split('\n');
};
const codes = (result: FileExtractionResult): string[] =>
  result.success ? result.warnings.map(({ code }) => code) : [result.error.code];
const LINK = 0o120777 << 16;

describe('a listing', () => {
  it('is a line for each entry under a head, with totals', async () => {
    const items = [
      { name: 'docs/', method: 0 },
      { name: 'docs/a.txt', data: 'aaaaaaaaaa' },
      { name: 'b, "c".txt', data: 'x', method: 0 },
    ];
    const result = await readOk(reader, { name: 'a.zip', bytes: rawZip(items) });
    expect(contentOf([result])).toBe(
      'path,bytes,packed,modified\ndocs/,,0,2026-03-05 12:30\ndocs/a.txt,10,5,2026-03-05 12:30\n"b, ""c"".txt",1,1,2026-03-05 12:30\n',
    );
    expect(result.text).toMatch(/^a\.zip \(zip\): 2 files, 1 folder, 11 bytes \(6 packed\)\./);
    expect((await readOk(reader, { name: 'a.zip', bytes: rawZip([]) })).text).toMatch(
      /^a\.zip \(zip\): 0 files, 0 bytes\n/,
    );
    expect(result).toMatchObject({
      fileType: 'archive',
      truncation: null,
      metadata: { entries: 3, files: 2, folders: 1, unpackedBytes: 11, packedBytes: 6 },
    });
  });

  it('of nothing is a head', async () => expect(await list([])).toEqual(['path,bytes,modified']));

  it('of 70 000 entries is paged, and a walk shows each once', async () => {
    const items = Array.from({ length: 70_000 }, (_, i) => ({ name: `f${i}`, method: 0 }));
    const bytes = rawZip(items, { count: items.length });
    const first = await readOk(reader, { name: 'a.zip', bytes });
    expect(first.truncation?.omitted[0]).toMatchObject({ unit: 'entry', to: 70_000, of: 70_000 });
    expect(first.text).toMatch(/entries 1-\d+/);
    const { cursor = '' } = first.truncation?.next ?? {};
    const second = await readOk(reader, { name: 'a.zip', bytes }, { cursor });
    const seen = contentOf([first, second]).match(/^f\d+/gm) ?? [];
    expect(seen).toEqual(items.slice(0, seen.length).map(({ name }) => name));
    const last = await readOk(reader, { name: 'a.zip', bytes, entry: 'f69999' });
    expect(last.metadata.bytes).toBe(0);
  });

  it('walks to its end at any budget', async () => {
    const bytes = rawZip(
      [...Array(30).keys()].map((i) => ({ name: `folder/${'n'.repeat(i * 9)}${i}.txt`, data: 'x' })),
    );
    const whole = contentOf([await readOk(reader, { name: 'a.zip', bytes }, { all: true })]);
    for (const maxTokens of [9, 60, 250])
      expect(contentOf(await walk(reader, () => ({ name: 'a.zip', bytes }), { maxTokens }))).toBe(whole);
  });

  it('can be outlined as folders', async () => {
    const items = [...Array(300).keys()].map((i) => ({ name: `top/${i % 3}/deep/${i}.txt`, data: 'abc' }));
    const result = await readOk(
      reader,
      { name: 'a.zip', bytes: rawZip(items) },
      { overflow: 'outline', maxTokens: 300 },
    );
    expect(result.text).toContain(
      '- top/ 300 files, 900 bytes\n  - 0/ 100 files, 300 bytes\n    - deep/ 100 files',
    );
  });

  it('names its files where they fit in a list of contents', async () => {
    const items = ['stops.txt', 'fares/rules.csv', 'fares/zones.csv'].map((name) => ({ name, data: 'abc' }));
    const found = await reader.inspect({ name: 'a.zip', bytes: rawZip(items) }, { maxTokens: 300 });
    expect(found.success && found.contents?.text.split('\n').slice(1)).toEqual([
      '- stops.txt 3 bytes',
      '- fares/ 2 files, 6 bytes',
      '  - rules.csv 3 bytes',
      '  - zones.csv 3 bytes',
      '',
    ]);
  });
});

describe('names', () => {
  it.each<[what: string, item: ZipItem, line: RegExp]>([
    ['that leave the folder', { name: '../../etc/passwd' }, /^\.\.\/\.\.\/etc\/passwd,.*escapes the folder/],
    ['that leave it inside', { name: 'a/../../b' }, /escapes the folder/],
    ['that are absolute', { name: '/etc/passwd' }, /absolute path/],
    ['with a drive', { name: 'C:/x.txt' }, /drive letter/],
    ['with backslashes', { name: '..\\x.txt' }, /escapes the folder; backslash/],
    ['with a zero byte', { name: 'a\0.txt' }, /^a\\u\{0\}\.txt,.*hidden characters/],
    ['that run backwards', { name: 'a\u202etxt.exe', flags: 0x800 }, /^a\\u\{202e\}txt\.exe,.*hidden/],
    ['with a line break', { name: 'a\nb.txt' }, /^a\\u\{a\}b\.txt,/],
    ['in code page 437', { name: Buffer.from([0x81, 0x2e, 0x74]) }, /^ü\.t,/],
    ['in UTF-8 without the flag', { name: 'größe.txt' }, /^größe\.txt,/],
    ['of links', { name: 'link', data: '/etc', attributes: LINK }, /symlink/],
    ['of devices', { name: 'null', attributes: 0o020666 << 16 }, /device/],
    ['of nothing', { name: '' }, /no name/],
    ['of what is encrypted', { name: 'a', flags: 1 }, /encrypted/],
    ['packed otherwise', { name: 'a', method: 12 }, /packed with bzip2/],
  ])('%s are shown and flagged', async (_what, item, line) => {
    expect((await list([item]))[1]).toMatch(line);
  });

  it('that hold ordinary dots are not flagged', async () =>
    expect((await list([{ name: 'report..final.md' }, { name: '[...slug].tsx' }]))[0]).not.toContain(
      'notes',
    ));

  it('warn of what is unsafe, with counts', async () => {
    const result = await read([{ name: '../a' }, { name: '/b' }, { name: 'c' }]);
    expect(result).toMatchObject({
      warnings: [{ code: 'UNSAFE_NAMES', message: expect.stringContaining('2 of 3 entries') }],
    });
  });

  it('that occur twice are told, and so is what lies below a link', async () => {
    const lines = await list([
      { name: 'a' },
      { name: 'a' },
      { name: 'd', data: '/tmp', attributes: LINK },
      { name: 'd/x' },
    ]);
    expect(lines.slice(1).map((line) => line.split(',').at(-1))).toEqual([
      'name occurs twice',
      'name occurs twice',
      'symlink',
      'below a symbolic link',
    ]);
  });
});

describe('a lie', () => {
  const good = { name: 'a.txt', data: 'hello hello hello' };
  it.each<[what: string, items: readonly ZipItem[], end: ZipEnd, code: string]>([
    ['of a directory past the end', [good], { offset: 1e6 }, 'SKIPPED_CONTENT'],
    ['of a directory too large', [good], { size: 1e6 }, 'SKIPPED_CONTENT'],
    ['of a directory too small', [good], { size: 0 }, 'SKIPPED_CONTENT'],
    ['of being one of several parts', [good], { disk: 1 }, 'UNSUPPORTED_FORMAT'],
    ['of entries in one place', [good, { name: 'b', offset: 0 }], {}, 'CORRUPT_FILE'],
    ['of more entries', [good], { count: 7 }, 'SKIPPED_CONTENT'],
    ['in the local name', [{ ...good, localName: 'b.txt' }], {}, 'UNSAFE_NAMES'],
    ['in the local method', [{ ...good, localMethod: 0 }], {}, 'UNSAFE_NAMES'],
    ['of junk before', [good], { before: 'MZ junk' }, 'SKIPPED_CONTENT'],
  ])('%s is told', async (_what, items, end, code) => {
    expect(codes(await read(items, {}, end))).toContain(code);
  });

  it('of a comment of 65 535 bytes hides nothing', async () =>
    expect((await list([good], { comment: 'PK\u0005\u0006'.repeat(16_383) }))[1]).toContain('a.txt'));

  it.each<[what: string, item: Partial<ZipItem>, fault: RegExp]>([
    ['too small a size', { size: 3 }, /states 3 bytes and has 17/],
    ['too large a size', { size: 300 }, /states 300 bytes and has 17/],
    ['a wrong checksum', { crc: 1 }, /checksum does not match/],
  ])('%s is told when the entry is read', async (_what, lie, fault) => {
    const result = await read([{ ...good, ...lie }], { entry: 'a.txt' });
    expect(result).toMatchObject({ success: true, content: [{ text: good.data }] });
    expect(result.success && result.warnings.map(({ message }) => message).join()).toMatch(fault);
  });

  it('of damaged data gives what comes out', async () => {
    const data = [...Array(20_000).keys()].join('\n');
    const zip = rawZip([{ name: 'a.txt', data }]);
    zip.fill(0xff, Math.floor(zip.length / 2), Math.floor(zip.length / 2) + 300);
    const result = await reader.read({ name: 'a.zip', bytes: zip, entry: 'a.txt' }, { all: true });
    expect(codes(result)).toContain('SKIPPED_CONTENT');
    const text = result.success && result.content[0]?.kind === 'text' ? result.content[0].text : '';
    expect(data.startsWith(text.slice(0, 20_000)) && text.length > 20_000).toBe(true);
  });
});

describe('an entry', () => {
  it.each<[what: string, item: ZipItem, code: string]>([
    ['encrypted', { name: 'a', data: 'x', flags: 1 }, 'ENCRYPTED_FILE'],
    ['packed with AES', { name: 'a', data: 'x', method: 99, flags: 1 }, 'ENCRYPTED_FILE'],
    ['packed with LZMA', { name: 'a', data: 'x', method: 14 }, 'UNSUPPORTED_FORMAT'],
    ['packed with deflate64', { name: 'a', data: 'x', method: 9 }, 'UNSUPPORTED_FORMAT'],
    ['that is a link', { name: 'a', data: '/etc/passwd', attributes: LINK }, 'NOT_A_FILE'],
    ['that is no deflate data', { name: 'a', data: '', size: 5, packedSize: 0 }, 'CORRUPT_FILE'],
  ])('%s is refused', async (_what, item, code) => {
    expect(codes(await read([item], { entry: 'a' }))).toEqual([code]);
  });

  it('of a gigabyte of zeros is stopped by its ratio, not after inflating it', async () => {
    const bomb = deflateRawSync(Buffer.alloc(64 * 1024 * 1024));
    const zip = rawZip([{ name: 'a', data: bomb, method: 0 }]);
    // Stored deflate data under a deflate method: both headers say 8.
    zip.writeUInt16LE(8, 8);
    zip.writeUInt16LE(8, zip.indexOf('PK\u0001\u0002') + 10);
    const result = await reader.read({ name: 'a.zip', bytes: zip, entry: 'a' });
    expect(result).toMatchObject({
      success: false,
      error: { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('maxInflateRatio') },
    });
  });

  it('larger than memory allows is refused', async () => {
    const small = createReader({ environment: {}, limits: { maxBytesInMemory: 100_000 } });
    for (const method of [0, 8]) {
      const bytes = rawZip([{ name: 'a', data: [...Array(50_000).keys()].join(), method }]);
      const result = await small.read({ name: 'a.zip', bytes, entry: 'a' });
      expect(codes(result)).toEqual(['LIMIT_EXCEEDED']);
    }
  });

  it('survives any damaged byte', async () => {
    const zip = rawZip([
      { name: 'a/b.txt', data: 'some text, some text' },
      { name: 'c', data: 'x', method: 0 },
    ]);
    for (let at = 0; at < zip.length; at += 1)
      for (const value of [0, 0xff, (zip[at] ?? 0) ^ 0x40]) {
        const bytes = Buffer.from(zip);
        bytes[at] = value;
        for (const entry of [undefined, 'a/b.txt']) {
          const result = await reader.read({ name: 'a.zip', bytes, ...(entry !== undefined && { entry }) });
          expect(codes(result)).not.toContain('INTERNAL');
        }
      }
  });
});
