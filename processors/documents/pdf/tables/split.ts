// Splits cells of a drawn grid that contain several text cells, because rules separate only some rows or columns.

import { guttersOf } from './columns.ts';
import type { Grid, GridCell } from './grid.ts';
import { type Line, partOf, usualSize } from './lines.ts';
import { bodyRows } from './rows/body-rows.ts';
import type { CellSegment, SegmentedLine } from './rows/cell-segment.ts';
import type { Extent } from './rows/row.ts';
import { isBetweenSeries, VALUE_GAP } from './series.ts';
import type { Cell } from './table.ts';
import { isNumber, isValue, plainText } from './values.ts';

/** A cell of a grid with its content. */
export interface FilledCell extends GridCell {
  readonly lines: readonly Line[];
}

/** Minimum gap, in em, between columns of text without any rule, in at least `LEAST_ROWS` lines. */
const PLAIN_GUTTER = 1;
const LEAST_ROWS = 3;

/** The grid with an additional boundary wherever the text of one column splits into several, row after row. */
export function withTextColumns(
  grid: Grid,
  cells: readonly FilledCell[],
): { grid: Grid; cells: FilledCell[] } {
  const wide = grid.xs.length - 1;
  const linesOf: Line[][] = Array.from({ length: wide }, () => []);
  for (const cell of cells) {
    if (cell.colSpan > 1 || cell.lines.length === 0) continue;
    for (const line of cell.lines) linesOf[cell.column]?.push(line);
  }
  const added: number[] = [];
  linesOf.forEach((lines) => {
    if (lines.length < LEAST_ROWS) return;
    const em = usualSize(lines);
    for (const gutter of guttersOf([...lines].sort((a, b) => a.y - b.y)).gutters) {
      const middle = (gutter.from + gutter.to) / 2;
      const least = isBetweenSeries(lines, middle) ? VALUE_GAP : PLAIN_GUTTER;
      if (gutter.to - gutter.from < least * em) continue;
      if (lines.filter((line) => isPartedAt(line, middle, least) === 'parted').length >= LEAST_ROWS)
        added.push(middle);
    }
  });
  if (added.length === 0) return { grid, cells: [...cells] };
  const xs = [...grid.xs, ...added].sort((a, b) => a - b);
  const columnOf = grid.xs.map((x) => xs.indexOf(x));
  const moved = cells.map((cell) => {
    const column = columnOf[cell.column] ?? 0;
    const end = columnOf[cell.column + cell.colSpan] ?? xs.length - 1;
    return { ...cell, column, colSpan: end - column };
  });
  return { grid: { ...grid, xs }, cells: moved };
}

/** Position of a boundary relative to a line's words. */
function isPartedAt(line: Line, x: number, gap: number): 'parted' | 'crossed' | 'beside' {
  let before = Number.NEGATIVE_INFINITY;
  let after = Number.POSITIVE_INFINITY;
  for (const word of line.words) {
    const middle = (word.left + word.right) / 2;
    if (middle < x) before = Math.max(before, word.right);
    else after = Math.min(after, word.left);
  }
  if (before === Number.NEGATIVE_INFINITY || after === Number.POSITIVE_INFINITY)
    return before > x + 1 || after < x - 1 ? 'crossed' : 'beside';
  return after - before >= gap * line.size && before <= x + 1 && after >= x - 1 ? 'parted' : 'crossed';
}

/** Splits cells that span several columns at the boundaries most of them keep free of text. */
export function withSplitColumns(grid: Grid, cells: readonly FilledCell[]): FilledCell[] {
  const parted = new Uint32Array(grid.xs.length);
  const crossed = new Uint32Array(grid.xs.length);
  for (const cell of cells)
    for (let mark = cell.column + 1; mark < cell.column + cell.colSpan; mark += 1)
      for (const line of cell.lines) {
        const how = isPartedAt(line, grid.xs[mark] ?? 0, 0.4);
        if (how === 'parted') parted[mark] = (parted[mark] ?? 0) + 1;
        else if (how === 'crossed') crossed[mark] = (crossed[mark] ?? 0) + 1;
      }
  const result: FilledCell[] = [];
  for (const cell of cells) {
    const marks: number[] = [cell.column];
    for (let mark = cell.column + 1; mark < cell.column + cell.colSpan; mark += 1) {
      const often = parted[mark] ?? 0;
      if (often < 2 || often <= 2 * (crossed[mark] ?? 0)) continue;
      if (cell.lines.every((line) => isPartedAt(line, grid.xs[mark] ?? 0, 0.4) !== 'crossed'))
        marks.push(mark);
    }
    const parts = marks.length > 1 ? partsOf(cell, marks, grid.xs) : [];
    if (parts.filter((part) => part.lines.length > 0).length >= 2) result.push(...parts);
    else result.push(cell);
  }
  return result;
}

function partsOf(cell: FilledCell, marks: readonly number[], xs: readonly number[]): FilledCell[] {
  return marks.map((mark, index) => {
    const next = marks[index + 1] ?? cell.column + cell.colSpan;
    const from = index === 0 ? Number.NEGATIVE_INFINITY : (xs[mark] ?? 0);
    const to = index === marks.length - 1 ? Number.POSITIVE_INFINITY : (xs[next] ?? 0);
    const lines: Line[] = [];
    for (const line of cell.lines) {
      const words = line.words.filter((word) => {
        const middle = (word.left + word.right) / 2;
        return middle >= from && middle < to;
      });
      if (words.length > 0) lines.push(partOf(line, words));
    }
    return { row: cell.row, column: mark, rowSpan: cell.rowSpan, colSpan: next - mark, lines };
  });
}

