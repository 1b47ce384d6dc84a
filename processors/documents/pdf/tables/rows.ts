// From lines to the rows of a table whose columns are known: which lines are one row because a cell's text is wrapped, and
// which piece of a header stands over several columns.

import type { Word } from '../layout/words.ts';
import type { Gutter } from './columns.ts';
import { type Chunk, chunksOf, type Line, partOf } from './lines.ts';
import type { Stroke } from './strokes.ts';
import type { Cell } from './table.ts';
import { isNumber, isValue, plainText } from './values.ts';

/** The part of a line that stands in one cell. */
export interface CellSegment {
  readonly column: number;
  readonly colSpan: number;
  readonly line: Line;
  readonly text: string;
}

/** A line cut at the columns. */
export interface SegmentedLine {
  readonly line: Line;
  readonly pieces: readonly CellSegment[];
}

/** Lines that make one row. */
export interface Row {
  readonly lines: readonly SegmentedLine[];
  /** Whether it names columns. */
  readonly header: boolean;
}

/** From where to where something lies across the page. */
export interface Extent {
  readonly left: number;
  readonly right: number;
}

/** What is known of a stretch of lines. */
export interface RowFacts {
  /** Heights of rules between rows, ascending. */
  readonly rules: readonly number[];
  /** Rules over or under a part of the columns. */
  readonly partial: readonly Stroke[];
  /** How far the text of each column reaches. */
  readonly columns: readonly Extent[];
}

