// Finds the running text of a document: what at least three of its pages have at the same place of their head, foot or
// side, with the same words or with a number that rises with the pages; and bare page numbers. All other text stays.

import { boxAround } from '../ink/box.ts';
import type { Box } from '../ink/ink.ts';
import type { PageRows } from './page.ts';
import type { Row } from './rows.ts';
import { joinWords } from './words.ts';

/** What sampled pages repeat, by its words with the rising numbers in relation to the page. */
export type RunningText = ReadonlyMap<string, readonly RepeatedLine[]>;

type Place = 'header' | 'footer' | 'margin';

interface RepeatedLine {
  /** The first page that has it. */
  readonly first: number;
  /** Distance of its baseline from the top, as a share of the page's height. */
  readonly height: number;
}

/** A line apart from the text of its page; without a box if it runs in another direction. */
interface ShownLine {
  readonly place: Place;
  readonly text: string;
  readonly box?: Box;
}

/** The rows of one page, parted. */
export interface PartedPage {
  readonly body: readonly Row[];
  /** The rows of each other direction. */
  readonly turned: readonly { readonly rows: readonly Row[]; readonly angle: number }[];
  /** Lines this page shows for all that repeat them. */
  readonly shown: readonly ShownLine[];
  /** Lines that other pages have too, as this page has them. */
  readonly repeated: readonly string[];
  /** Left out. */
  readonly pageNumber?: string;
}

interface Candidate {
  readonly row: Row;
  readonly text: string;
  readonly place: Place;
  readonly height: number;
  readonly keys: readonly string[];
}

interface Seen {
  readonly page: number;
  readonly height: number;
}

const LEAST_PAGES = 3;
/** Head and foot of a page, as shares of its height. */
const HEAD_BAND = 0.12;
const FOOT_BAND = 0.13;
const SAME_HEIGHT = 0.02;
const MAX_EDGE = 12;
/** A longer line is text of its page. */
const MAX_TEXT = 500;
const MAX_NUMBERS = 8;
/** A longer line is not a number alone. */
const MAX_NUMBER = 40;

/** The running text of a sample of pages. */
export function learnRunningText(
  pages: readonly { readonly page: number; readonly rows: PageRows }[],
): RunningText {
  const seen = new Map<string, Seen[]>();
  for (const { page, rows } of pages)
    for (const { keys, height } of candidatesOf(rows, page))
      for (const key of keys) {
        const places = seen.get(key);
        if (places === undefined) seen.set(key, [{ page, height }]);
        else places.push({ page, height });
      }
  const repeated = new Map<string, readonly RepeatedLine[]>();
  for (const [key, places] of seen) {
    const lines = repeatedAt(places);
    if (lines.length > 0) repeated.set(key, lines);
  }
  return repeated;
}

/** The heights at which enough pages have a line, with the first page that has it there. */
function repeatedAt(places: readonly Seen[]): RepeatedLine[] {
  const lines: RepeatedLine[] = [];
  let left = places;
  while (left.length >= LEAST_PAGES) {
    const [start] = left;
    if (start === undefined) break;
    const isNear = ({ height }: Seen): boolean => Math.abs(height - start.height) <= SAME_HEIGHT;
    const near = left.filter(isNear);
    left = left.filter((place) => !isNear(place));
    if (new Set(near.map(({ page }) => page)).size >= LEAST_PAGES)
      lines.push({ first: start.page, height: start.height });
  }
  return lines;
}

/** Parts the rows of a page into its own text and running text. */
export function partPage(rows: PageRows, page: number, running: RunningText): PartedPage {
  const gone = new Set<Row>();
  const shown: ShownLine[] = [];
  const repeated = new Set<string>();
  const candidates = candidatesOf(rows, page);
  for (const { row, text, place, height, keys } of candidates) {
    if (bareNumber(text) !== undefined) continue;
    const line = repeatedLine(keys, height, running);
    if (line === undefined) continue;
    gone.add(row);
    if (line.first === page)
      shown.push({
        place,
        text,
        ...(place !== 'margin' && { box: { ...boxAround(row.words), top: row.top, bottom: row.bottom } }),
      });
    repeated.add(text);
  }
  const left = rows.rows.filter((row) => !gone.has(row));
  const numbers = candidates.filter(({ row, text, height, keys }) => {
    const bare = bareNumber(text);
    if (bare === undefined) return false;
    if (repeatedLine(keys, height, running) !== undefined) return true;
    return (row === left[0] || row === left.at(-1)) && (bare.named || bare.value === page);
  });
  for (const { row } of numbers) gone.add(row);
  return {
    body: gone.size === 0 ? rows.rows : rows.rows.filter((row) => !gone.has(row)),
    turned: rows.turned.map((one) => ({
      angle: one.angle,
      rows: one.rows.filter((row) => !gone.has(row)),
    })),
    shown,
    repeated: [...repeated],
    ...(numbers.length > 0 && { pageNumber: numbers.map(({ text }) => text).join(', ') }),
  };
}

