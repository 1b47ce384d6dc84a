// Tables whose columns are separated only by white space: arranges lines of words into columns, rows and cells.
// `gates.ts` decides whether they are a table.

import { boxAround } from '../ink/box.ts';
import type { Box, Glyph } from '../ink/ink.ts';
import { type Word, wordsOf } from '../layout/words.ts';
import { guttersOf } from './columns.ts';
import type { Gutter } from './gutter.ts';
import { type Line, partOf } from './lines.ts';
import { pieced, type SegmentedLine } from './rows/cell-segment.ts';
import { isValueLine } from './rows/header-rows.ts';
import type { Extent, Row } from './rows/row.ts';
import { cellsOfRows, rowsOf } from './rows/rows.ts';
import type { Stroke } from './strokes.ts';
import { type Table, tableOf } from './table.ts';
import { isCurrency, isNumber } from './values.ts';

/** Lines split into rows and columns. */
export interface Arrangement {
  readonly lines: readonly SegmentedLine[];
  readonly rows: readonly Row[];
  readonly gutters: readonly Gutter[];
  readonly columns: readonly Extent[];
  /** Dot leaders: not text, but not part of the surroundings either. */
  readonly leaders: readonly Glyph[];
  readonly box: Box;
}

/** What is drawn among the lines. */
export interface Drawn {
  /** Positions of rules between rows, ascending. */
  readonly rules: readonly number[];
  /** Rules above or below some of the columns. */
  readonly partial: readonly Stroke[];
}

/** An area with more words than this is not a readable table. */
const MAX_WORDS = 20_000;

/** Arranges lines, from top to bottom, as a table; undefined without at least two columns. */
export function arrangementOf(lines: readonly Line[], drawn: Drawn): Arrangement | undefined {
  if (wordCount(lines) > MAX_WORDS) return undefined;
  const leaders: Glyph[] = [];
  const clean: Line[] = [];
  for (const line of lines) {
    const rest = withoutLeaders(line, leaders);
    if (rest !== undefined) clean.push(rest);
  }
  const whole = withoutSymbolColumns(guttersOf(clean).gutters, clean);
  const gutters = withNamesOverValues(whole, clean);
  if (gutters.length === 0) return undefined;
  const cut = clean.map((line) => pieced(line, gutters));
  const columns = extentsOf(cut, gutters.length + 1);
  const facts = { ...drawn, columns };
  const rows = rowsOf(cut, facts);
  return { lines: cut, rows, gutters, columns, leaders, box: boxOf(clean) };
}

/** The arrangement as a table. */
export function openTable(arrangement: Arrangement): Table | undefined {
  const headerRows = arrangement.rows.filter((row) => row.header).length;
  const table = tableOf(arrangement.box, cellsOfRows(arrangement.rows, 0), 'borderless', headerRows);
  if (table === undefined || arrangement.leaders.length === 0) return table;
  return { ...table, glyphs: new Set([...table.glyphs, ...arrangement.leaders]) };
}

const LEADER = /^[.\u2026\u00B7\u2024\u2025_]$/u;
const LEAST_LEADERS = 4;

/** The line without its leaders, which go to `leaders`; undefined if nothing else is on it. */
export function withoutLeaders(line: Line, leaders: Glyph[]): Line | undefined {
  const dotted = new Set<Glyph>();
  let run: Glyph[] = [];
  const close = (): void => {
    if (run.length >= LEAST_LEADERS) for (const glyph of run) dotted.add(glyph);
    run = [];
  };
  for (const word of line.words)
    word.glyphs.forEach((glyph, index) => {
      // The point of ".5" is not a leader.
      const next = word.glyphs[index + 1];
      const leads = LEADER.test(glyph.text) && (next === undefined || !/^\d/.test(next.text));
      if (leads) run.push(glyph);
      else close();
    });
  close();
  if (dotted.size === 0) return line;
  for (const glyph of dotted) leaders.push(glyph);
  const words: Word[] = [];
  for (const word of line.words) {
    const kept = word.glyphs.filter((glyph) => !dotted.has(glyph));
    if (kept.length === word.glyphs.length) words.push(word);
    else for (const one of wordsOf(kept)) words.push(one);
  }
  return words.length === 0 ? undefined : partOf(line, words);
}

const BEFORE_VALUE = /^[<>~\u2248\u00B1(+\u2212-]$/u;
const AFTER_VALUE = /^(?:%|\)|[*\u2020\u2021§]{1,3}|%\))$/u;

