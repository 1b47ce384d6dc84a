// Rows whose cells are centred on each other, as browsers set them: their lines are at different heights, so that white
// across the whole table parts the rows rather than baselines.

import type { SegmentedLine } from './cell-segment.ts';

/** Lines nearer than this many em overlap; if not nearly on one baseline, they are of cells with different numbers of lines. */
export const HALF = 0.85;
const LEAST_HALF = 0.35;
/** Minimum share of lines that overlap the one above. */
const LEAST = 0.1;
/** Middles of centred cells differ by less than this many em, in at least this share of the rows. */
const OFF_CENTER = 0.3;
const MOSTLY = 0.8;
/** Lines further apart than this multiple of the distance of lines in a cell have a row boundary between them. */
const APART = 1.1;

/** The rows of a table with centred cells; undefined for another. */
export function bandsOf(lines: readonly SegmentedLine[]): SegmentedLine[][] | undefined {
  const steps = lines.map(({ line }, index) => line.y - (lines[index - 1]?.line.y ?? line.y));
  const overlapping = lines.filter(({ line, pieces }, index) => {
    const above = lines[index - 1]?.pieces;
    const isBeside = above?.every(({ column }) => pieces.every((piece) => piece.column !== column));
    const step = (steps[index] ?? 0) / line.size;
    return isBeside === true && step > LEAST_HALF && step < HALF;
  });
  const leading = leadingOf(lines);
  if (overlapping.length < Math.max(2, LEAST * lines.length) || leading === undefined) return undefined;
  const rows: SegmentedLine[][] = [];
  for (const [index, line] of lines.entries()) {
    const row = rows.at(-1);
    if (row !== undefined && (steps[index] ?? 0) <= APART * leading) row.push(line);
    else rows.push([line]);
  }
  const high = rows.filter((row) => row.length > 1);
  return high.filter(isCentered).length >= MOSTLY * high.length ? rows : undefined;
}

/** True if the cells of a row have one middle. */
function isCentered(row: readonly SegmentedLine[]): boolean {
  const cells = new Map<number, { top: number; bottom: number }>();
  for (const { line, pieces } of row)
    for (const { column } of pieces) {
      const cell = cells.get(column);
      if (cell === undefined) cells.set(column, { top: line.y, bottom: line.y });
      else cell.bottom = line.y;
    }
  const middles = [...cells.values()].map(({ top, bottom }) => (top + bottom) / 2);
  const most = Math.max(...row.map(({ line }) => line.size));
  return Math.max(...middles) - Math.min(...middles) < OFF_CENTER * most;
}

/** The smallest distance of two lines in one column. */
function leadingOf(lines: readonly SegmentedLine[]): number | undefined {
  const last = new Map<number, number>();
  let least = Number.POSITIVE_INFINITY;
  for (const { line, pieces } of lines)
    for (const { column } of pieces) {
      const step = line.y - (last.get(column) ?? Number.NEGATIVE_INFINITY);
      if (step > HALF * line.size) least = Math.min(least, step);
      last.set(column, line.y);
    }
  return Number.isFinite(least) ? least : undefined;
}
