// Judges the lines at the head and foot of one page by geometry: how near the edge they are, how far from the text, and
// how they differ from it in size, face and colour. `furniture.ts` compares pages.

import type { Box, Ink } from '../ink/ink.ts';
import { modeOf } from './line.ts';
import type { PageRows } from './page.ts';
import type { Row } from './rows.ts';
import { joinWords, type Word } from './words.ts';

/** The usual look of a document's text. */
export interface TextMeasures {
  readonly size: number;
  /** The size that four fifths of the text do not exceed. */
  readonly large: number;
  readonly font: string;
  readonly color: number;
  /** Baseline distance in em. */
  readonly step: number;
}

/** What of a page's ink the margins are judged by. */
export type PageInk = Pick<Ink, 'fonts' | 'rules'>;

/** Head and foot of a page, as shares of its height. */
export const HEAD_BAND = 0.12;
export const FOOT_BAND = 0.13;

/** A number of a page alone, also with the count of pages. */
export const NUMBERED: RegExp =
  /^[-\u2013\u2014[(|\s]*(?:page|seite|p\.|pg\.?)?\s*(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:of|von|de|sur|\/)\s*\d{1,4})?[-\u2013\u2014\])|\s]*$/iu;

/** Margin lines are set in up to this many rows. */
const MAX_ROWS = 4;
const MAX_GROUPS = 3;
/** Margin text is set apart from the text by this many em, and by more than its usual line distance. */
const GAP = 1.7;
const MAX_TEXT = 300;
/** Glyphs on a page with too little text to judge by. */
const SPARSE = 240;

interface Style {
  readonly font: string;
  readonly bold: boolean;
  readonly color: number;
  readonly artifact: boolean;
}

/** The size, face, colour and line distance of most of the text on some pages. */
export function measuresOf(
  pages: readonly { readonly rows: PageRows; readonly ink: PageInk }[],
): TextMeasures {
  const sizes = new Map<number, number>();
  const fonts = new Map<string, number>();
  const colors = new Map<number, number>();
  for (const { rows, ink } of pages) {
    for (const row of rows.rows) {
      for (const { glyphs } of row.words) {
        for (const glyph of glyphs) {
          const size = Math.round(glyph.size * 2) / 2;
          sizes.set(size, (sizes.get(size) ?? 0) + 1);
          const font = ink.fonts[glyph.font]?.name ?? '';
          fonts.set(font, (fonts.get(font) ?? 0) + 1);
          colors.set(glyph.color, (colors.get(glyph.color) ?? 0) + 1);
        }
      }
    }
  }
  const size = modeOf(sizes) ?? 10;
  const steps = new Map<number, number>();
  for (const { rows } of pages) {
    for (const [index, row] of rows.rows.entries()) {
      const next = rows.rows[index + 1];
      if (next === undefined || Math.abs(row.size - size) > 0.6 || Math.abs(next.size - size) > 0.6) continue;
      const step = (next.y - row.y) / size;
      if (step < 0.9 || step > 2.6) continue;
      const key = Math.round(step * 20) / 20;
      steps.set(key, (steps.get(key) ?? 0) + 1);
    }
  }
  const font = [...fonts].reduce((best, entry) => (entry[1] > best[1] ? entry : best), ['', 0])[0];
  return { size, large: upperSize(sizes), font, color: modeOf(colors) ?? 0, step: modeOf(steps) ?? 1.2 };
}

function upperSize(sizes: ReadonlyMap<number, number>): number {
  const total = [...sizes.values()].reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (const [size, count] of [...sizes].sort((a, b) => a[0] - b[0])) {
    below += count;
    if (below >= 0.8 * total) return size;
  }
  return 10;
}

/** Rows at the edges of a page, set apart from its text, with the evidence that they are not part of it. */
export interface MarginGroup {
  readonly rows: readonly Row[];
  readonly evidence: number;
  readonly half: 'head' | 'foot';
}

