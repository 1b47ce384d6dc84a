// Tar archives, alone and packed with gzip: what is listed, what is flagged, what damage leaves.

import { gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { createReader, type FileExtractionResult } from '../../../src/index.ts';
import { paxRecord, type TarItem, tarHeader, tarOf } from '../../support/archive.ts';
import { contentOf } from '../../support/walk.ts';

const reader = createReader({ environment: {} });
const warningsOf = (result: FileExtractionResult): string =>
  result.success
    ? result.warnings.map(({ code, message }) => `${code} ${message}`).join('\n')
    : result.error.code;
const list = async (bytes: Buffer, name = 'a.tar'): Promise<string[]> => {
  const result = await reader.read({ name, bytes }, { all: true });
  if (!result.success) throw new Error(`${result.error.code} ${result.error.message}`);
  return contentOf([result]).trimEnd().split('\n').slice(1);
};
const entry = (bytes: Buffer, path: string, name = 'a.tar'): Promise<FileExtractionResult> =>
  reader.read({ name, bytes, entry: path }, { all: true });
const textOf = (result: FileExtractionResult): string =>
  result.success ? contentOf([result]) : result.error.code;

/** A base-256 number of 12 bytes. */
function binary(value: bigint): Uint8Array {
  const field = new Uint8Array(12);
  let left = BigInt.asUintN(96, value);
  for (let i = 11; i >= 0; i -= 1, left >>= 8n) field[i] = Number(left & 0xffn);
  field[0] = value < 0n ? 0xff : 0x80;
  return field;
}

describe.each([
  ['plain', 'a.tar', (bytes: Buffer) => bytes],
  ['packed', 'a.tgz', (bytes: Buffer) => gzipSync(bytes)],
])('a %s archive', (_what, name, pack) => {
  it('lists and reads what it holds', async () => {
    const bytes = pack(
      tarOf([
        { name: 'd/', type: '5' },
        { name: 'd/a.txt', data: 'hello' },
        { name: 'b.csv', data: 'x,y\n1,2\n' },
      ]),
    );
    expect(await list(bytes, name)).toEqual([
      'd/,,2023-11-14 22:13',
      'd/a.txt,5,2023-11-14 22:13',
      'b.csv,8,2023-11-14 22:13',
    ]);
    expect(textOf(await entry(bytes, 'd/a.txt', name))).toBe('hello');
    expect(await entry(bytes, 'b.csv', name)).toMatchObject({ processor: 'csv' });
    expect(textOf(await entry(bytes, 'd/', name))).toBe(
      'path,bytes,modified\nd/,,2023-11-14 22:13\nd/a.txt,5,2023-11-14 22:13\n',
    );
  });

  it('that is cut off lists what came', async () => {
    const whole = tarOf([
      { name: 'a', data: 'x'.repeat(2000) },
      { name: 'b', data: 'y'.repeat(5000) },
    ]);
    const bytes = pack(whole.subarray(0, 512 + 2048 + 512 + 1000));
    const result = await reader.read({ name, bytes });
    expect(result).toMatchObject({ success: true, metadata: { entries: 2 } });
    expect(warningsOf(result)).toMatch(/SKIPPED_CONTENT.*its last entry has 1000 of 5000 bytes/);
    expect(textOf(await entry(bytes, 'b', name))).toBe('y'.repeat(1000));
  });
});

describe('names and kinds', () => {
  const long = `${'folder/'.repeat(30)}name.txt`;
  it.each<[what: string, items: readonly TarItem[], line: string | RegExp]>([
    [
      'a pax path',
      [{ name: 'x', type: 'x', data: paxRecord('path', long) }, { name: 'short' }],
      new RegExp(`^${long},`),
    ],
    [
      'a GNU long name',
      [{ name: '././@LongLink', type: 'L', data: `${long}\0` }, { name: 'short' }],
      new RegExp(`^${long},`),
    ],
    ['a name that leads out', [{ name: '../x' }], /escapes the folder/],
    [
      'a pax path that leads out',
      [{ name: 'x', type: 'x', data: paxRecord('path', '/etc/x') }, { name: 'a' }],
      /^\/etc\/x,.*absolute/,
    ],
    [
      'a symbolic link',
      [{ name: 'l', type: '2', target: '../../etc' }],
      /symlink to \.\.\/\.\.\/etc; link to outside the folder/,
    ],
    ['a hard link', [{ name: 'l', type: '1', target: 'a' }], /hardlink to a/],
    ['a device', [{ name: 'null', type: '3' }], /device/],
    ['a pipe', [{ name: 'p', type: '6' }], /pipe/],
    [
      'a sparse file of a terabyte',
      [
        { name: 's', type: 'x', data: paxRecord('GNU.sparse.realsize', '1099511627776') },
        { name: 's', data: 'x' },
      ],
      /^s,1099511627776,.*sparse/,
    ],
    ['a size of base 256', [{ name: 'a', data: 'xyz', size: binary(3n) }], /^a,3,/],
    [
      'a pax size',
      [
        { name: 'x', type: 'x', data: paxRecord('size', '3') },
        { name: 'a', data: 'xyz', size: '00000000000' },
      ],
      /^a,3,/,
    ],
    ['a control character', [{ name: 'a\u001b[31m' }], /^a\\u\{1b\}\[31m,.*hidden/],
  ])('lists %s', async (_what, items, line) => {
    const lines = await list(tarOf([...items, { name: 'last' }]));
    expect(lines[0]).toMatch(line);
    expect(lines.at(-1)).toMatch(/^last,/);
  });

  it.each([
    ['l', '2', 'NOT_A_FILE'],
    ['n', '3', 'NOT_A_FILE'],
    ['s', 'S', 'UNSUPPORTED_FORMAT'],
    ['z', '0', 'FILE_NOT_FOUND'],
  ])('%s of type %s is not read: %s', async (name, type, code) => {
    const bytes = tarOf([{ name: name === 'z' ? 'a' : name, type, target: 'x' }]);
    expect(textOf(await entry(bytes, name))).toBe(code);
  });

  it('the last of one name is read, with a warning', async () => {
    const result = await entry(
      tarOf([
        { name: 'a', data: 'old' },
        { name: 'a', data: 'new' },
      ]),
      'a',
    );
    expect(textOf(result)).toBe('new');
    expect(warningsOf(result)).toContain('2 entries are named');
  });
});

describe('damage', () => {
  const good = { name: 'good', data: 'x' };
  it.each<[what: string, bad: TarItem, fault: RegExp]>([
    ['a negative size', { name: 'a', size: binary(-5n) }, /invalid size/],
    ['a size beyond numbers', { name: 'a', size: binary(2n ** 80n) }, /invalid size/],
    ['a size that is not a number', { name: 'a', size: 'xyz' }, /invalid size/],
    ['a pax header of a gigabyte', { name: 'a', type: 'x', size: '10000000000\0' }, /more than the maximum/],
  ])('%s ends the list', async (_what, bad, fault) => {
    const result = await reader.read({ name: 'a.tar', bytes: tarOf([good, bad]) });
    expect(result).toMatchObject({ success: true, metadata: { entries: 1 } });
    expect(warningsOf(result)).toMatch(fault);
  });

  it('a wrong checksum is passed over', async () => {
    const result = await reader.read({
      name: 'a.tar',
      bytes: tarOf([good, { name: 'bad', checksum: '000001\0 ' }, { name: 'next' }]),
    });
    expect(result).toMatchObject({ success: true, metadata: { entries: 2 } });
    expect(warningsOf(result)).toMatch(/512 bytes at byte 1024/);
  });

  it('an archive of none of it is refused', async () => {
    const bytes = tarHeader({ name: 'a', size: 'xyz' });
    expect(await reader.read({ name: 'a.tar', bytes })).toMatchObject({ error: { code: 'CORRUPT_FILE' } });
  });

  it('any damaged byte is survived', async () => {
    const whole = tarOf([
      { name: 'x', type: 'x', data: paxRecord('path', 'long') },
      { name: 'a', data: 'text' },
    ]);
    for (let at = 0; at < whole.length; at += 7)
      for (const value of [0, 0xff, 0x39]) {
        const bytes = Buffer.from(whole);
        bytes[at] = value;
        const result = await reader.read({ name: 'a.tar', bytes });
        expect(result.success || result.error.code !== 'INTERNAL').toBe(true);
      }
  });
});

describe('names that are not UTF-8', () => {
  it.each([
    ['windows-1251', ['Отчёт за год.txt', 'Привет мир.doc']],
    ['koi8-r', ['Документы/Отчёт за год.txt', 'plain.txt']],
    ['windows-1252', ['Übersicht – neu.txt', 'Größe.txt']],
    ['windows-1250', ['Žluťoučký kůň.txt']],
    ['cp850', ['São João.txt', 'Conceição.txt']],
    ['shift_jis', ['新しいフォルダ/ソース.txt']],
    ['gbk', ['文档/中文说明.txt']],
  ])('are read together, as %s', async (encoding, names) => {
    const bytes = tarOf(names.map((name) => ({ name: iconv.encode(name, encoding), data: 'inside' })));
    expect((await list(bytes)).map((line) => line.split(',', 1)[0])).toEqual(names);
    expect(warningsOf(await reader.read({ name: 'a.tar', bytes }))).toMatch(
      /^ENCODING_GUESSED Names in the tar archive declare no encoding; they are read as /,
    );
    expect(textOf(await entry(bytes, names[0] ?? ''))).toBe('inside');
  });

  it('leave names in UTF-8 as they are', async () => {
    const names = ['Größe.txt', 'Отчёт.txt'];
    const bytes = tarOf([{ name: 'Größe.txt' }, { name: iconv.encode('Отчёт.txt', 'windows-1251') }]);
    expect((await list(bytes)).map((line) => line.split(',', 1)[0])).toEqual(names);
  });
});