/** Cuts a line at the gutters; a piece that crosses some covers several columns. */
export function pieced(line: Line, gutters: readonly Gutter[]): SegmentedLine {
  const columnAt = (x: number): number => {
    let low = 0;
    let high = gutters.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const gutter = gutters[middle];
      if (gutter !== undefined && (gutter.from + gutter.to) / 2 <= x) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const parts = chunksOf(line, 0.45).flatMap((chunk) => partsOf(chunk, gutters, columnAt));
  const crossing = placed(line, parts, (part) => [columnAt(part.left + 0.1), columnAt(part.right - 0.1)]);
  if (crossing.every((piece) => piece.colSpan === 1)) return { line, pieces: crossing };
  // Where nearly every column has its name, a name that is wider than its column reaches over no other.
  const over = placed(line, parts, (part) => columnsUnder(part, gutters));
  return { line, pieces: over.length >= gutters.length ? over : crossing };
}

/** Parts as pieces in the columns from the first to the last that `range` gives; parts that share a column are one. */
function placed(
  line: Line,
  parts: readonly Chunk[],
  range: (part: Chunk) => readonly [number, number],
): CellSegment[] {
  const pieces: CellSegment[] = [];
  for (const part of parts) {
    const [column, end] = range(part);
    const last = Math.max(column, end);
    const before = pieces.at(-1);
    if (before !== undefined && before.column + before.colSpan - 1 >= column) {
      const words = [...before.line.words, ...part.words];
      const colSpan = Math.max(before.colSpan, last - before.column + 1);
      pieces[pieces.length - 1] = pieceOf(line, words, before.column, colSpan);
    } else pieces.push(pieceOf(line, part.words, column, last - column + 1));
  }
  return pieces;
}

/** The first and the last column whose text a part stands over; the nearest where it stands over none. */
function columnsUnder(part: Chunk, gutters: readonly Gutter[]): [number, number] {
  let first = -1;
  let last = -1;
  let nearest = 0;
  let distance = Number.POSITIVE_INFINITY;
  for (let column = 0; column <= gutters.length; column += 1) {
    const left = gutters[column - 1]?.to ?? Number.NEGATIVE_INFINITY;
    const right = gutters[column]?.from ?? Number.POSITIVE_INFINITY;
    const apart = Math.max(left - part.right, part.left - right);
    if (apart < distance) {
      distance = apart;
      nearest = column;
    }
    if (apart > -0.5) continue;
    if (first < 0) first = column;
    last = column;
  }
  return first < 0 ? [nearest, nearest] : [first, last];
}

/** How far, in em, words may reach into a gutter between them that is none the less theirs. */
const INTO_GUTTER = 0.08;

/** A chunk cut where a gap between its words fills a gutter, or parts a label from its number. */
function partsOf(chunk: Chunk, gutters: readonly Gutter[], columnAt: (x: number) => number): Chunk[] {
  if (columnAt(chunk.left + 0.1) === columnAt(chunk.right - 0.1)) return [chunk];
  const parts: { words: Word[]; left: number; right: number }[] = [];
  for (const word of chunk.words) {
    const part = parts.at(-1);
    const last = part?.words.at(-1);
    if (part === undefined || last === undefined || isApart(last, word, gutters, columnAt))
      parts.push({ words: [word], left: word.left, right: word.right });
    else {
      part.words.push(word);
      part.right = Math.max(part.right, word.right);
    }
  }
  return parts;
}

function isApart(
  left: Word,
  right: Word,
  gutters: readonly Gutter[],
  columnAt: (x: number) => number,
): boolean {
  const column = columnAt(left.right - 0.1);
  if (column === columnAt(right.left + 0.1)) return false;
  const gutter = gutters[column];
  if (gutter === undefined) return false;
  const em = INTO_GUTTER * left.size;
  if (left.right <= gutter.from + em && right.left >= gutter.to - em) return true;
  return isNumber(right.text) && /\p{L}/u.test(left.text);
}

function pieceOf(
  line: Line,
  words: readonly Line['words'][number][],
  column: number,
  colSpan: number,
): CellSegment {
  return { column, colSpan, line: partOf(line, words), text: plainText(words) };
}

/** The rows of a stretch of lines, from top to bottom. */
export function rowsOf(lines: readonly SegmentedLine[], facts: RowFacts): Row[] {
  const head = headerLines(lines, facts.rules);
  const header = headerRows(withSpans(lines.slice(0, head), lines[head], facts));
  return [...header, ...bodyRows(lines.slice(head), facts)];
}

/** How many lines at the top name columns: those above the first rule, or above the first line of values. */
function headerLines(lines: readonly SegmentedLine[], rules: readonly number[]): number {
  const firstValues = lines.findIndex((line) => isValueLine(line));
  const limit = firstValues < 0 ? lines.length : firstValues;
  const last = lines.at(-1)?.line.y ?? 0;
  for (const rule of rules) {
    let above = 0;
    while (above < lines.length && (lines[above]?.line.y ?? 0) < rule) above += 1;
    if (above === 0) continue;
    if (rule >= last) break;
    return above <= 8 && above <= Math.max(limit, 1) ? above : Math.min(limit, 1);
  }
  if (firstValues === 0) return 0;
  if (firstValues < 0 || firstValues > 6) return 1;
  // A label alone right above the first values heads a group of rows, unless it goes on with the line above.
  let head = firstValues;
  while (head > 1 && isLabel(lines[head - 1])) head -= 1;
  return head;
}

function isLabel(line: SegmentedLine | undefined): boolean {
  const only = line?.pieces.length === 1 ? line.pieces[0] : undefined;
  return only !== undefined && only.column === 0 && only.colSpan === 1 && !startsLow(only.text);
}

/** Whether most pieces right of the first column are values. */
export function isValueLine(line: SegmentedLine): boolean {
  let numbers = 0;
  let missing = 0;
  let others = 0;
  for (const piece of line.pieces) {
    if (piece.column === 0) continue;
    if (!isValue(piece.text) || isYear(piece.text)) others += 1;
    else if (isNumber(piece.text)) numbers += 1;
    else missing += 1;
  }
  return numbers > 0 ? numbers + missing >= others : missing > 0 && others === 0;
}

function isYear(text: string): boolean {
  return /^\(?(?:19|20)\d\d(?:[-/\u2013]\d{2,4})?[)*\u2020a-f]*$/u.test(text);
}

/** What stands under a piece over several columns is a new row; other lines of the header are names that are wrapped. */
function headerRows(lines: readonly SegmentedLine[]): Row[] {
  const rows: Row[] = [];
  let open: SegmentedLine[] = [];
  for (const line of lines) {
    if (
      open.some((above) => above.pieces.some((upper) => line.pieces.some((lower) => isUnder(upper, lower))))
    ) {
      rows.push({ lines: open, header: true });
      open = [];
    }
    open.push(line);
  }
  if (open.length > 0) rows.push({ lines: open, header: true });
  return rows.length < 2 ? rows : withRaisedNames(rows);
}

/** Names of columns that stand under no other name, on whichever line, all in the first row. */
function withRaisedNames(rows: readonly Row[]): Row[] {
  const spanned = new Set<number>();
  const all = rows.flatMap((row) => row.lines.flatMap((line) => line.pieces));
  for (const piece of all)
    if (piece.colSpan > 1)
      for (let column = piece.column; column < piece.column + piece.colSpan; column += 1) spanned.add(column);
  return rows.map((row, index) => {
    const lines = row.lines.map((line) => ({
      line: line.line,
      pieces: line.pieces.filter((piece) => index === 0 || spanned.has(piece.column)),
    }));
    if (index > 0) return { lines, header: true };
    const raised = rows
      .slice(1)
      .flatMap((other) => other.lines)
      .map((line) => ({ line: line.line, pieces: line.pieces.filter((piece) => !spanned.has(piece.column)) }))
      .filter((line) => line.pieces.length > 0);
    return { lines: [...lines, ...raised], header: true };
  });
}

/** Whether two pieces share columns without covering the same ones. */
function isUnder(upper: CellSegment, lower: CellSegment): boolean {
  if (upper.column >= lower.column + lower.colSpan || lower.column >= upper.column + upper.colSpan)
    return false;
  return upper.column !== lower.column || upper.colSpan !== lower.colSpan;
}

/** Lines nearer than this share of the distance of rows are of one row. */
const TIGHT = 0.87;

function bodyRows(lines: readonly SegmentedLine[], facts: RowFacts): Row[] {
  const ruled = isRuledThroughout(lines, facts.rules);
  const pitch = rowPitch(lines);
  const rows: SegmentedLine[][] = [];
  let open: SegmentedLine[] = [];
  /** Lines of a label whose values stand on a later line. */
  let pending = false;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index];
    if (line === undefined) continue;
    const previous = lines[index - 1];
    if (previous === undefined || open.length === 0) {
      open = [line];
    } else if (hasRuleBetween(previous, line, facts.rules)) {
      rows.push(open);
      open = [line];
      pending = false;
    } else if (ruled ? !isSecondRow(open, line) : pending || continues(previous, line, open, pitch, facts)) {
      open.push(line);
      pending = false;
    } else {
      rows.push(open);
      open = [line];
    }
    const next = lines[index + 1];
    if (!ruled && next !== undefined && labelGoesOn(line, next, pitch, facts)) pending = true;
  }
  if (open.length > 0) rows.push(open);
  return rows.map((row) => ({ lines: row, header: false }));
}

