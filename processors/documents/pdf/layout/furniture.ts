// Detects repeated text at the head and foot of pages: running lines, page numbers, imprints. Learnt from several
// pages; on a single page only wording typical of an imprint counts.

import type { PageRows } from './page.ts';
import type { Row } from './rows.ts';
import { joinWords, type Word } from './words.ts';

/** The known heads and feet of a document. */
export interface Furniture {
  /** By key: the page on which the line is shown, or 0 for none. */
  readonly repeated: ReadonlyMap<string, number>;
  /** Printed number of page 1 minus 1, if pages are numbered. */
  readonly offset?: number;
  /** The texts left out everywhere, as first seen, for the document's facts. */
  readonly texts: readonly string[];
}

/** Documents with at most this many pages are searched for imprints by wording. */
export const IMPRINT_PAGES = 2;

const BAND = 0.12;
const FOOT_BAND = 0.13;
const SHARE = 0.3;
const SAME_HEIGHT = 0.02;
const MAX_TEXTS = 20;

const NUMBERED =
  /^[-\u2013\u2014[(|\s]*(?:page|seite|p\.|pg\.?)?\s*(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:of|von|de|sur|\/)\s*\d{1,4})?[-\u2013\u2014\])|\s]*$/iu;

/** Typical wordings of imprints, stamps and running titles, for pages that cannot be compared with others. */
const IMPRINT: readonly RegExp[] = [
  /^(?:https?:\/\/|www\.)\S+$/iu,
  /(?:^|[\s|])(?:https?:\/\/|www\.|doi\.org)\S+/iu,
  /\bdoi:?\s*10\.\d{4,}/iu,
  /\u00A9|\bcopyright\b|\ball rights reserved\b/iu,
  /\bpage\s+\d+\s+(?:of|\/)\s+\d+\b/iu,
  /\bvol(?:ume|\.)\s*\d+.*(?:\d{4}|issue|no\.|number|article|\be\d+)/iu,
  /\bISSN\b|\bISBN\b/u,
  /\bdownloaded\s+(?:from|by|on)\b/iu,
  /^published\s+by\b/iu,
  /^(?:rev(?:ision)?|version)\b\.?:?\s*\d/iu,
  /\bopen access\b.*\b(?:online|article)\b/iu,
  /^[\p{L}\s,&.-]{2,40}\bet al\.?:\s/u,
];

interface Seen {
  text: string;
  pages: number[];
  heights: number[];
}

/** The repeated heads and feet of the sampled pages of a document with `count` pages. */
export function learnFurniture(
  pages: readonly { readonly page: number; readonly rows: PageRows }[],
  count: number,
): Furniture {
  const seen = new Map<string, Seen>();
  const offsets = new Map<number, number>();
  for (const { page, rows } of pages) {
    const keys = new Set<string>();
    for (const row of edgeRows(rows)) {
      const text = joinWords(row.words);
      const key = keyOf(row, rows, text);
      if (keys.has(key)) continue;
      keys.add(key);
      const known = seen.get(key);
      if (known === undefined) seen.set(key, { text, pages: [page], heights: [row.y / rows.height] });
      else {
        known.pages.push(page);
        known.heights.push(row.y / rows.height);
      }
    }
    for (const offset of new Set(edgeNumbers(rows).map((number) => number - page))) {
      offsets.set(offset, (offsets.get(offset) ?? 0) + 1);
    }
  }
  const repeated = new Map<string, number>();
  const texts: string[] = [];
  const least = pages.length <= 4 ? 2 : 3;
  for (const [key, { text, pages: on, heights }] of seen) {
    if (on.length < least || on.length < SHARE * pages.length) continue;
    const sorted = [...heights].sort((a, b) => a - b);
    const middle = sorted[sorted.length >> 1] ?? 0;
    const level = heights.filter((height) => Math.abs(height - middle) <= SAME_HEIGHT).length;
    if (level < 0.7 * on.length) continue;
    repeated.set(key, /\p{L}{2}/u.test(text) && !NUMBERED.test(text) ? Math.min(...on) : 0);
  }
  if (count <= IMPRINT_PAGES) {
    for (const { rows } of pages) {
      for (const row of [...imprintRows(rows), ...stampRows(rows)]) {
        const text = joinWords(row.words);
        const key = keyOf(row, rows, text);
        if (repeated.has(key)) continue;
        repeated.set(key, 0);
        if (texts.length < MAX_TEXTS) texts.push(text.slice(0, 200));
      }
    }
  }
  let offset: number | undefined;
  let most = Math.max(2, SHARE * pages.length - 1);
  for (const [candidate, count] of offsets) {
    if (count > most) {
      most = count;
      offset = candidate;
    }
  }
  return offset === undefined ? { repeated, texts } : { repeated, offset, texts };
}

