// A row of a table, what is known of the table while rows are made, and what the texts of a row look like.

import type { Stroke } from '../strokes.ts';
import { isNumber } from '../values.ts';
import type { SegmentedLine } from './cell-segment.ts';

/** Lines that make one row. */
export interface Row {
  readonly lines: readonly SegmentedLine[];
  /** Whether it names columns. */
  readonly header: boolean;
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

/** From where to where something lies across the page. */
export interface Extent {
  readonly left: number;
  readonly right: number;
}

/** How far, in em, words may reach into a gutter between them that is none the less theirs. */
export const INTO_GUTTER = 0.08;
/** Lines nearer than this share of the distance of rows are of one row. */
export const TIGHT = 0.87;

export function endsOpen(text: string): boolean {
  return /(?:[-,&/(]|\b(?:and|or|of|the|for|in|to|with|by|a|an|et|und|de|di|y|e|von|der|ja))$/iu.test(text);
}

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
