// Distinguishes tables from other text arranged in columns: prose, lists, contents, code, chart labels. Nothing decides
// alone: evidence for and against a table is added up.

import { median } from '../ink/box.ts';
import type { Font } from '../ink/ink.ts';
import { isContentsTitle } from '../layout/contents.ts';
import { type Line, usualSize } from './lines.ts';
import type { Arrangement } from './open-table.ts';
import { bandsOf } from './rows/bands.ts';
import type { CellSegment, SegmentedLine } from './rows/cell-segment.ts';
import type { Stroke } from './strokes.ts';
import { isNumber, isValue, plainText } from './values.ts';

/** Traits of an arrangement's columns. */
export interface Traits {
  readonly columns: number;
  /** Rows below the header. */
  readonly rows: number;
  /** Share of cells with text. */
  readonly filled: number;
  /** Numeric columns, excluding the first. */
  readonly numeric: number;
  /** Columns of short cells. */
  readonly short: number;
  /** True if the first row has text in every column, but for the labels'. */
  readonly named: boolean;
  /** True for a table of contents: labels with ascending page numbers. */
  readonly contents: boolean;
  /** Share of monospaced glyphs. */
  readonly monospace: number;
  /** True if cells with different numbers of lines are centred on each other, as only cells are. */
  readonly centered: boolean;
  /** Average words per cell. */
  readonly words: number;
  /** The usual white space between cells of a line, in em. */
  readonly gap: number;
}

/** What is around an arrangement. */
export interface Setting {
  /** Rules of its width above and below its rows. */
  readonly framed: boolean;
  /** A rule or the edge of a band crosses half of it, inside or next to it. */
  readonly marked: boolean;
  /** A rule across it parts the names of its columns from its rows. */
  readonly headed: boolean;
  /** A table caption is right above or below. */
  readonly named: boolean;
  /** The title of a table of contents is above. */
  readonly contents: boolean;
  readonly boldHeader: boolean;
  /** Vertical rules are inside its text rather than between its columns. */
  readonly chart: boolean;
  /** It is on a picture. */
  readonly pictured: boolean;
}

/** Points needed for a table. */
const ENOUGH = 5;
const FRAMED = 6;
const MARKED = 1;
const NAMED = 3;
const BOLD_HEADER = 2;
/** In three and more columns, each of which has a name. */
const BOLD_NAMES = 1;
const CENTERED = 2;
/** Each of the first two columns of numbers. */
const NUMERIC = 2;
/** Records with long text: nearly every row fills every column, and several columns are short. */
const RECORDS = 4;
/** Three and more columns, all of short cells, most of which have text, in the first row all. */
const GRID = 2;
const SEVERAL_COLUMNS = 1;
const SEVERAL_ROWS = 1;
const MANY_ROWS = 1;
const FULL = 1;
const GAPS = -1;
/** Unless rules above the names of columns, below them and below the rows mark a table. */
const FEW_ROWS = -3;
const WORDY = -2;
const SPARSE = -4;
const CONTENTS = -3;
/** Dots that lead to the page numbers, or the title of contents above. */
const SURE_CONTENTS = -8;
/** Without numbers: code, words of a text that happen to align. */
const CODE = -5;
const CLOSE = -5;
const CHART = -6;
const PICTURED = -8;

/** Smaller gaps between cells, in em, are spaces between words. */
const LEAST_GAP = 0.75;

/** True if the evidence says that an arrangement is a table. */
export function isTable(traits: Traits, arrangement: Arrangement, setting: Setting): boolean {
  const { columns, rows, filled, numeric } = traits;
  if (columns < 2 || arrangement.rows.length < 2) return false;
  const isPlain = numeric === 0;
  const evidence = [
    setting.framed || (setting.headed && traits.named) ? FRAMED : setting.marked ? MARKED : 0,
    setting.named ? NAMED : 0,
    setting.boldHeader ? BOLD_HEADER : 0,
    setting.boldHeader && traits.named && columns >= 3 ? BOLD_NAMES : 0,
    traits.centered ? CENTERED : 0,
    NUMERIC * Math.min(2, numeric),
    columns >= 4 && (rows >= 3 || (traits.named && setting.boldHeader)) && filled >= 0.85 && traits.short >= 2
      ? RECORDS
      : 0,
    columns >= 3 && traits.short === columns && filled >= 0.5 && traits.named ? GRID : 0,
    columns >= 3 ? SEVERAL_COLUMNS : 0,
    rows >= 3 ? SEVERAL_ROWS : setting.framed && setting.headed && traits.named ? 0 : FEW_ROWS,
    rows >= 5 ? MANY_ROWS : 0,
    filled >= 0.8 ? FULL : filled < 0.4 ? SPARSE : GAPS,
    traits.words > 8 ? WORDY : 0,
    traits.contents ? contentsWeight(arrangement, setting) : 0,
    isPlain && traits.monospace > 0.8 ? CODE : 0,
    isPlain && traits.gap < LEAST_GAP ? CLOSE : 0,
    setting.chart ? CHART : 0,
    setting.pictured ? PICTURED : 0,
  ];
  return evidence.reduce((sum, points) => sum + points, 0) >= ENOUGH;
}

/** Contents have a title above or leaders; without either, their numbers may be the last column of a wide table. */
function contentsWeight({ columns, leaders }: Arrangement, { contents }: Setting): number {
  if (leaders.length > 0 || contents) return SURE_CONTENTS;
  return columns.length > 3 ? 0 : CONTENTS;
}

