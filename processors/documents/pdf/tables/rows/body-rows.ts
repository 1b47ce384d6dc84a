// The body of a table as rows: which lines start a row, and which continue the one above.

import { isNumber, isValue } from '../values.ts';
import type { CellSegment, SegmentedLine } from './cell-segment.ts';
import { holdsNumber, type Row, type RowFacts, startsLow, TIGHT } from './row.ts';

/** The rows of the lines below the header. */
export function bodyRows(lines: readonly SegmentedLine[], facts: RowFacts): Row[] {
  const numeric = numericColumns(lines);
  const ruled = isRuledThroughout(lines, facts.rules, numeric);
  const pitch = rowPitch(lines, numeric);
  const rows: SegmentedLine[][] = [];
  let open: SegmentedLine[] = [];
  /** Whether the last line of `open` is the start of a label that goes on. */
  let pending = false;
  lines.forEach((line, index) => {
    const previous = lines[index - 1];
    const joins =
      previous !== undefined &&
      open.length > 0 &&
      !hasRuleBetween(previous, line, facts.rules) &&
      (ruled || pending || continues(previous, line, open, pitch, facts, numeric));
    if (joins) open.push(line);
    else {
      if (open.length > 0) rows.push(open);
      open = [line];
    }
    pending = !ruled && labelGoesOn(open, lines[index + 1], pitch, facts);
  });
  if (open.length > 0) rows.push(open);
  return rows.map((row) => ({ lines: row, header: false }));
}

/**
 * True if rules separate nearly all rows, so that lines without a rule in between are one row: few lines between two, or
 * one record between two.
 */
function isRuledThroughout(
  lines: readonly SegmentedLine[],
  rules: readonly number[],
  numeric: ReadonlySet<number>,
): boolean {
  const stretches: SegmentedLine[][] = [];
  let at = -1;
  for (const line of lines) {
    const above = rules.findLastIndex((rule) => rule < line.line.y);
    if (above === at && stretches.length > 0) stretches.at(-1)?.push(line);
    else stretches.push([line]);
    at = above;
  }
  if (stretches.length === 2)
    return stretches.every((stretch) => isRecord(stretch, numeric) && isBeside(stretch));
  if (stretches.length < 2) return false;
  const long = stretches.filter((stretch) => stretch.length > 3);
  if (lines.length <= 2.2 * stretches.length && long.length <= 0.2 * stretches.length) return true;
  // The first may be the rest of a row of the page before.
  const whole = linesWith(stretches[0] ?? [], 0) === 0 ? stretches.slice(1) : stretches;
  return whole.filter((stretch) => isRecord(stretch, numeric)).length >= 0.9 * whole.length;
}

/** One label, and at most one value of each column of numbers. */
const isRecord = (lines: readonly SegmentedLine[], numeric: ReadonlySet<number>): boolean =>
  linesWith(lines, 0) === 1 && [...numeric].every((column) => linesWith(lines, column) <= 1);

/** True if another cell has one line too, at the height of the label. */
function isBeside(lines: readonly SegmentedLine[]): boolean {
  const label = lines.find(({ pieces }) => pieces[0]?.column === 0);
  return label?.pieces.some(({ column }) => column > 0 && linesWith(lines, column) === 1) ?? false;
}

const linesWith = (lines: readonly SegmentedLine[], column: number): number =>
  lines.filter(({ pieces }) => pieces.some((piece) => piece.column === column)).length;

function hasRuleBetween(above: SegmentedLine, below: SegmentedLine, rules: readonly number[]): boolean {
  for (const rule of rules)
    if (rule > above.line.y - 1 && rule < below.line.y - 0.3 * below.line.size) return true;
  return false;
}

/**
 * The distance of rows, as far as it is known: of adjacent lines with numbers, else of the lines that start rows to
 * those above, else of lines with several pieces.
 */
function rowPitch(lines: readonly SegmentedLine[], numeric: ReadonlySet<number>): number | undefined {
  const hasNumbers = (line: SegmentedLine): boolean =>
    line.pieces.some((piece) => numeric.has(piece.column) && isNumber(piece.text));
  const most = lines.reduce((count, line) => Math.max(count, line.pieces.length), 0);
  const isStart = (line: SegmentedLine): boolean =>
    line.pieces[0]?.column === 0 && line.pieces.length >= Math.max(3, START * most);
  const adjacent: number[] = [];
  const starts: number[] = [];
  const distances: number[] = [];
  let last: SegmentedLine | undefined;
  lines.forEach((line, index) => {
    const above = lines[index - 1];
    if (above !== undefined) {
      const step = line.line.y - above.line.y;
      if (hasNumbers(above) && hasNumbers(line)) adjacent.push(step);
      if (isStart(line) && above.pieces[0]?.column !== 0) starts.push(step);
    }
    if (line.pieces.length < 2) return;
    if (last !== undefined) distances.push(line.line.y - last.line.y);
    last = line;
  });
  const known = adjacent.length > 0 ? adjacent : [starts, distances].find((list) => list.length >= 2);
  if (known === undefined) return undefined;
  known.sort((a, b) => a - b);
  return known[known.length >> 2];
}

