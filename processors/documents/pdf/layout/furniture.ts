// Finds the text at the head and foot of pages that is not part of the content: running lines, page numbers, imprints,
// stamps. By repetition where pages can be compared, and by the geometry of the margins (`margin.ts`).

import type { Box } from '../ink/ink.ts';
import { modeOf } from './line.ts';
import {
  FOOT_BAND,
  HEAD_BAND,
  type MarginGroup,
  marginGroups,
  measuresOf,
  NUMBERED,
  type PageInk,
  type TextMeasures,
} from './margin.ts';
import type { PageRows, TurnedRows } from './page.ts';
import type { Row } from './rows.ts';
import { joinWords } from './words.ts';

/** The known heads and feet of a document. */
export interface Furniture {
  /** By key: the page on which the line is shown, or 0 for none. */
  readonly repeated: ReadonlyMap<string, number>;
  /** Places of margin lines that most pages have, with a text of their own on each. */
  readonly slots: readonly Slot[];
  /** Printed number of page 1 minus 1, if pages are numbered. */
  readonly offset?: number;
  /** The texts left out everywhere, as first seen, for the document's facts. */
  readonly texts: readonly string[];
  readonly measures: TextMeasures;
  /** Set for pages whose margins cannot be judged: nothing is left out. */
  readonly keepsAll?: true;
  /** True if the document has too few pages to show repetition. */
  readonly short: boolean;
}

interface Slot {
  readonly half: 'head' | 'foot';
  readonly y: number;
  readonly size: number;
}

/** A page with what its margins are judged by. */
export interface JudgedPage {
  readonly page: number;
  readonly rows: PageRows;
  readonly ink: PageInk;
  /** Its tables, if their glyphs are not among the rows. */
  readonly tables?: readonly Box[];
}

/** Documents with at most this many pages show too little repetition: what is left out is among their facts. */
export const IMPRINT_PAGES = 2;

const SHARE = 0.3;
const SAME_HEIGHT = 0.02;
const MAX_TEXTS = 20;
const MAX_EDGE = 12;
/** Evidence from which a line of a short document, or of the first page of a long one, is margin text. */
const ENOUGH = 3;
const ENOUGH_IN_LONG = 4;
/** Share of pages with a line in the same place and size from which the place is a slot. */
const SLOT_SHARE = 0.6;

interface Seen {
  text: string;
  pages: number[];
  heights: number[];
}

/** The heads and feet of the sampled pages of a document with `count` pages. */
export function learnFurniture(pages: readonly JudgedPage[], count: number): Furniture {
  const measures = measuresOf(pages);
  const short = count <= IMPRINT_PAGES;
  const repeated = new Map<string, number>();
  const texts: string[] = [];
  const leave = (text: string): void => {
    if (texts.length < MAX_TEXTS && !texts.includes(text)) texts.push(text.slice(0, 200));
  };
  const least = pages.length <= 4 ? 2 : 3;
  for (const [key, { text, pages: on, heights }] of seenOn(pages)) {
    if (on.length < least || on.length < SHARE * pages.length) continue;
    const sorted = [...heights].sort((a, b) => a - b);
    const middle = sorted[sorted.length >> 1] ?? 0;
    const level = heights.filter((height) => Math.abs(height - middle) <= SAME_HEIGHT).length;
    if (level < 0.7 * on.length) continue;
    const worded = /\p{L}{2}/u.test(text) && !NUMBERED.test(text);
    if (short && worded) leave(text);
    repeated.set(key, worded && !short ? Math.min(...on) : 0);
  }
  const offset = offsetOf(pages);
  const furniture: Furniture = {
    repeated,
    slots: count > IMPRINT_PAGES ? slotsOf(pages, measures) : [],
    ...(offset !== undefined && { offset }),
    texts,
    measures,
    short,
  };
  if (short) {
    for (const { rows, ink, page } of pages) {
      for (const group of marginGroups(rows, ink, measures)) {
        if (group.evidence < ENOUGH) continue;
        for (const row of group.rows) leave(joinWords(row.words));
      }
      for (const turned of rows.turned)
        for (const row of turned.rows) if (isStamp(row, turned, furniture, page)) leave(joinWords(row.words));
    }
  }
  return furniture;
}