/** Splits grid rows that contain several rows of text, because only the columns are ruled. */
export function withSplitRows(cells: readonly FilledCell[], high: number): Cell[] {
  const byRow: FilledCell[][] = Array.from({ length: high }, () => []);
  for (const cell of cells) if (cell.rowSpan === 1) byRow[cell.row]?.push(cell);
  const starts: number[] = [];
  const splits: (TextRows | undefined)[] = [];
  let next = 0;
  for (let row = 0; row < high; row += 1) {
    const split = textRows(byRow[row] ?? []);
    starts.push(next);
    splits.push(split);
    next += split?.count ?? 1;
  }
  starts.push(next);
  const result: Cell[] = [];
  for (const cell of cells) {
    const row = starts[cell.row] ?? 0;
    const split = cell.rowSpan === 1 ? splits[cell.row] : undefined;
    if (split === undefined) {
      const rowSpan = (starts[cell.row + cell.rowSpan] ?? next) - row;
      result.push({ row, column: cell.column, rowSpan, colSpan: cell.colSpan, lines: cell.lines });
      continue;
    }
    const parts: Line[][] = Array.from({ length: split.count }, () => []);
    for (const line of cell.lines) parts[split.rowOf.get(line) ?? 0]?.push(line);
    parts.forEach((lines, index) => {
      result.push({ row: row + index, column: cell.column, rowSpan: 1, colSpan: cell.colSpan, lines });
    });
  }
  return result;
}

/** The rows of text in one grid row. */
interface TextRows {
  readonly count: number;
  readonly rowOf: ReadonlyMap<Line, number>;
}

/** Numbers below each other in one cell that are several rows without further evidence. */
const STACKED = 3;
/** Share of values among the lines of a cell of numbers. */
const MOST_VALUES = 0.8;

/** The rows of text in one grid row; undefined if it is one row. */
function textRows(cells: readonly FilledCell[]): TextRows | undefined {
  const full = cells.filter((cell) => cell.lines.length > 0);
  const long = full.filter((cell) => cell.lines.length >= 2);
  if (long.length < 2) return undefined;
  const numeric = long.filter((cell) => {
    const texts = cell.lines.map((line) => plainText(line.words));
    const values = texts.filter((text) => isValue(text)).length;
    return values >= MOST_VALUES * texts.length && texts.some((text) => isNumber(text));
  });
  const label = full.reduce((left, cell) => (cell.column < left.column ? cell : left));
  if (numeric.length === 0) return undefined;
  const deepest = numeric.reduce((most, cell) => (cell.lines.length > most.lines.length ? cell : most));
  const named = long.some((cell) => !numeric.includes(cell) && isAlongside(cell, deepest));
  const series = numeric.filter((cell) => cell.lines.length >= STACKED).length;
  if (label !== deepest && label.lines.length < 0.7 * deepest.lines.length && !named && series < 2)
    return undefined;
  if (deepest.lines.length < STACKED && (numeric.length < 2 || isBracketed(deepest.lines[1])))
    return undefined;
  const lines = alignedLines(full);
  const columns = new Map(full.map((cell) => [cell.column, cell]));
  const last = Math.max(...columns.keys());
  const extents = Array.from({ length: last + 1 }, (_, column) => extentOf(columns.get(column)?.lines ?? []));
  const rows = bodyRows(lines, { rules: [], partial: [], columns: extents });
  const rowOf = new Map<Line, number>();
  rows.forEach((row, index) => {
    for (const line of row.lines) for (const piece of line.pieces) rowOf.set(piece.line, index);
  });
  return rows.length < 2 ? undefined : { count: rows.length, rowOf };
}

/** A line this far below that of other cells, in em, is centred between their lines. */
const HALF_WAY = 0.7;

/** The lines of cells side by side, each with its cells' pieces. */
function alignedLines(cells: readonly FilledCell[]): SegmentedLine[] {
  const all = cells
    .flatMap((cell) => cell.lines.map((line) => ({ cell, line })))
    .sort((a, b) => a.line.y - b.line.y);
  const lines: { line: Line; pieces: CellSegment[] }[] = [];
  for (const { cell, line } of all) {
    const { column, colSpan } = cell;
    const piece = { column, colSpan, line, text: plainText(line.words) };
    const open = lines.at(-1);
    const step = line.y - (open?.line.y ?? 0);
    const isBeside = open?.pieces.every((other) => other.column !== column) === true;
    if (open !== undefined && isBeside && step <= HALF_WAY * line.size) open.pieces.push(piece);
    else lines.push({ line, pieces: [piece] });
  }
  for (const { pieces } of lines) pieces.sort((a, b) => a.column - b.column);
  return lines;
}

function extentOf(lines: readonly Line[]): Extent {
  return {
    left: lines.reduce((least, { left }) => Math.min(least, left), Number.POSITIVE_INFINITY),
    right: lines.reduce((most, { right }) => Math.max(most, right), Number.NEGATIVE_INFINITY),
  };
}

/** True if a cell has one line beside each line of another. */
function isAlongside(cell: FilledCell, other: FilledCell): boolean {
  return (
    cell.lines.length === other.lines.length &&
    cell.lines.every((line, index) => Math.abs(line.y - (other.lines[index]?.y ?? 0)) <= 0.3 * line.size)
  );
}

function isBracketed(line: Line | undefined): boolean {
  return /^[([]/.test(line?.words[0]?.text ?? '');
}
