// A table on a slide: a group of one shape per cell and one per line. Rows and columns come from the edges of the cells.

import { type Block, tableBlock } from '../../../src/document/index.ts';
import type { Box } from '../slide-order.ts';

export interface TableCell {
  readonly box: Box;
  /** Markdown. */
  readonly text: string;
}

const MAX_CELLS = 20_000;
const MAX_EDGES = 1000;
/** Edges nearer than this (English Metric Units, a fiftieth of an inch) are one. */
const TOLERANCE = 18_288;

/** The table as one block; a merged cell's text is repeated in every cell it spans. Empty without text. */
export function shapeTable(cells: readonly TableCell[]): Block {
  const kept = cells.slice(0, MAX_CELLS);
  if (kept.every(({ text }) => text === '')) return tableBlock([]);
  const columns = edges(kept.map(({ box }) => ({ from: box.x, length: box.width })));
  const rows = edges(kept.map(({ box }) => ({ from: box.y, length: box.height })));
  const grid = rows.map(() => columns.map(() => ''));
  for (const { box, text } of kept) {
    const right = box.x + box.width - Math.min(TOLERANCE, box.width / 2);
    const bottom = box.y + box.height - Math.min(TOLERANCE, box.height / 2);
    for (let row = indexOf(rows, box.y); row < rows.length && (rows[row] ?? 0) < bottom; row += 1)
      for (let at = indexOf(columns, box.x); at < columns.length && (columns[at] ?? 0) < right; at += 1) {
        const line = grid[row];
        if (line) line[at] = text;
      }
  }
  return tableBlock(grid);
}

function edges(cells: readonly { readonly from: number; readonly length: number }[]): number[] {
  // Some programs write rows of almost no height, as if the text would stretch them.
  const thin = new Set(cells.filter(({ length }) => length <= TOLERANCE).map(({ from }) => from));
  const found: number[] = [];
  for (const value of cells.map(({ from }) => from).sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last === undefined || value - last > TOLERANCE || (value > last && thin.has(last))) found.push(value);
  }
  return found.slice(0, MAX_EDGES);
}

function indexOf(edgeList: readonly number[], value: number): number {
  let low = 0;
  let high = edgeList.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edgeList[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