function seenOn(pages: readonly JudgedPage[]): Map<string, Seen> {
  const seen = new Map<string, Seen>();
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
  }
  return seen;
}

/** Places at which most pages have a separate line in one size, with any text: the title of the chapter. */
function slotsOf(pages: readonly JudgedPage[], measures: TextMeasures): Slot[] {
  const places: { slot: Slot; pages: Set<number> }[] = [];
  for (const { page, rows, ink } of pages) {
    for (const group of marginGroups(rows, ink, measures)) {
      if (group.evidence < 2) continue;
      for (const row of group.rows) {
        const slot = { half: group.half, y: row.y, size: row.size };
        const near = places.find((place) => isSame(place.slot, slot));
        if (near === undefined) places.push({ slot, pages: new Set([page]) });
        else near.pages.add(page);
      }
    }
  }
  const least = Math.max(3, SLOT_SHARE * pages.length);
  return places.filter((place) => place.pages.size >= least).map(({ slot }) => slot);
}

function isSame(a: Slot, b: Slot): boolean {
  return a.half === b.half && Math.abs(a.y - b.y) <= 1.5 && Math.abs(a.size - b.size) <= 0.3;
}

function offsetOf(pages: readonly JudgedPage[]): number | undefined {
  const offsets = new Map<number, number>();
  for (const { page, rows } of pages) {
    for (const offset of new Set(edgeNumbers(rows).map((number) => number - page))) {
      offsets.set(offset, (offsets.get(offset) ?? 0) + 1);
    }
  }
  const best = modeOf(offsets);
  const most = Math.max(2, SHARE * pages.length - 1);
  return best !== undefined && (offsets.get(best) ?? 0) > most ? best : undefined;
}

/** Splits a page's rows into content and furniture; the latter includes only what this page is to show. */
export function partFurniture(
  { rows, page, ink, tables }: JudgedPage,
  furniture: Furniture,
): { body: Row[]; shown: Row[] } {
  if (furniture.keepsAll === true) return { body: rows.rows, shown: [] };
  const gone = new Set<Row>();
  const shown: Row[] = [];
  const edges = edgeRows(rows);
  for (const row of edges) {
    const first = furniture.repeated.get(keyOf(row, rows, joinWords(row.words)));
    if (first === undefined) continue;
    gone.add(row);
    if (first === page) shown.push(row);
  }
  for (const group of marginGroups(rows, ink, furniture.measures, tables))
    for (const row of group.rows) if (isMargin(row, group, page, furniture)) gone.add(row);
  const left = rows.rows.filter((row) => !gone.has(row));
  for (const row of edges) {
    if (!gone.has(row) && isPageNumber(row, left, page, furniture)) gone.add(row);
  }
  return { body: gone.size === 0 ? rows.rows : rows.rows.filter((row) => !gone.has(row)), shown };
}

function isMargin(row: Row, { half, evidence }: MarginGroup, page: number, furniture: Furniture): boolean {
  if (furniture.short) return evidence >= ENOUGH;
  if (page === 1 && evidence >= ENOUGH_IN_LONG) return true;
  return evidence >= 2 && furniture.slots.some((slot) => isSame(slot, { half, y: row.y, size: row.size }));
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

/** Rotated text outside the text's edges is a stamp; slanted text much larger than the text is a watermark. */
const STAMP_BAND = 0.075;
const WATERMARK = 1.8;

/** True if a row of rotated text does not belong to the document's text. */
export function isStamp(row: Row, turned: TurnedRows, { measures, short }: Furniture, page: number): boolean {
  if (!short && page !== 1) return false;
  if (turned.angle % 90 !== 0) return row.size > WATERMARK * measures.size;
  const place = row.y / turned.height;
  return row.size < 2 * measures.size && (place < STAMP_BAND || place > 1 - STAMP_BAND);
}
