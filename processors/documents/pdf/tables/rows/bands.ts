// Rows whose cells are centred on each other, as browsers set them: their lines are at different heights, so that white
// across the whole table parts the rows rather than baselines.

import type { SegmentedLine } from './cell-segment.ts';

/** Lines nearer than this many em are of different cells. */
export const OVERLAP = 0.85;
/** Lines of text in two sizes may be this many em apart on one baseline. */
const OFF_BASELINE = 0.35;
/** Lines further apart than this multiple of the distance of lines in a cell have a row boundary between them. */
const APART = 1.1;
/** Middles of centred cells differ by less than this many em. */
const OFF_CENTER = 0.3;
/** Minimum rows with cells of different numbers of lines, and the share of them that are centred. */
const LEAST_ROWS = 2;
const MOSTLY = 0.8;

/** The rows of a table with centred cells; undefined for another. */
export function bandsOf(lines: readonly SegmentedLine[]): SegmentedLine[][] | undefined {
  const leading = leadingOf(lines);
  const rows: SegmentedLine[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const line of lines) {
    const row = rows.at(-1);
    if (row !== undefined && line.line.y - last <= APART * leading) row.push(line);
    else rows.push([line]);
    last = line.line.y;
  }
  const high = rows.filter(({ length }) => length > 1).map(cellsOf);
  const centered = high.filter(areCentered);
  const uneven = centered.filter((cells) => new Set(cells.map(({ lines: count }) => count)).size > 1);
  const isOverlapping = lines.some(({ line, pieces }, index) => {
    const above = lines[index - 1];
    const step = (line.y - (above?.line.y ?? line.y)) / line.size;
    const columns = above?.pieces.map(({ column }) => column) ?? [];
    return step > OFF_BASELINE && step < OVERLAP && !pieces.some(({ column }) => columns.includes(column));
  });
  const isKnown = isOverlapping && uneven.length >= LEAST_ROWS && centered.length >= MOSTLY * high.length;
  return isKnown ? rows : undefined;
}

/** True if all cells of a row have one middle. */
function areCentered(cells: readonly CellExtent[]): boolean {
  const middles = cells.map(({ top, bottom }) => (top + bottom) / 2);
  return Math.max(...middles) - Math.min(...middles) < OFF_CENTER * (cells[0]?.size ?? 0);
}

interface CellExtent {
  readonly top: number;
  readonly size: number;
  bottom: number;
  lines: number;
}

function cellsOf(row: readonly SegmentedLine[]): CellExtent[] {
  const cells = new Map<number, CellExtent>();
  for (const { line, pieces } of row)
    for (const { column } of pieces) {
      const cell = cells.get(column);
      if (cell === undefined) cells.set(column, { top: line.y, bottom: line.y, size: line.size, lines: 1 });
      else {
        cell.bottom = line.y;
        cell.lines += 1;
      }
    }
  return [...cells.values()];
}

/** The smallest distance of two lines in one column. */
function leadingOf(lines: readonly SegmentedLine[]): number {
  const last = new Map<number, number>();
  let least = Number.POSITIVE_INFINITY;
  for (const { line, pieces } of lines)
    for (const { column } of pieces) {
      const step = line.y - (last.get(column) ?? Number.NEGATIVE_INFINITY);
      if (step > OVERLAP * line.size) least = Math.min(least, step);
      last.set(column, line.y);
    }
  return least;
}
