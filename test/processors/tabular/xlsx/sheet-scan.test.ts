import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRow } from '../../../../processors/tabular/xlsx/cell.ts';
import { type SheetScan, scanSheet } from '../../../../processors/tabular/xlsx/sheet-scan.ts';
import { columnLetters } from '../../../../src/contract/index.ts';
import { draws } from '../../../support/draws.ts';

const signal = new AbortController().signal;

function scan(xml: string, pieceLength = 1e9): Promise<SheetScan> {
  const bytes = Buffer.from(xml);
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += pieceLength) yield bytes.subarray(at, at + pieceLength);
  }
  return scanSheet(pieces(), signal);
}

interface GridCell {
  readonly column: number;
  readonly kind: 'number' | 'inline' | 'formula' | 'blank';
}

const row = fc.record({
  gap: fc.integer({ min: 1, max: 5 }),
  named: fc.boolean(),
  hidden: fc.boolean(),
  cells: fc.uniqueArray(
    fc.record({
      column: fc.integer({ min: 1, max: 40 }),
      kind: fc.constantFrom('number', 'inline', 'formula', 'blank'),
    }) as fc.Arbitrary<GridCell>,
    { selector: ({ column }) => column, maxLength: 6 },
  ),
});

function cellXml(prefix: string, { column, kind }: GridCell, number: number): string {
  const open = `<${prefix}c s='1' r="${columnLetters(column)}${number}"`;
  if (kind === 'blank') return `${open}/>`;
  if (kind === 'inline')
    return `${open} t="inlineStr"><${prefix}is><${prefix}t>row wow f</${prefix}t></${prefix}is></${prefix}c>`;
  if (kind === 'formula')
    return `${open}><${prefix}f>A1*2</${prefix}f><${prefix}v>4</${prefix}v></${prefix}c>`;
  return `${open}><${prefix}v>${column}</${prefix}v></${prefix}c>`;
}

describe('scanSheet', () => {
  it('finds what a full parse finds, however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 12 }),
        fc.constantFrom('', 'x:'),
        fc.integer({ min: 1, max: 200 }),
        async (rows, prefix, pieceLength) => {
          let number = 0;
          let lastRow = 0;
          let firstRow = 0;
          let lastColumn = 0;
          let formulas = 0;
          let body = '';
          for (const { gap, named, hidden, cells } of rows) {
            number += named ? gap : 1;
            const sorted = [...cells].sort((a, b) => a.column - b.column);
            const holds = sorted.filter(({ kind }) => kind !== 'blank');
            if (holds.length > 0) {
              lastRow = number;
              if (firstRow === 0) firstRow = number;
              lastColumn = Math.max(lastColumn, holds.at(-1)?.column ?? 0);
            }
            formulas += sorted.filter(({ kind }) => kind === 'formula').length;
            const tag = `<${prefix}row${hidden ? ' hidden="1"' : ''}${named ? ` r="${number}"` : ''}`;
            body +=
              sorted.length === 0
                ? `${tag}/>`
                : `${tag}>${sorted.map((cell) => cellXml(prefix, cell, number)).join('')}</${prefix}row>`;
          }
          const xml = `<${prefix}worksheet><${prefix}cols><${prefix}col min="2" max="3" hidden="1"/></${prefix}cols><${prefix}sheetData>${body}</${prefix}sheetData><${prefix}mergeCells count="9"><${prefix}mergeCell ref="A1:B2"/><${prefix}mergeCell ref="C1:D2"/></${prefix}mergeCells><rowBreaks/></${prefix}worksheet>`;
          const found = await scan(xml, pieceLength);
          expect(found).toMatchObject({
            rows: lastRow,
            firstRow,
            columns: lastColumn,
            formulas,
            hiddenRows: rows.filter(({ hidden }) => hidden).length,
            hiddenColumns: 2,
            mergedCount: 2,
            merged: ['A1:B2', 'C1:D2'],
            ordered: true,
            ignored: 0,
          });
        },
      ),
      { numRuns: draws(300) },
    );
  });

  it('keeps both ends of a long sheet', async () => {
    const rows = Array.from(
      { length: 5000 },
      (_, index) => `<row r="${index + 1}"><c r="A${index + 1}"><v>${index}</v></c></row>`,
    );
    const found = await scan(`<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`, 300);
    const [head, tail] = found.blocks;
    expect(found.rows).toBe(5000);
    expect([head?.from, head?.to, head?.rows.length]).toEqual([1, 256, 256]);
    expect(tail?.to).toBe(5000);
    expect(tail?.rows.map(({ number }) => number)).toContain(4991);
    expect(tail?.rows.map(({ xml }) => xml.toString())).toEqual(rows.slice((tail?.from ?? 0) - 1));
  });

  it('does not believe the dimension, and survives rows that are never closed', async () => {
    const found = await scan(
      '<worksheet><dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1"><v>1</v></c><row r="2"><c r="B2"><v>2</v></c>',
    );
    expect([found.rows, found.columns]).toEqual([2, 2]);
  });

  it('notes rows out of order and past the end of a sheet', async () => {
    const found = await scan(
      '<worksheet><sheetData><row r="5"><c r="A5"><v>1</v></c></row><row r="2"><c r="A2"><v>1</v></c></row><row r="999999999"><c r="A1"><v>1</v></c></row></sheetData></worksheet>',
    );
    expect(found).toMatchObject({ ordered: false, ignored: 1, rows: 5, firstRow: 2 });
  });

  it('bounds what `col max` claims', async () => {
    const found = await scan(
      '<worksheet><cols><col min="1" max="2000000000" hidden="1"/></cols><sheetData/></worksheet>',
    );
    expect(found.hiddenColumns).toBe(16_384);
  });

  it('lists empty stretches that get no line', async () => {
    const found = await scan(
      '<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>',
    );
    expect(found).toMatchObject({ rows: 1_048_576, columns: 16_384, blankRuns: [[2, 1_048_575]] });
  });
});

describe('parseRow', () => {
  it('takes attributes in any order and quotes, cells without a name, and drops what lies outside', () => {
    const { cells, ignored } = parseRow(
      `<x:row><x:c><x:v>1</x:v></x:c><x:c t='str' s="3" r='D1'><x:v>a &amp; b</x:v></x:c><x:c r="ZZZZ1"><x:v>2</x:v></x:c></x:row>`,
    );
    expect(cells.map(({ column, value, style, type }) => [column, value, style, type])).toEqual([
      [1, '1', 0, 'n'],
      [4, 'a & b', 3, 'str'],
    ]);
    expect(ignored).toBe(1);
  });

  it('never fails on any text', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '/',
      'c',
      'row',
      ' r="A1"',
      '<c',
      '</c>',
      '<v>',
      '</v>',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '&#0;',
      '&',
      '<f',
      '<is><t>',
      'x:',
      '1',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        expect(Array.isArray(parseRow(`<row>${pieces.join('')}`).cells)).toBe(true);
      }),
      { numRuns: draws(2000) },
    );
  });
});