/** Gutters without those that separate a currency sign or a mark from its number. */
function withoutSymbolColumns(gutters: readonly Gutter[], lines: readonly Line[]): Gutter[] {
  if (gutters.length === 0) return [];
  const count = gutters.length + 1;
  const all = new Uint32Array(count);
  const before = new Uint32Array(count);
  const after = new Uint32Array(count);
  const middles = gutters.map((gutter) => (gutter.from + gutter.to) / 2);
  // Names above the first sign may be over the place of the signs. The unit above the labels does not belong to a value.
  const from = lines.findIndex((line) =>
    line.words.some((word) => word.left > (middles[0] ?? 0) && isCurrency(word.text)),
  );
  for (const line of lines.slice(Math.max(0, from)))
    for (const word of line.words) {
      const column = columnAt(middles, (word.left + word.right) / 2);
      all[column] = (all[column] ?? 0) + 1;
      if (isCurrency(word.text) || BEFORE_VALUE.test(word.text)) before[column] = (before[column] ?? 0) + 1;
      else if (AFTER_VALUE.test(word.text)) after[column] = (after[column] ?? 0) + 1;
    }
  const kept = gutters.filter((_, index) => {
    // Drop a gutter if the column on one side has only symbols belonging to the other.
    const left = all[index] ?? 0;
    const right = all[index + 1] ?? 0;
    const signs = left > 0 && (before[index] ?? 0) >= 0.9 * left;
    const marks = right > 0 && (after[index + 1] ?? 0) >= 0.9 * right;
    return !(signs && !isDashes(lines, middles, index)) && !marks;
  });
  // A name may stand over the white between a sign and its number, and part them once more.
  return kept.length < gutters.length ? withoutSymbolColumns(kept, lines) : kept;
}

/** Gutters without those between a column with only a name and one with only values. */
function withNamesOverValues(gutters: readonly Gutter[], lines: readonly Line[]): Gutter[] {
  let kept = [...gutters];
  for (let round = 0; round < 8; round += 1) {
    const cut = lines.map((line) => pieced(line, kept));
    const first = firstValues(cut);
    if (first <= 0) return kept;
    const names = new Uint8Array(kept.length + 1);
    const values = new Uint8Array(kept.length + 1);
    cut.forEach((line, index) => {
      for (const piece of line.pieces)
        for (let column = piece.column; column < piece.column + piece.colSpan; column += 1)
          (index < first ? names : values)[column] = 1;
    });
    const rest = kept.filter((_, index) => {
      const left = names[index] === 1 ? (values[index] === 1 ? 'both' : 'names') : 'values';
      const right = names[index + 1] === 1 ? (values[index + 1] === 1 ? 'both' : 'names') : 'values';
      return left === 'both' || right === 'both' || left === right;
    });
    if (rest.length === kept.length) return kept;
    // Drop only one of two adjacent gutters at a time: the name belongs to one side.
    const dropped = kept.findIndex((gutter) => !rest.includes(gutter));
    kept = kept.filter((_, index) => index !== dropped);
  }
  return kept;
}

/** The first line of values, or if most columns are words, the first with a number that is not its label. */
function firstValues(lines: readonly SegmentedLine[]): number {
  const first = lines.findIndex((line) => isValueLine(line));
  if (first >= 0) return first;
  return lines.findIndex(({ pieces }) => pieces.some(({ column, text }) => column > 0 && isNumber(text)));
}

/** True if the column has dashes for missing values, which are not symbols. */
function isDashes(lines: readonly Line[], middles: readonly number[], column: number): boolean {
  for (const line of lines)
    for (const word of line.words)
      if (columnAt(middles, (word.left + word.right) / 2) === column && /[^-\u2212+]/u.test(word.text))
        return false;
  return true;
}

function columnAt(middles: readonly number[], x: number): number {
  let column = 0;
  while (column < middles.length && (middles[column] ?? 0) <= x) column += 1;
  return column;
}

function extentsOf(lines: readonly SegmentedLine[], columns: number): Extent[] {
  const extents = Array.from({ length: columns }, () => ({
    left: Number.POSITIVE_INFINITY,
    right: Number.NEGATIVE_INFINITY,
  }));
  for (const line of lines)
    for (const piece of line.pieces) {
      const extent = extents[piece.column];
      if (extent === undefined || piece.colSpan > 1) continue;
      extent.left = Math.min(extent.left, piece.line.left);
      extent.right = Math.max(extent.right, piece.line.right);
    }
  return extents.map((extent) => (extent.left > extent.right ? { left: 0, right: 0 } : extent));
}

/** Number of words in the lines. */
function wordCount(lines: readonly Line[]): number {
  let count = 0;
  for (const line of lines) count += line.words.length;
  return count;
}

/** The box around lines, down to their descenders. */
export function boxOf(lines: readonly Line[]): Box {
  return boxAround(lines.map((line) => ({ ...line, bottom: line.bottom + 0.2 * line.size })));
}
