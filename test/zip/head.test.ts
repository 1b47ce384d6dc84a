import { describe, expect, it } from 'vitest';
import { zipHeadNames } from '../../src/zip/head.ts';
import { rawZip } from '../support/archive.ts';
import { zipOf } from '../support/zip.ts';

describe('the names at the head of a zip file', () => {
  const inner = zipOf([{ name: 'xl/workbook.bin', data: 'inside' }]);

  it('are those of its entries, and not those of a zip inside it', () => {
    const bytes = zipOf([
      { name: 'book.xlsb', data: inner, stored: true },
      { name: '\\Word\\Document.xml', data: 'content' },
    ]);
    expect(zipHeadNames(bytes)).toEqual(['book.xlsb', 'word/document.xml']);
  });

  it('are found where sizes follow the data', () => {
    const items = ['a', 'b'].map((name) => ({ name, data: 'content', flags: 8, packedSize: 0 }));
    expect(zipHeadNames(rawZip(items))).toEqual(['a', 'b']);
  });

  it('end with the head, and are none for anything else', () => {
    const bytes = zipOf([
      { name: 'a', data: 'x'.repeat(100), stored: true },
      { name: 'b', data: 'content' },
    ]);
    expect(zipHeadNames(bytes.subarray(0, 140))).toEqual(['a']);
    expect(zipHeadNames(Buffer.from('PK'))).toEqual([]);
    expect(zipHeadNames(Buffer.from('no zip file, but text'.repeat(9)))).toEqual([]);
  });
});
