// Splits a line into segments by table column, and assigns each segment its columns.

import { countBefore } from '../../../../../src/contract/index.ts';
import type { Gutter } from '../gutter.ts';
import { type Chunk, chunksOf, type Line, partOf } from '../lines.ts';
import { plainText } from '../values.ts';
import type { Extent, RowFacts } from './row.ts';

/** The part of a line in one cell. */
export interface CellSegment {
  readonly column: number;
  readonly colSpan: number;
  readonly line: Line;
  readonly text: string;
}

/** A line split at the columns. */
export interface SegmentedLine {
  readonly line: Line;
  readonly pieces: readonly CellSegment[];
}

/** Splits a line at the gutters; a piece that crosses some covers several columns. */
export function pieced(line: Line, gutters: readonly Gutter[]): SegmentedLine {
  const columnAt = (x: number): number =>
    countBefore(gutters.length, (at) => {
      const gutter = gutters[at];
      return gutter !== undefined && (gutter.from + gutter.to) / 2 <= x;
    });
  const parts = chunksOf(line, 0.45);
  const crossing = placed(line, parts, (part) => [columnAt(part.left + 0.1), columnAt(part.right - 0.1)]);
  if (crossing.every((piece) => piece.colSpan === 1)) return { line, pieces: crossing };
  // If nearly every column has its name, a name wider than its column spans no other.
  const over = placed(line, parts, (part) => columnsUnder(part, gutters));
  return { line, pieces: over.length >= gutters.length ? over : crossing };
}

/** Parts as pieces in the column range returned by `range`; parts that share a column are merged. */
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

/** The first and last column whose text a part overlaps; the nearest if it overlaps none. */
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

function pieceOf(
  line: Line,
  words: readonly Line['words'][number][],
  column: number,
  colSpan: number,
): CellSegment {
  return { column, colSpan, line: partOf(line, words), text: plainText(words) };
}

export function underlined(line: SegmentedLine, facts: RowFacts): CellSegment[] | undefined {
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

function isAscending(pieces: readonly CellSegment[]): boolean {
  let next = 0;
  for (const piece of pieces) {
    if (piece.column < next) return false;
    next = piece.column + piece.colSpan;
  }
  return true;
}
