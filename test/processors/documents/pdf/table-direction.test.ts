import { expect, test } from 'vitest';
import { wordsOf } from '../../../../processors/documents/pdf/layout/words.ts';
import { inReadingDirection } from '../../../../processors/documents/pdf/table-direction.ts';
import type { Cell, Table } from '../../../../processors/documents/pdf/tables/table.ts';
import { typed } from './layout-ink.ts';

function cell(text: string, column: number, colSpan = 1): Cell {
  const glyphs = typed(text, 0, 0);
  const box = { left: 0, top: 0, right: 10, bottom: 10 };
  return {
    row: 0,
    column,
    rowSpan: 1,
    colSpan,
    lines: [{ ...box, y: 0, size: 10, words: wordsOf(glyphs), glyphs }] as never,
  };
}

const table = (...cells: Cell[]): Table => ({
  box: { left: 0, top: 0, right: 10, bottom: 10 },
  rows: [cells],
  columns: 3,
  glyphs: new Set(),
  kind: 'ruled',
  headerRows: 0,
});

const columnsOf = (one: Table): number[][] => one.rows.map((row) => row.map(({ column }) => column));

test('a Hebrew table starts at the right', () => {
  const given = table(cell('510', 0), cell('\u05D0\u05D1 \u05D2', 1, 2));
  const mirrored = inReadingDirection(given);
  expect(columnsOf(mirrored)).toEqual([[0, 2]]);
  expect(mirrored.rows[0]?.[0]).toMatchObject({ colSpan: 2 });
});

test('any other table stays', () => {
  const given = table(cell('one', 0), cell('510', 1), cell('\u05D0', 2));
  expect(inReadingDirection(given)).toBe(given);
});
