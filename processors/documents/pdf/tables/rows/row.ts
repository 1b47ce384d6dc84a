// A row of a table, facts about the table while rows are formed, and measures of a row's text.

import type { Stroke } from '../strokes.ts';
import { isNumber } from '../values.ts';
import type { SegmentedLine } from './cell-segment.ts';

/** Lines that form one row. */
export interface Row {
  readonly lines: readonly SegmentedLine[];
  /** True if it names columns. */
  readonly header: boolean;
}

/** What is known of a range of lines. */
export interface RowFacts {
  /** Positions of rules between rows, ascending. */
  readonly rules: readonly number[];
  /** Rules above or below some of the columns. */
  readonly partial: readonly Stroke[];
  /** Horizontal extent of each column's text. */
  readonly columns: readonly Extent[];
}

/** Left and right edge of something on the page. */
export interface Extent {
  readonly left: number;
  readonly right: number;
}

/** Lines closer than this share of the row distance are one row. */
export const TIGHT = 0.87;

export function holdsNumber(row: readonly SegmentedLine[], column: number): boolean {
  return row.some((line) => line.pieces.some((piece) => piece.column === column && isNumber(piece.text)));
}

export function startsLow(text: string): boolean {
  return /^[\p{Ll}(&/,;]/u.test(text);
}

export function isLabel(line: SegmentedLine | undefined): boolean {
  const only = line?.pieces.length === 1 ? line.pieces[0] : undefined;
  return only !== undefined && only.column === 0 && only.colSpan === 1 && !startsLow(only.text);
}

export function isYear(text: string): boolean {
  return /^\(?(?:19|20)\d\d(?:[-/\u2013]\d{2,4})?[)*\u2020a-f]*$/u.test(text);
}