/** Computes the traits of an arrangement. */
export function traitsOf(arrangement: Arrangement, fonts: readonly Font[]): Traits {
  const columns = arrangement.columns.length;
  const body = arrangement.rows.filter((row) => !row.header);
  const cells: string[][] = Array.from({ length: columns }, () => []);
  const pieces: CellSegment[][] = Array.from({ length: columns }, () => []);
  let full = 0;
  let words = 0;
  for (const row of body) {
    const seen = new Map<number, string>();
    for (const line of row.lines)
      for (const piece of line.pieces) {
        const before = seen.get(piece.column);
        seen.set(piece.column, before === undefined ? piece.text : `${before} ${piece.text}`);
        words += piece.line.words.length;
        if (piece.colSpan === 1) pieces[piece.column]?.push(piece);
      }
    for (const [column, text] of seen) cells[column]?.push(text);
    full += seen.size;
  }
  let numeric = 0;
  for (let column = 1; column < columns; column += 1) {
    const texts = cells[column] ?? [];
    const numbers = texts.filter((text) => isNumber(text)).length;
    const values = texts.filter((text) => isValue(text)).length;
    if (texts.length >= 2 && numbers >= 2 && numbers >= 0.4 * texts.length && values >= 0.7 * texts.length)
      numeric += 1;
  }
  return {
    columns,
    rows: body.length,
    filled: full / Math.max(1, body.length * columns),
    numeric,
    short: cells.filter((texts) => isShort(texts)).length,
    named: hasNames(arrangement),
    contents: isContents(cells, arrangement.leaders.length > 0),
    monospace: fontShare(arrangement.lines, fonts, 'monospace'),
    centered: bandsOf(arrangement.lines) !== undefined,
    words: words / Math.max(1, full),
    gap: usualGap(arrangement),
  };
}

/** Labels need no name where several columns have one. */
function hasNames({ rows, columns: { length } }: Arrangement): boolean {
  const named = new Set(rows[0]?.lines.flatMap(({ pieces }) => pieces.map(({ column }) => column)));
  return named.size === length || (length >= 3 && named.size === length - 1 && !named.has(0));
}

function isShort(texts: readonly string[]): boolean {
  const short = texts.filter((text) => text.length <= 20).length;
  return short > 0 && short >= 0.9 * texts.length;
}

function usualGap(arrangement: Arrangement): number {
  const gaps: number[] = [];
  for (const { line, pieces } of arrangement.lines)
    for (let index = 1; index < pieces.length; index += 1)
      gaps.push(((pieces[index]?.line.left ?? 0) - (pieces[index - 1]?.line.right ?? 0)) / line.size);
  return median(gaps) ?? 0;
}

function isContents(cells: readonly (readonly string[])[], leaders: boolean): boolean {
  const last = cells.at(-1) ?? [];
  const numbers = last.filter((text) => /^(?:[A-Z\d]{1,3}[-\u2013])?\d{1,4}$|^[ivxl]{1,6}$/u.test(text));
  if (last.length < 3 || numbers.length < 0.8 * last.length) return false;
  // Before the page numbers are titles, not values.
  const titles = cells.at(-2) ?? [];
  if (titles.filter((text) => isValue(text)).length > 0.5 * titles.length) return false;
  let rising = 0;
  for (let index = 1; index < numbers.length; index += 1)
    if (Number.parseInt(numbers[index] ?? '', 10) >= Number.parseInt(numbers[index - 1] ?? '', 10))
      rising += 1;
  return rising >= (leaders ? 0.7 : 0.9) * (numbers.length - 1);
}

/** The share of the glyphs of lines whose font has a trait. */
function fontShare(
  lines: readonly SegmentedLine[],
  fonts: readonly Font[],
  trait: 'bold' | 'monospace',
): number {
  const glyphs = lines.flatMap(({ line }) => line.words.flatMap((word) => word.glyphs));
  return glyphs.filter(({ font }) => fonts[font]?.[trait] === true).length / Math.max(1, glyphs.length);
}

/** True if the first row is bold and most others are not. */
export function hasBoldHeader(arrangement: Arrangement, fonts: readonly Font[]): boolean {
  const [first, ...others] = arrangement.rows;
  if (first === undefined || others.length === 0) return false;
  const bold = others.filter((row) => fontShare(row.lines, fonts, 'bold') > 0.5).length;
  return fontShare(first.lines, fonts, 'bold') > 0.9 && bold <= 0.3 * others.length;
}

/** True if one of the lines above is the title of a table of contents. */
export function isUnderContents({ box }: Arrangement, lines: readonly Line[]): boolean {
  return lines.some((line) => line.y <= box.top + line.size && isContentsTitle(plainText(line.words)));
}

/** Number of vertical rules inside text that separate no columns, and how long they are in em: boxes around signs are not. */
const STRAY_RULES = 3;
const LEAST_STRAY = 2;

/** True if vertical rules are inside the text rather than between columns: axes, bars, grid lines. */
export function isChart(arrangement: Arrangement, uprights: readonly Stroke[]): boolean {
  const { box, gutters, lines } = arrangement;
  const least = LEAST_STRAY * usualSize(lines.map(({ line }) => line));
  let stray = 0;
  for (const stroke of uprights) {
    if (stroke.to - stroke.from < least) continue;
    if (stroke.at < box.left + 2 || stroke.at > box.right - 2) continue;
    if (stroke.to < box.top || stroke.from > box.bottom) continue;
    if (!gutters.some((gutter) => stroke.at >= gutter.from - 2 && stroke.at <= gutter.to + 2)) stray += 1;
  }
  return stray >= STRAY_RULES;
}