/** Whether a line between two rules is a row of its own: figures under figures, and a name under a name. */
function isSecondRow(row: readonly SegmentedLine[], line: SegmentedLine): boolean {
  let numbers = 0;
  let names = 0;
  for (const piece of line.pieces) {
    const over = row.some((above) => above.pieces.some((other) => other.column === piece.column));
    if (!over) continue;
    if (!isNumber(piece.text)) names += 1;
    else if (/^[([]/.test(piece.text) || !holdsNumber(row, piece.column)) return false;
    else numbers += 1;
  }
  return numbers >= 2 && names >= 1;
}

/** Whether rules part nearly all rows, so that what they do not part is one row. */
function isRuledThroughout(lines: readonly SegmentedLine[], rules: readonly number[]): boolean {
  let stretches = 0;
  let long = 0;
  let at = 0;
  let count = 0;
  for (const line of lines) {
    let moved = false;
    while (at < rules.length && (rules[at] ?? 0) < line.line.y) {
      at += 1;
      moved = true;
    }
    if (moved && count > 0) {
      stretches += 1;
      if (count > 3) long += 1;
      count = 0;
    }
    count += 1;
  }
  if (count > 0) {
    stretches += 1;
    if (count > 3) long += 1;
  }
  return stretches >= 3 && lines.length <= 2.2 * stretches && long <= 0.2 * stretches;
}

function hasRuleBetween(above: SegmentedLine, below: SegmentedLine, rules: readonly number[]): boolean {
  for (const rule of rules)
    if (rule > above.line.y - 1 && rule < below.line.y - 0.3 * below.line.size) return true;
  return false;
}

/** The distance of lines that both hold values, where nothing stands between; undefined where there are too few. */
function rowPitch(lines: readonly SegmentedLine[]): number | undefined {
  const distances: number[] = [];
  let last: SegmentedLine | undefined;
  for (const line of lines) {
    if (line.pieces.length < 2) continue;
    if (last !== undefined) distances.push(line.line.y - last.line.y);
    last = line;
  }
  if (distances.length < 2) return undefined;
  distances.sort((a, b) => a - b);
  return distances[distances.length >> 2];
}

/** Whether a line goes on with what the line above began in the same columns. */
function continues(
  above: SegmentedLine,
  line: SegmentedLine,
  row: readonly SegmentedLine[],
  pitch: number | undefined,
  facts: RowFacts,
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
    if (isNumber(piece.text) && (!tight || holdsNumber(row, piece.column))) return false;
    const over = above.pieces.find((other) => other.column === piece.column);
    if (over !== undefined && wraps(over, piece, facts)) wrapped += 1;
  }
  const label = line.pieces[0]?.column === 0;
  if (first.pieces.length < 2) return false;
  if (tight) return line.pieces.length < first.pieces.length || wrapped > 0;
  if (label && line.pieces.length > 1) return false;
  return wrapped === line.pieces.length && (!label || startsLow(line.pieces[0]?.text ?? ''));
}

function holdsNumber(row: readonly SegmentedLine[], column: number): boolean {
  return row.some((line) => line.pieces.some((piece) => piece.column === column && isNumber(piece.text)));
}

/** Whether a label without values is the beginning of the label on the next line. */
function labelGoesOn(
  line: SegmentedLine,
  next: SegmentedLine,
  pitch: number | undefined,
  facts: RowFacts,
): boolean {
  const label = line.pieces[0];
  const below = next.pieces[0];
  if (line.pieces.length !== 1 || label === undefined || label.column !== 0 || label.colSpan > 1)
    return false;
  if (below === undefined || below.column !== 0 || next.pieces.length < 2) return false;
  const distance = next.line.y - line.line.y;
  if (pitch !== undefined && distance > 1.3 * pitch) return false;
  const tight = pitch !== undefined && distance < TIGHT * pitch;
  return wraps(label, below, facts) && (tight || startsLow(below.text) || endsOpen(label.text));
}

/** Whether the upper piece is as long as its column allows, so that the lower may be its rest. */
function wraps(upper: CellSegment, lower: CellSegment, facts: RowFacts): boolean {
  const right = facts.columns[upper.column + upper.colSpan - 1]?.right;
  const word = lower.line.words[0];
  if (right === undefined || word === undefined) return false;
  return upper.line.right + 0.25 * upper.line.size + (word.right - word.left) > right - 1;
}

function startsLow(text: string): boolean {
  return /^[\p{Ll}(&/,;]/u.test(text);
}

function endsOpen(text: string): boolean {
  return /(?:[-,&/(]|\b(?:and|or|of|the|for|in|to|with|by|a|an|et|und|de|di|y|e|von|der|ja))$/iu.test(text);
}

/** The cells of the rows, the first row being `from`. */
export function cellsOfRows(rows: readonly Row[], from: number): Cell[] {
  const cells: Cell[] = [];
  rows.forEach((row, index) => {
    const byColumn = new Map<number, { colSpan: number; lines: Line[] }>();
    for (const part of row.lines) {
      for (const piece of part.pieces) {
        const cell = byColumn.get(piece.column);
        if (cell === undefined) byColumn.set(piece.column, { colSpan: piece.colSpan, lines: [piece.line] });
        else {
          cell.colSpan = Math.max(cell.colSpan, piece.colSpan);
          cell.lines.push(piece.line);
        }
      }
    }
    // A wide piece on one line and narrow ones beside it on another: each keeps the columns up to the next.
    const columns = [...byColumn.keys()].sort((a, b) => a - b);
    columns.forEach((column, at) => {
      const cell = byColumn.get(column);
      if (cell === undefined) return;
      const next = columns[at + 1] ?? Number.POSITIVE_INFINITY;
      cells.push({
        row: from + index,
        column,
        rowSpan: 1,
        colSpan: Math.min(cell.colSpan, next - column),
        lines: cell.lines,
      });
    });
  });
  return cells;
}

/**
 * Header lines whose names stand over several columns without reaching over their gutters: each is centred over its columns,
 * or stands over a rule of their width.
 */
function withSpans(
  lines: readonly SegmentedLine[],
  after: SegmentedLine | undefined,
  facts: RowFacts,
): SegmentedLine[] {
  return lines.map((line, index) => {
    const below = lines[index + 1] ?? after;
    if (below === undefined) return line;
    const pieces = underlined(line, facts) ?? centred(line, below, facts.columns);
    return pieces === undefined ? line : { line: line.line, pieces };
  });
}

function underlined(line: SegmentedLine, facts: RowFacts): CellSegment[] | undefined {
  let found = false;
  const pieces = line.pieces.map((piece) => {
    const rule = facts.partial.find(
      (stroke) =>
        stroke.at > line.line.y - 1 &&
        stroke.at < line.line.y + 1.5 * line.line.size &&
        stroke.from <= piece.line.left + 2 &&
        stroke.to >= piece.line.right - 2,
    );
    if (rule === undefined) return piece;
    const covered = columnsWithin(facts.columns, rule.from, rule.to);
    if (covered === undefined || covered.count < 2) return piece;
    found = true;
    return { ...piece, column: covered.first, colSpan: covered.count };
  });
  return found && isAscending(pieces) ? pieces : undefined;
}

function columnsWithin(
  columns: readonly Extent[],
  from: number,
  to: number,
): { first: number; count: number } | undefined {
  let first = -1;
  let count = 0;
  columns.forEach(({ left, right }, column) => {
    if (Math.min(right, to) - Math.max(left, from) < 0.5 * (right - left)) return;
    if (first < 0) first = column;
    count += 1;
  });
  return first < 0 ? undefined : { first, count };
}

function centred(
  line: SegmentedLine,
  below: SegmentedLine,
  columns: readonly Extent[],
): CellSegment[] | undefined {
  const names = line.pieces.filter((piece) => piece.column > 0);
  const others = line.pieces.filter((piece) => piece.column === 0);
  if (names.length < 2 || names.length > (columns.length - 1) / 2) return undefined;
  const under = below.pieces.filter((piece) => piece.column > 0).length;
  if (under < 2 * names.length) return undefined;
  const middles = names.map((piece) => (piece.line.left + piece.line.right) / 2);
  const groups: { first: number; count: number }[] = names.map(() => ({ first: -1, count: 0 }));
  for (let column = 1; column < columns.length; column += 1) {
    const middle = ((columns[column]?.left ?? 0) + (columns[column]?.right ?? 0)) / 2;
    let nearest = 0;
    middles.forEach((at, index) => {
      if (Math.abs(at - middle) < Math.abs((middles[nearest] ?? 0) - middle)) nearest = index;
    });
    const group = groups[nearest];
    if (group === undefined) continue;
    if (group.first < 0) group.first = column;
    group.count += 1;
  }
  const spanned: CellSegment[] = [];
  for (let index = 0; index < names.length; index += 1) {
    const group = groups[index];
    const piece = names[index];
    if (group === undefined || piece === undefined || group.count < 2) return undefined;
    const left = columns[group.first]?.left ?? 0;
    const right = columns[group.first + group.count - 1]?.right ?? 0;
    if (Math.abs((left + right) / 2 - (middles[index] ?? 0)) > 0.2 * (right - left)) return undefined;
    spanned.push({ ...piece, column: group.first, colSpan: group.count });
  }
  const pieces = [...others, ...spanned];
  return isAscending(pieces) ? pieces : undefined;
}

function isAscending(pieces: readonly CellSegment[]): boolean {
  let next = 0;
  for (const piece of pieces) {
    if (piece.column < next) return false;
    next = piece.column + piece.colSpan;
  }
  return true;
}
