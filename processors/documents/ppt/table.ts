// A table on a slide: a group of one shape per cell and one per line. Rows and columns come from the edges of the cells.

import { edgeAt, edgesOf, Grid, type GridCell, type Table } from '../../../src/document/index.ts';
import type { Box } from '../slide-order.ts';

export interface TableCell {
  readonly box: Box;
  /** Inline content. */
  readonly text: string;
}

/** Edges nearer than this (English Metric Units, a fiftieth of an inch) are one. */
const TOLERANCE = 18_288;

/** The table as one block. Empty without text. */
export function shapeTable(cells: readonly TableCell[]): Table {
  const across = spansOf(cells.map(({ box }) => ({ from: box.x, length: box.width })));
  const down = spansOf(cells.map(({ box }) => ({ from: box.y, length: box.height })));
  const rows: (GridCell & { readonly column: number })[][] = [];
  for (const [index, { text }] of cells.entries()) {
    const [column = 0, columns = 1] = across[index] ?? [];
    const [row = 0, height = 1] = down[index] ?? [];
    rows[row] ??= [];
    rows[row].push({ column, columns, rows: height, text: () => text });
  }
  const grid = new Grid('implied');
  for (const row of rows) grid.add(row.sort((a, b) => a.column - b.column));
  return grid.table('table');
}

/** The first row or column of each cell, and how many it spans. */
function spansOf(cells: readonly { readonly from: number; readonly length: number }[]): [number, number][] {
  // Some programs write rows of almost no height, as if the text would stretch them.
  const thin = new Set(cells.filter(({ length }) => length <= TOLERANCE).map(({ from }) => from));
  const edges = edgesOf(
    cells.map(({ from }) => from),
    TOLERANCE,
    (edge) => thin.has(edge),
  );
  return cells.map(({ from, length }) => {
    const first = edgeAt(edges, from);
    return [first, edgeAt(edges, from + length - Math.min(TOLERANCE, length / 2)) - first + 1];
  });
}
