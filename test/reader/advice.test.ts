// What the hint of a refused file advises: by its content, never by a name that the content does not bear out.

import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';

const reader = createReader({ environment: {} });

const CONTENT: readonly (readonly [string, Buffer, string])[] = [
  ['RAR', Buffer.concat([Buffer.from('Rar!\x1a\x07\0', 'latin1'), Buffer.alloc(60)]), '`unrar x`'],
  ['Netpbm', Buffer.concat([Buffer.from('P5 10 10 255\n'), Buffer.alloc(100, 0xa0)]), '`lectern formats`'],
];
const NAMES = ['a', 'a.pdf', 'a.docx', 'a.zip', 'a.xls', 'a.txt', 'a.png', 'a.db', 'a.doc', 'a.7z', 'a.bz2'];

describe.each(CONTENT)('%s', (_, bytes, advice) => {
  it.each(NAMES)('as %s', async (name) => {
    expect(await reader.read({ name, bytes })).toMatchObject({
      error: { code: 'UNSUPPORTED_FORMAT', hint: expect.stringContaining(advice) },
    });
  });
});

it('does not go by the name of what nothing is known of', async () => {
  const bytes = Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 97) & 255));
  for (const name of ['a', 'a.lz', 'a.rar', 'a.db'])
    expect(await reader.read({ name, bytes })).toMatchObject({
      error: {
        code: 'UNSUPPORTED_FORMAT',
        hint: 'Convert it to a format that `lectern formats` lists, or read another file.',
      },
    });
  expect(await reader.read({ name: 'a.pdf', bytes })).toMatchObject({ error: { code: 'CORRUPT_FILE' } });
});

it('tells a RAR archive named as a PDF how to unpack it, not how to extract text', async () => {
  const bytes = Buffer.concat([Buffer.from('Rar!\x1a\x07\0', 'latin1'), Buffer.alloc(60)]);
  expect(await reader.read({ name: 'a.pdf', bytes })).toMatchObject({
    error: {
      code: 'UNSUPPORTED_FORMAT',
      message: '`a.pdf` is a RAR archive, which is not supported.',
      hint: 'Unpack it (for example with `unrar x`) and read one of its files.',
    },
  });
});

it.each(['a', 'a.xls', 'a.xlsx', 'a.txt', 'a.pdf'])('refuses a workspace of Excel 4 as %s', async (name) => {
  // A BOF record of BIFF4 (0x0409) of a workbook (0x0100).
  const bytes = Buffer.concat([Buffer.from('0904060000000001', 'hex'), Buffer.alloc(200)]);
  expect(await reader.read({ name, bytes })).toMatchObject({
    error: { code: 'UNSUPPORTED_FORMAT', message: expect.stringContaining('a workspace of Excel 3 or 4') },
  });
});