/** The groups at the head and foot of a page that are set apart from the rest, outermost first. */
export function marginGroups(
  page: PageRows,
  ink: PageInk,
  text: TextMeasures,
  tables: readonly Box[] = [],
): MarginGroup[] {
  const groups: MarginGroup[] = [];
  for (const half of ['head', 'foot'] as const) {
    const rows = half === 'head' ? page.rows : [...page.rows].reverse();
    let group: Row[] = [];
    let found = 0;
    for (const [index, row] of rows.entries()) {
      if (!isInBand(row, page, half) || group.length === MAX_ROWS || found === MAX_GROUPS) break;
      group.push(row);
      const next = rows[index + 1];
      // The only text of a page is its text.
      if (next === undefined) break;
      const gap = gapTo(next, row, tables);
      if (gap <= Math.max(GAP * Math.max(row.size, next.size), 1.35 * text.step * text.size)) continue;
      groups.push({ rows: group, half, evidence: evidenceOf(group, next, gap, page, ink, text) });
      found += 1;
      group = [];
    }
  }
  return groups;
}

/** The distance of a row from the next one inward, or from the table before it. */
function gapTo(next: Row, row: Row, tables: readonly Box[]): number {
  let gap = Math.abs(next.y - row.y);
  for (const { top, bottom } of tables) {
    if (next.y > row.y && bottom > row.y) gap = Math.min(gap, Math.max(0, top + row.size - row.y));
    if (next.y < row.y && top < row.y) gap = Math.min(gap, Math.max(0, row.y - bottom));
  }
  return gap;
}

function isInBand(row: Row, page: PageRows, half: 'head' | 'foot'): boolean {
  const height = row.y / page.height;
  return half === 'head' ? height < HEAD_BAND : height > 1 - FOOT_BAND;
}

/** Sums what speaks for and against margin text. Three points are enough on a page that cannot be compared. */
function evidenceOf(
  rows: readonly Row[],
  next: Row,
  gap: number,
  page: PageRows,
  ink: PageInk,
  text: TextMeasures,
): number {
  const inner = rows.at(-1) ?? next;
  const depth = inner.y < page.height / 2 ? inner.y : page.height - inner.y;
  const texts = rows.map((row) => joinWords(row.words));
  const styles = rows.map((row) => styleOf(row, ink));
  if (texts.some((one) => one.length > MAX_TEXT)) return 0;
  if (styles.every((style) => style.artifact)) return 6;
  let place = depth < 0.055 * page.height ? 2 : depth < 0.085 * page.height ? 1 : 0;
  if (gap > 2.6 * Math.max(inner.size, text.size)) place += 1;
  let points = 0;
  if (rows.every((row) => row.size <= 0.94 * text.size)) points += 1;
  if (styles.every((style) => style.font !== text.font))
    points += styles.every((style) => style.bold) ? 0 : 1;
  if (styles.every((style) => isPaler(style.color, text.color))) points += 1;
  if (hasRuleBetween(inner, next, ink)) points += 1;
  if (rows.some((row, index) => isPageNumber(row, texts[index] ?? ''))) points += 2;
  else points += Math.max(...rows.map(partPoints));
  // The last line of a letter or an invoice may be as near the edge: only its look tells it from margin text.
  points = points === 0 ? Math.min(place, 2) : points + place;
  if (rows.some((row) => row.size >= 1.12 * text.large)) points -= 3;
  if (rows.some((row) => startsNote(row))) points -= 3;
  if (runsOn(rows, texts, page)) points -= 2;
  if (isSparse(page)) points -= 2;
  return points;
}

function styleOf(row: Row, ink: PageInk): Style {
  const fonts = new Map<string, number>();
  const colors = new Map<number, number>();
  let bold = 0;
  let artifact = 0;
  let total = 0;
  for (const { glyphs } of row.words) {
    for (const glyph of glyphs) {
      const font = ink.fonts[glyph.font];
      total += 1;
      if (font?.bold === true) bold += 1;
      if (glyph.artifact) artifact += 1;
      fonts.set(font?.name ?? '', (fonts.get(font?.name ?? '') ?? 0) + 1);
      colors.set(glyph.color, (colors.get(glyph.color) ?? 0) + 1);
    }
  }
  return {
    font: [...fonts].reduce((best, entry) => (entry[1] > best[1] ? entry : best), ['', 0])[0],
    bold: bold > 0.9 * total,
    color: modeOf(colors) ?? 0,
    artifact: total > 0 && artifact === total,
  };
}