/** Splits a page's rows into content and furniture; the latter includes only what this page is to show. */
export function partFurniture(
  rows: PageRows,
  page: number,
  furniture: Furniture,
): { body: Row[]; shown: Row[] } {
  const gone = new Set<Row>();
  const shown: Row[] = [];
  const edges = edgeRows(rows);
  for (const row of edges) {
    const first = furniture.repeated.get(keyOf(row, rows, joinWords(row.words)));
    if (first === undefined) continue;
    gone.add(row);
    if (first === page) shown.push(row);
  }
  const left = rows.rows.filter((row) => !gone.has(row));
  for (const row of edges) {
    if (!gone.has(row) && isPageNumber(row, left, page, furniture)) gone.add(row);
  }
  return { body: gone.size === 0 ? rows.rows : rows.rows.filter((row) => !gone.has(row)), shown };
}

function isPageNumber(row: Row, rows: readonly Row[], page: number, furniture: Furniture): boolean {
  const text = joinWords(row.words);
  const outermost = row === rows[0] || row === rows.at(-1);
  if (!outermost) return false;
  if (NUMBERED.test(text)) return true;
  if (furniture.offset === undefined || text.length > 120) return false;
  const number = String(page + furniture.offset);
  return (row.words[0]?.text === number || row.words.at(-1)?.text === number) && isApart(row, rows);
}

function isApart(row: Row, rows: readonly Row[]): boolean {
  const index = rows.indexOf(row);
  const next = rows[index === 0 ? 1 : index - 1];
  return next === undefined || Math.abs(next.y - row.y) > 1.6 * Math.max(row.size, next.size);
}

/** Rows in the bands at head and foot, outermost first; at most a dozen each. */
function edgeRows(page: PageRows): Row[] {
  const list: Row[] = [];
  for (const row of page.rows.slice(0, 12)) if (row.y < BAND * page.height) list.push(row);
  for (const row of page.rows.slice(-12))
    if (row.y > (1 - FOOT_BAND) * page.height && !list.includes(row)) list.push(row);
  return list;
}

function keyOf(row: Row, page: PageRows, text: string): string {
  const half = row.y < page.height / 2 ? 'head' : 'foot';
  return `${half} ${text
    .replace(/\p{Nd}+/gu, '#')
    .replace(/\s+/gu, ' ')
    .toLowerCase()
    .slice(0, 200)}`;
}

function edgeNumbers(page: PageRows): number[] {
  const numbers: number[] = [];
  for (const row of [page.rows[0], page.rows.at(-1)]) {
    if (row === undefined) continue;
    for (const word of [row.words[0], row.words.at(-1)]) {
      if (word !== undefined && /^\d{1,4}$/u.test(word.text)) numbers.push(Number(word.text));
    }
  }
  return numbers;
}

/** Rows set apart at the very head or foot of a page, if one of them is worded like an imprint. */
function imprintRows(page: PageRows): Row[] {
  const found: Row[] = [];
  for (const fromTop of [true, false]) {
    const rows = fromTop ? page.rows : [...page.rows].reverse();
    const group: Row[] = [];
    for (const [index, row] of rows.slice(0, 5).entries()) {
      const height = row.y / page.height;
      if (fromTop ? height > BAND : height < 1 - FOOT_BAND) break;
      group.push(row);
      const next = rows[index + 1];
      if (next === undefined) break;
      const gap = Math.abs(next.y - row.y) / Math.max(row.size, next.size);
      if (gap < 1.9) continue;
      const isFurniture = group.some(
        (member) => isImprint(joinWords(member.words)) || isNumberedTitle(member),
      );
      if (isFurniture) found.push(...group);
      else if (index > 0) break;
      group.length = 0;
    }
  }
  return found;
}

/** A running title with the page number set apart at one end. */
function isNumberedTitle(row: Row): boolean {
  const words = row.words;
  const [first, second] = words;
  const last = words.at(-1);
  const before = words.at(-2);
  if (first === undefined || second === undefined || last === undefined || before === undefined) return false;
  const apart = (left: Word, right: Word): boolean => right.left - left.right > 0.9 * row.size;
  const atEnd = /^\d{1,4}$/u.test(last.text) && apart(before, last);
  const atStart = /^\d{1,4}$/u.test(first.text) && apart(first, second);
  return (atEnd || atStart) && words.length <= 16 && words.some((word) => /\p{L}{3}/u.test(word.text));
}

/** Rows of rotated text that are worded like an imprint. */
function stampRows(page: PageRows): Row[] {
  return page.turned.flatMap((rows) => rows.slice(0, 40).filter((row) => isImprint(joinWords(row.words))));
}

/** True if a row of rotated text is known not to belong to the document's text. */
export function isStamp(row: Row, page: PageRows, furniture: Furniture): boolean {
  return furniture.repeated.get(keyOf(row, page, joinWords(row.words))) === 0;
}

function isImprint(text: string): boolean {
  return text.length <= 160 && IMPRINT.some((pattern) => pattern.test(text));
}
