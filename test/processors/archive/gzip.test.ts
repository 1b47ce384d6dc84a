// Gzip: one file is read in place of its packing; damage, bombs and files inside themselves end.

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createReader, type FileExtractionResult } from '../../../src/index.ts';
import { tarOf } from '../../support/archive.ts';
import { contentOf, readOk, walk } from '../../support/walk.ts';

const reader = createReader({ environment: {} });
const read = (bytes: Uint8Array, name = 'a.txt.gz'): Promise<FileExtractionResult> =>
  reader.read({ name, bytes }, { all: true });
const warningsOf = (result: FileExtractionResult): string =>
  result.success ? result.warnings.map(({ message }) => message).join('\n') : result.error.code;
const textOf = (result: FileExtractionResult): string =>
  result.success ? contentOf([result]) : result.error.code;

const table = `id,name\n${Array.from({ length: 500 }, (_, i) => `${i},name ${i}`).join('\n')}\n`;

describe('one packed file', () => {
  it('is read as what it packs, under its own name', async () => {
    const bytes = gzipSync(table);
    const result = await readOk(reader, { name: 'data.csv.gz', bytes });
    expect(result).toMatchObject({
      processor: 'csv',
      metadata: {
        name: 'data.csv.gz',
        bytes: bytes.length,
        rows: 500,
        compression: 'gzip',
        unpackedBytes: table.length,
      },
    });
    const answers = await walk(reader, () => ({ name: 'data.csv.gz', bytes }), {
      maxTokens: 2000,
      rows: '1-',
    });
    expect(contentOf(answers)).toBe(table);
  });

  it('is named by its header where the file has no telling name, never with folders', async () => {
    const plain = gzipSync('{"a": 1}');
    const named = Buffer.concat([
      plain.subarray(0, 3),
      Buffer.from([8]),
      plain.subarray(4, 10),
      Buffer.from('../../x.json\0'),
      plain.subarray(10),
    ]);
    expect(await read(named, 'blob')).toMatchObject({ processor: 'json', metadata: { name: 'blob' } });
    const entry = await reader.read({ name: 'blob', bytes: named, entry: 'x.json' });
    expect(entry).toMatchObject({ success: true, metadata: { name: 'blob!/x.json' } });
  });

  it('has a name in an old encoding', async () => {
    const plain = gzipSync('a,b\n1,2\n');
    const name = Buffer.from('cef2f7b8f22e63737600', 'hex');
    const named = Buffer.concat([
      plain.subarray(0, 3),
      Buffer.from([8]),
      plain.subarray(4, 10),
      name,
      plain.subarray(10),
    ]);
    const entry = await reader.read({ name: 'blob', bytes: named, entry: 'Отчёт.csv' });
    expect(entry).toMatchObject({ success: true, metadata: { name: 'blob!/Отчёт.csv' } });
  });

  it('of several members is all of them', async () =>
    expect(textOf(await read(Buffer.concat([gzipSync('one\n'), gzipSync('two\n')])))).toBe('one\ntwo\n'));

  it('packed twice is unpacked twice', async () =>
    expect(textOf(await read(gzipSync(gzipSync('deep\n')), 'a.txt.gz.gz'))).toBe('deep\n'));

  it('of nothing is empty', async () => expect(warningsOf(await read(gzipSync('')))).toContain('empty'));
});

describe('damage', () => {
  it.each([1, 8])('that cuts %i bytes off a packed tar archive is told', async (bytes) => {
    const packed = gzipSync(tarOf([{ name: 'a.txt', data: 'hello\n' }]));
    expect(warningsOf(await read(packed, 'a.tar.gz'))).not.toContain('cut off');
    const result = await read(packed.subarray(0, -bytes), 'a.tar.gz');
    expect(warningsOf(result)).toContain('cut off');
    expect(textOf(result)).toContain('a.txt');
  });

  it('that cuts the data off leaves what came', async () => {
    const bytes = gzipSync([...Array(40_000).keys()].join('\n'));
    const result = await read(bytes.subarray(0, bytes.length / 2));
    expect(textOf(result)).toMatch(/^0\n1\n2\n/);
    expect(warningsOf(result)).toContain('cut off');
  });

  it.each([
    [8, 'checksum'],
    [4, 'checksum'],
  ])('of the last %i bytes is told: %s', async (back, word) => {
    const bytes = Buffer.from(gzipSync('hello\n'));
    bytes[bytes.length - back] = (bytes[bytes.length - back] ?? 0) ^ 1;
    const result = await read(bytes);
    expect(textOf(result)).toBe('hello\n');
    expect(warningsOf(result)).toContain(word);
  });

  it('behind the data is told, padding is not', async () => {
    expect(warningsOf(await read(Buffer.concat([gzipSync('x\n'), Buffer.from('junk')])))).toContain(
      '4 bytes after',
    );
    expect(warningsOf(await read(Buffer.concat([gzipSync('x\n'), Buffer.alloc(512)])))).toBe('');
  });

  it('of all of it is refused', async () =>
    expect(await read(Buffer.concat([gzipSync('x').subarray(0, 10), Buffer.alloc(40, 0xff)]))).toMatchObject({
      error: { code: 'CORRUPT_FILE' },
    }));

  it('of any byte is survived', async () => {
    const whole = gzipSync('hello hello hello\n');
    for (let at = 0; at < whole.length; at += 1) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0x55;
      expect(warningsOf(await read(bytes))).not.toBe('INTERNAL');
    }
  });
});

it('stops a bomb of zeros by its ratio', async () => {
  const result = await read(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
  expect(result).toMatchObject({ success: false, error: { code: 'LIMIT_EXCEEDED' } });
});

it('stops a tar of zeros by its ratio', async () => {
  const result = await read(gzipSync(Buffer.alloc(64 * 1024 * 1024)), 'a.tar.gz');
  expect(result).toMatchObject({ success: false, error: { code: 'LIMIT_EXCEEDED' } });
});

it('lists what is packed too deep in place of unpacking it', async () => {
  let bytes = gzipSync('deep\n');
  for (let i = 0; i < 5; i += 1) bytes = gzipSync(bytes);
  const result = await read(bytes, 'a.gz');
  expect(result).toMatchObject({ success: true, processor: 'gzip' });
  expect(warningsOf(result)).toContain('nested too deeply');
});