function isPaler(color: number, than: number): boolean {
  const sum = (of: number): number => (of >> 16) + ((of >> 8) & 0xff) + (of & 0xff);
  return sum(color) > sum(than) + 90;
}

function hasRuleBetween(inner: Row, next: Row, { rules }: PageInk): boolean {
  const [above, below] = inner.y < next.y ? [inner, next] : [next, inner];
  const left = Math.min(...inner.words.map((word) => word.left));
  const right = Math.max(...inner.words.map((word) => word.right));
  return rules.some(
    (rule) =>
      rule.horizontal &&
      rule.at > above.y - 0.1 * above.size &&
      rule.at < below.top + 0.2 * below.size &&
      Math.min(rule.to, right) - Math.max(rule.from, left) > 0.5 * (right - left),
  );
}

/** A page number alone, or at one end of a row and set apart from its text. */
function isPageNumber(row: Row, text: string): boolean {
  if (NUMBERED.test(text)) return true;
  const { words } = row;
  if (words.length > 24 || !words.some((word) => /\p{L}{3}/u.test(word.text))) return false;
  const isNumber = (word: Word | undefined): boolean =>
    word !== undefined && /^\d{1,4}(?:\/\d{1,4})?$/u.test(word.text);
  const parts = partsOf(row);
  if (parts.length > 1) return parts.some((part) => NUMBERED.test(joinWords(part)));
  const apart = (left: Word | undefined, right: Word | undefined): boolean =>
    left !== undefined && right !== undefined && right.left - left.right > 0.9 * row.size;
  return (
    (isNumber(words.at(-1)) && apart(words.at(-2), words.at(-1))) ||
    (isNumber(words[0]) && apart(words[0], words[1]))
  );
}

/** The parts of a row at left, centre and right. */
function partsOf(row: Row): Word[][] {
  const parts: Word[][] = [];
  let last: Word | undefined;
  for (const word of row.words) {
    if (last === undefined || word.left - last.right > 2.5 * row.size) parts.push([]);
    parts.at(-1)?.push(word);
    last = word;
  }
  return parts;
}

/** A line in two or three parts is set as a running line, more so with figures in most of them. */
function partPoints(row: Row): number {
  const parts = partsOf(row);
  if (parts.length < 2 || parts.length > 3) return 0;
  const figures = parts.filter((part) => part.some((word) => /\d/u.test(word.text))).length;
  return parts.length - 1 + (figures >= 2 ? 1 : 0);
}

function hasParts(row: Row): boolean {
  return partsOf(row).length > 1;
}

/** True for a note's first row: a mark right before its text. */
function startsNote(row: Row): boolean {
  const [first, second] = row.words;
  if (first === undefined) return false;
  const mark = /^(?:\d{1,3}|[*\u2020\u2021\u00A7]+)[.)]?$/u;
  if (second !== undefined && mark.test(first.text) && /^\p{L}/u.test(second.text))
    return second.left - first.right < 0.9 * row.size;
  return /^(?:\d{1,3}|[*\u2020\u2021\u00A7]+)\p{L}{2}/u.test(first.text);
}

/** True for a page with less text than a paragraph: on a cover or a form nothing is set apart from the text. */
function isSparse(page: PageRows): boolean {
  let letters = 0;
  for (const { words } of page.rows) {
    for (const word of words) letters += word.glyphs.length;
    if (letters >= SPARSE) return false;
  }
  return true;
}

/** True for rows of running text: sentences that fill the width. */
function runsOn(rows: readonly Row[], texts: readonly string[], page: PageRows): boolean {
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  for (const row of page.rows.slice(0, 400)) {
    for (const word of row.words) {
      left = Math.min(left, word.left);
      right = Math.max(right, word.right);
    }
  }
  const full = rows.filter((row) => {
    const from = row.words[0]?.left ?? 0;
    const to = row.words.at(-1)?.right ?? 0;
    return to - from > 0.85 * (right - left) && !hasParts(row);
  });
  return (
    (rows.length > 1 && full.length > rows.length / 2) ||
    (full.length > 0 && /[.!?:]$/u.test(texts.at(-1) ?? ''))
  );
}