/** Share of the columns that the first line of a row has text in. */
const START = 0.75;

/** The columns after the first that mostly have values. */
function numericColumns(lines: readonly SegmentedLine[]): Set<number> {
  const counts = new Map<number, { values: number; all: number }>();
  for (const { pieces } of lines)
    for (const piece of pieces) {
      if (piece.column === 0) continue;
      const count = counts.get(piece.column) ?? { values: 0, all: 0 };
      count.all += 1;
      if (isValue(piece.text)) count.values += 1;
      counts.set(piece.column, count);
    }
  return new Set([...counts].filter(([, { values, all }]) => values >= 0.6 * all).map(([column]) => column));
}

/** Lines of a cell this many steps apart have an empty one between them. */
const CELL_GAP = 1.6;

/** True if a line continues the line above in the same columns. */
function continues(
  above: SegmentedLine,
  line: SegmentedLine,
  row: readonly SegmentedLine[],
  pitch: number | undefined,
  facts: RowFacts,
  numeric: ReadonlySet<number>,
): boolean {
  const distance = line.line.y - above.line.y;
  const tight = pitch !== undefined && distance < TIGHT * pitch;
  if (pitch !== undefined && distance > 1.3 * pitch) return false;
  const first = row[0];
  if (first === undefined) return false;
  const started = new Set<number>();
  for (const part of row) for (const piece of part.pieces) started.add(piece.column);
  let wrapped = 0;
  for (const piece of line.pieces) {
    if (!started.has(piece.column)) return false;
    if (isNumber(piece.text) && numeric.has(piece.column) && (!tight || holdsNumber(row, piece.column)))
      return false;
    const over = above.pieces.find((other) => other.column === piece.column);
    if (over === undefined && isBelowAGap(line, piece.column, row)) return false;
    if (over !== undefined && wraps(over, piece, facts)) wrapped += 1;
  }
  const label = line.pieces[0]?.column === 0;
  if (first.pieces.length < 2) return false;
  if (tight) return line.pieces.length < first.pieces.length || wrapped > 0;
  if (label && line.pieces.length > 1) return false;
  return wrapped === line.pieces.length && (!label || startsLow(line.pieces[0]?.text ?? ''));
}

/** True if the cell above has ended: lines of the row below its last have nothing in its column. */
function isBelowAGap({ line }: SegmentedLine, column: number, row: readonly SegmentedLine[]): boolean {
  const last = row.findLast(({ pieces }) => pieces.some((piece) => piece.column === column));
  const step = line.y - (row.at(-1)?.line.y ?? 0);
  return last !== undefined && line.y - last.line.y > CELL_GAP * Math.max(step, line.size);
}

/** True if a label without values, all of `row`, goes on in the next line, with its values or without. */
function labelGoesOn(
  row: readonly SegmentedLine[],
  next: SegmentedLine | undefined,
  pitch: number | undefined,
  facts: RowFacts,
): boolean {
  const line = row.at(-1);
  const label = line?.pieces[0];
  const below = next?.pieces[0];
  if (line === undefined || next === undefined || label === undefined || below === undefined) return false;
  if (row.some((part) => part.pieces.length > 1) || label.column !== 0 || label.colSpan > 1) return false;
  if (below.column !== 0 || below.colSpan > 1) return false;
  const distance = next.line.y - line.line.y;
  if (pitch !== undefined && distance > 1.3 * pitch) return false;
  if (!wraps(label, below, facts)) return false;
  const tight = pitch !== undefined && distance < TIGHT * pitch;
  return tight || startsLow(below.text);
}

/** True if the upper piece is as long as its column allows, so that the lower may be its continuation. */
function wraps(upper: CellSegment, lower: CellSegment, facts: RowFacts): boolean {
  const left = facts.columns[upper.column]?.left;
  const right = facts.columns[upper.column + upper.colSpan - 1]?.right;
  const word = lower.line.words[0];
  if (left === undefined || right === undefined || word === undefined) return false;
  const { size } = upper.line;
  const before = upper.line.left - left;
  const after = right - upper.line.right;
  // Labels are indented, not centred.
  const isCentered = upper.column > 0 && Math.abs(before - after) < CENTERED * size;
  return word.right - word.left + 0.25 * size > after + (isCentered ? before : 0) - 1;
}

/** White on both sides of a centred piece differs by less than this many em. */
const CENTERED = 0.5;