function repeatedLine(
  keys: readonly string[],
  height: number,
  running: RunningText,
): RepeatedLine | undefined {
  for (const key of keys) {
    const line = running.get(key)?.find((one) => Math.abs(one.height - height) <= SAME_HEIGHT);
    if (line !== undefined) return line;
  }
  return undefined;
}

/** The lines of a page that may be running text: at its head and foot, and across its text. */
function candidatesOf(page: PageRows, number: number): Candidate[] {
  const candidates: Candidate[] = [];
  const add = (row: Row, place: Place, height: number, angle: number): void => {
    const text = joinWords(row.words);
    if (text.length > MAX_TEXT) return;
    const keys = keysOf(text, number).map((key) => `${place} ${angle} ${key}`);
    candidates.push({ row, text, place, height, keys });
  };
  for (const row of edgeRows(page))
    add(row, row.y < page.height / 2 ? 'header' : 'footer', row.y / page.height, page.angle);
  for (const { rows, angle, height } of page.turned)
    for (const row of rows) add(row, 'margin', row.y / height, angle);
  return candidates;
}

/** The words as they are, and for each number in them the words with that number in relation to the page. */
function keysOf(text: string, page: number): string[] {
  const words = text.replace(/\s+/gu, ' ').toLowerCase();
  const bare = bareNumber(text);
  if (bare !== undefined) return [`\0${bare.value - page}`];
  const numbers = [...words.matchAll(/\d{1,9}/gu)].slice(0, MAX_NUMBERS);
  const offsets = new Set(numbers.map(([digits]) => Number(digits) - page));
  const together = [...offsets].map((offset) =>
    words.replace(/\d{1,9}/gu, (digits) => (Number(digits) - page === offset ? `\0${offset}` : digits)),
  );
  // Alone as well: on the last page, both numbers of `page 9 of 9` are its own.
  const alone = numbers.map(
    ({ 0: digits, index }) =>
      `${words.slice(0, index)}\0${Number(digits) - page}${words.slice(index + digits.length)}`,
  );
  return [...new Set([words, ...together, ...alone])];
}

/** A number alone, in Arabic or Roman figures, with a word for "page", between dashes, or with the count of pages. */
const BARE =
  /^[-\u2013\u2014[(|\s]*(?:(?<label>page|seite|p\.|pg\.?)\s*)?(?:(?<digits>\d{1,4})|(?<roman>[ivxlc]{1,7}))(?:\s*(?<count>of|von|de|sur|\/)\s*\d{1,4})?[-\u2013\u2014\])|\s]*$/iu;
const BETWEEN_DASHES = /^[-\u2013\u2014|].*[-\u2013\u2014|]$/u;
const ROMAN = /^c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$/u;
const ROMAN_VALUES: Readonly<Record<string, number>> = { c: 100, l: 50, x: 10, v: 5, i: 1 };

/** The value of a line that is a number alone; `named` if the line itself says that it is the number of a page. */
function bareNumber(text: string): { readonly value: number; readonly named: boolean } | undefined {
  const line = text.trim();
  const groups = line.length <= MAX_NUMBER ? BARE.exec(line)?.groups : undefined;
  if (groups === undefined) return undefined;
  const { label = '', digits, roman = '', count = '/' } = groups;
  const value = digits === undefined ? romanValue(roman.toLowerCase()) : Number(digits);
  if (value === undefined) return undefined;
  return { value, named: label !== '' || count !== '/' || BETWEEN_DASHES.test(line) };
}

function romanValue(letters: string): number | undefined {
  if (!ROMAN.test(letters)) return undefined;
  const values = [...letters].map((letter) => ROMAN_VALUES[letter] ?? 0);
  return values.reduce((sum, one, index) => sum + (one < (values[index + 1] ?? 0) ? -one : one), 0);
}

/** Rows in the bands at head and foot that do not run on into the text; at most a dozen each. */
function edgeRows(page: PageRows): Row[] {
  const found = new Set<Row>();
  for (const rows of [page.rows.slice(0, MAX_EDGE), page.rows.slice(-MAX_EDGE).reverse()]) {
    let block: Row[] = [];
    for (const [index, row] of rows.entries()) {
      const height = row.y / page.height;
      if (height >= HEAD_BAND && height <= 1 - FOOT_BAND) break;
      block.push(row);
      const next = rows[index + 1];
      if (next !== undefined && isTextOf(row, next)) continue;
      for (const one of block) found.add(one);
      block = [];
    }
  }
  return page.rows.filter((row) => found.has(row));
}

/** True if two rows are lines of one text: near, in one size and face. */
function isTextOf(row: Row, next: Row): boolean {
  const near = Math.abs(next.y - row.y) < 1.7 * Math.max(row.size, next.size);
  const face = (of: Row): number | undefined => of.words[0]?.glyphs[0]?.font;
  return near && Math.abs(row.size - next.size) <= 0.3 && face(row) === face(next);
}
