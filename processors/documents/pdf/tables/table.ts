// A table on a page: its position, its cells, and its glyphs.

import { countBefore } from '../../../../src/contract/index.ts';
import type { Box, Glyph } from '../ink/ink.ts';
import { originalOf } from '../ink/turned.ts';
import type { Line } from './lines.ts';

/** One cell, in the row and column where it starts. */
export interface Cell {
  /** Both 0-based. */
  readonly row: number;
  readonly column: number;
  /** Number of rows and columns it covers; 1 for a regular cell. */
  readonly rowSpan: number;
  readonly colSpan: number;
  /** From top to bottom; empty in an empty cell. */
  readonly lines: readonly Line[];
}

/** A table found on a page. */
export interface Table {
  readonly box: Box;
  /** Every row's cells from left to right. A place covered by a cell that started earlier has none. */
  readonly rows: readonly (readonly Cell[])[];
  readonly columns: number;
  /** The glyphs in the cells, which are not part of the running text. */
  readonly glyphs: ReadonlySet<Glyph>;
  /** Whether its grid is made of rules, or of white space between columns. */
  readonly kind: 'ruled' | 'borderless';
  /** Number of rows at the top that name the columns; 0 if unknown. */
  readonly headerRows: number;
}

/** A table from its cells, in any order. Empty rows and columns are dropped. */
export function tableOf(
  box: Box,
  cells: readonly Cell[],
  kind: Table['kind'],
  headerRows: number,
): Table | undefined {
  const rowsUsed = new Set<number>();
  const columnsUsed = new Set<number>();
  for (const cell of cells) {
    if (cell.lines.length === 0) continue;
    rowsUsed.add(cell.row);
    columnsUsed.add(cell.column);
  }
  const rowAt = renumbered(rowsUsed);
  const columnAt = renumbered(columnsUsed);
  const rows: Cell[][] = Array.from({ length: rowAt.count }, () => []);
  const glyphs = new Set<Glyph>();
  for (const cell of cells) {
    const row = rowAt.first(cell.row, cell.rowSpan);
    const column = columnAt.first(cell.column, cell.colSpan);
    if (row === undefined || column === undefined) continue;
    rows[row.at]?.push({
      row: row.at,
      column: column.at,
      rowSpan: row.span,
      colSpan: column.span,
      lines: cell.lines,
    });
    for (const line of cell.lines)
      for (const word of line.words) for (const glyph of word.glyphs) glyphs.add(originalOf(glyph));
  }
  if (rowAt.count === 0 || columnAt.count === 0) return undefined;
  for (const row of rows) row.sort((a, b) => a.column - b.column);
  let header = 0;
  for (let row = 0; row < headerRows; row += 1) if (rowsUsed.has(row)) header += 1;
  return { box, rows, columns: columnAt.count, glyphs, kind, headerRows: header };
}

interface Renumbering {
  readonly count: number;
  /** The new position of the places from `at` on; undefined if none of them is kept. */
  first(at: number, span: number): { readonly at: number; readonly span: number } | undefined;
}

function renumbered(used: ReadonlySet<number>): Renumbering {
  const kept = [...used].sort((a, b) => a - b);
  return {
    count: kept.length,
    first(at, span) {
      const from = countBefore(kept.length, (index) => (kept[index] ?? 0) < at);
      const end = countBefore(kept.length, (index) => (kept[index] ?? 0) < at + span);
      return end <= from ? undefined : { at: from, span: end - from };
    },
  };
}
