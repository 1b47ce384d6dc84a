// Tables that go on over a page break: the part on the next page has no names above its columns, and gets those of the
// page before.

import type { Ink } from '../ink/ink.ts';
import { linesOf } from './lines.ts';
import { isShown } from './ruled.ts';
import type { Cell, Table } from './table.ts';

/** The names of a table that ends a page, for the part on the next one. */
export interface Tail {
  readonly names: readonly (readonly Cell[])[];
  /** Horizontal extent of each column's text. */
  readonly columns: readonly { readonly left: number; readonly right: number }[];
  /** Pages between the names and the end of this page's part; 0 if they are on this page. */
  readonly pages: number;
}

/** Lines between a table and the edge of the page: running heads, page numbers. */
const MOST_LINES = 2;

/** The table at the end of the page, with its names; `table` replaces the one that got its names from the page before. */
export function tailOf(tables: readonly Table[], ink: Ink, pages = 0): Tail | undefined {
  const last = tables.reduce<Table | undefined>(
    (low, table) => (low === undefined || table.box.bottom > low.box.bottom ? table : low),
    undefined,
  );
  if (last === undefined || !hasNames(last) || linesBeyond(ink, last, 'below') > MOST_LINES) return undefined;
  return { names: last.rows.slice(0, last.headerRows), columns: columnsOf(last), pages };
}

/** The table at the start of the page, if nothing names its columns. */
export function namelessTable(tables: readonly Table[], ink: Ink): Table | undefined {
  const [first] = tables;
  if (first === undefined || hasNames(first)) return undefined;
  return linesBeyond(ink, first, 'above') <= MOST_LINES ? first : undefined;
}

/** The table under the names of the page before; undefined if its columns are others. */
export function underNames(table: Table, tail: Tail): Table | undefined {
  const columns = columnsOf(table);
  if (columns.length !== tail.columns.length) return undefined;
  const fits = columns.every(({ left, right }, index) => {
    const other = tail.columns[index];
    return other !== undefined && left <= other.right && right >= other.left;
  });
  if (!fits) return undefined;
  const moved = table.rows.map((row) => row.map((cell) => ({ ...cell, row: cell.row + tail.names.length })));
  return { ...table, rows: [...tail.names, ...moved], headerRows: tail.names.length };
}

/** True if a row at the top has text in several columns that are not the label's. */
function hasNames(table: Table): boolean {
  return table.rows
    .slice(0, table.headerRows)
    .some((row) => row.some((cell) => cell.column > 0 && cell.lines.length > 0));
}

function columnsOf(table: Table): { left: number; right: number }[] {
  const columns = Array.from({ length: table.columns }, () => ({
    left: Number.POSITIVE_INFINITY,
    right: Number.NEGATIVE_INFINITY,
  }));
  for (const row of table.rows)
    for (const cell of row) {
      const column = columns[cell.column];
      if (column === undefined || cell.colSpan > 1) continue;
      for (const line of cell.lines) {
        column.left = Math.min(column.left, line.left);
        column.right = Math.max(column.right, line.right);
      }
    }
  return columns;
}

function linesBeyond(ink: Ink, table: Table, side: 'above' | 'below'): number {
  const { top, bottom } = table.box;
  const glyphs = ink.glyphs.filter(
    (glyph) =>
      isShown(glyph) && !table.glyphs.has(glyph) && (side === 'above' ? glyph.y < top : glyph.y > bottom),
  );
  return linesOf(glyphs, ink.fonts).length;
}
