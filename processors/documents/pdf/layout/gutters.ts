// Where the white between two columns runs: empty down many rows rather than wide, with running text or lists on both sides
// rather than the cells of rows.

import type { Row } from './rows.ts';
import { isCjk } from './scripts.ts';
import type { Word } from './words.ts';

/** The page is looked at in stripes of 2 points, at most this many. */
const BINS = 400;
const BIN = 2;
const MAX_CANDIDATES = 16;
/** Words nearer than this many em belong to one line. */
const JOINED = 0.75;

/** A stretch of rows that white parts into two columns. */
export interface Gutter {
  /** Rows `from` to `to` are split, both inclusive. */
  from: number;
  to: number;
  left: number;
  right: number;
  score: number;
}

/** Whether the words next to the gutter on both sides stand as close as words of one line. */
export function isJoined(row: Row, gutter: { readonly left: number; readonly right: number }): boolean {
  const middle = (gutter.left + gutter.right) / 2;
  let before: Word | undefined;
  let after: Word | undefined;
  for (const word of row.words) {
    if ((word.left + word.right) / 2 < middle) before = word;
    else {
      after = word;
      break;
    }
  }
  if (before === undefined || after === undefined || before.object || after.object) return false;
  return after.left - before.right < JOINED * Math.max(before.size, after.size);
}

/** The gutter that parts most rows into two columns, if there is one. */
export function bestGutter(rows: readonly Row[]): Gutter | undefined {
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    for (const word of row.words) {
      left = Math.min(left, word.left);
      right = Math.max(right, word.right);
    }
  }
  const width = right - left;
  if (!(width > 40)) return undefined;
  const bin = Math.max(BIN, width / BINS);
  const runs = emptyRuns(rows, left, bin, Math.ceil(width / bin));
  const candidates = rectangles(runs);
  let best: Gutter | undefined;
  for (const candidate of candidates) {
    const gutter = judge(rows, candidate, left, bin, width);
    if (gutter !== undefined && (best === undefined || gutter.score > best.score)) best = gutter;
  }
  return best;
}

interface EmptyRun {
  readonly from: number;
  readonly to: number;
}

/** For each bin across the page the longest stretches of rows in which nothing covers it. */
function emptyRuns(rows: readonly Row[], left: number, bin: number, count: number): EmptyRun[][] {
  const since = new Int32Array(count);
  const runs: EmptyRun[][] = Array.from({ length: count }, () => []);
  const close = (index: number, to: number): void => {
    const from = since[index] ?? 0;
    const list = runs[index];
    if (list === undefined || to - from + 1 < 3) return;
    list.push({ from, to });
    if (list.length > 4) {
      list.sort((a, b) => b.to - b.from - (a.to - a.from));
      list.pop();
    }
  };
  for (const [at, row] of rows.entries()) {
    for (const word of row.words) {
      const first = Math.max(0, Math.floor((word.left - left) / bin));
      const last = Math.min(count - 1, Math.floor((word.right - left - 0.01) / bin));
      for (let index = first; index <= last; index += 1) {
        if ((since[index] ?? 0) <= at) {
          close(index, at - 1);
          since[index] = at + 1;
        }
      }
    }
  }
  for (let index = 0; index < count; index += 1) close(index, rows.length - 1);
  return runs;
}

interface Rectangle extends EmptyRun {
  readonly first: number;
  readonly last: number;
}

function rectangles(runs: readonly EmptyRun[][]): Rectangle[] {
  const found = new Map<string, Rectangle>();
  const contains = (index: number, run: EmptyRun): boolean =>
    runs[index]?.some((other) => other.from <= run.from && other.to >= run.to) ?? false;
  for (const [index, list] of runs.entries()) {
    for (const run of list) {
      const key = `${run.from}-${run.to}`;
      const known = found.get(key);
      if (known !== undefined && known.first <= index && index <= known.last) continue;
      let first = index;
      let last = index;
      while (first > 0 && contains(first - 1, run)) first -= 1;
      while (last < runs.length - 1 && contains(last + 1, run)) last += 1;
      if (first === 0 || last === runs.length - 1) continue;
      const wide = known === undefined ? 0 : known.last - known.first;
      if (known === undefined || last - first > wide) found.set(key, { ...run, first, last });
    }
  }
  return [...found.values()].sort((a, b) => weight(b) - weight(a)).slice(0, MAX_CANDIDATES);
}

function weight(rectangle: Rectangle): number {
  return (rectangle.to - rectangle.from + 1) * Math.min(12, 2 + rectangle.last - rectangle.first);
}

/** What lies on one side of a gutter. */
interface Side {
  rows: number;
  characters: number;
  letters: number;
  left: number;
  right: number;
  objects: number;
  /** Widths of the pieces of its rows, as wide gaps part them. */
  readonly pieces: number[];
  /** How many rows start at which place, in steps of 3 points. */
  readonly starts: Map<number, number>;
}

function side(): Side {
  return {
    rows: 0,
    characters: 0,
    letters: 0,
    left: Number.POSITIVE_INFINITY,
    right: Number.NEGATIVE_INFINITY,
    objects: 0,
    pieces: [],
    starts: new Map(),
  };
}

function judge(
  rows: readonly Row[],
  rectangle: Rectangle,
  origin: number,
  bin: number,
  width: number,
): Gutter | undefined {
  const gutter: Gutter = {
    from: rectangle.from,
    to: rectangle.to,
    left: origin + rectangle.first * bin,
    right: origin + (rectangle.last + 1) * bin,
    score: 0,
  };
  trim(rows, gutter);
  if (gutter.to - gutter.from < 2) return undefined;
  const middle = (gutter.left + gutter.right) / 2;
  const before = side();
  const after = side();
  let both = 0;
  let joined = 0;
  let size = 0;
  let edgeLeft = Number.NEGATIVE_INFINITY;
  let edgeRight = Number.POSITIVE_INFINITY;
  for (let index = gutter.from; index <= gutter.to; index += 1) {
    const row = rows[index];
    if (row === undefined) continue;
    size += row.size;
    if (isJoined(row, gutter)) joined += 1;
    let cut = 0;
    while (cut < row.words.length && middleOf(row.words[cut]) < middle) cut += 1;
    const last = row.words[cut - 1];
    const next = row.words[cut];
    note(before, row.words, 0, cut);
    note(after, row.words, cut, row.words.length);
    if (last !== undefined) edgeLeft = Math.max(edgeLeft, last.right);
    if (next !== undefined) edgeRight = Math.min(edgeRight, next.left);
    if (last !== undefined && next !== undefined && !last.object && !next.object) both += 1;
  }
  const count = Math.min(before.rows, after.rows);
  const em = size / (gutter.to - gutter.from + 1);
  const gap = edgeRight - edgeLeft;
  if (count < 3 || joined > 0.25 * count) return undefined;
  const narrow = Math.min(before.right - before.left, after.right - after.left) / width;
  const least = count >= 8 ? Math.max(0.6 * em, 0.012 * width) : count >= 5 ? 1.2 * em : 2 * em;
  if (gap < least) return undefined;
  const aligned = both / count;
  if (narrow < 0.15 && (aligned > 0.5 || count < 5)) return undefined;
  if (aligned > 0.7 && !areColumns(before, after, count)) return undefined;
  gutter.left = edgeLeft;
  gutter.right = edgeRight;
  gutter.score = count * (1 + 0.1 * Math.min(3, gap / em));
  return gutter;
}

function middleOf(word: Word | undefined): number {
  return word === undefined ? 0 : (word.left + word.right) / 2;
}

/** Adds one row's words from `from` up to `to` to what is known of a side. */
function note(into: Side, words: readonly Word[], from: number, to: number): void {
  const first = words[from];
  if (first === undefined || from >= to) return;
  into.rows += 1;
  into.left = Math.min(into.left, first.left);
  const start = Math.round(first.left / 3);
  into.starts.set(start, (into.starts.get(start) ?? 0) + 1);
  let left = first.left;
  let right = first.left;
  for (let index = from; index < to; index += 1) {
    const word = words[index];
    if (word === undefined) continue;
    if (word.left - right > 1.5 * word.size) {
      into.pieces.push(right - left);
      left = word.left;
    }
    right = Math.max(right, word.right);
    if (word.object !== undefined) into.objects += 1;
    into.characters += word.text.length * (isCjk(word.text) ? 2 : 1) + 1;
    if (/\p{L}/u.test(word.text)) into.letters += word.text.length * (isCjk(word.text) ? 2 : 1) + 1;
  }
  into.pieces.push(right - left);
  into.right = Math.max(into.right, right);
}

/** Whether two stacks whose rows lie level are columns of running text or lists rather than the cells of rows. */
function areColumns(before: Side, after: Side, count: number): boolean {
  if (before.objects + after.objects > 0.5 * (before.rows + after.rows)) return true;
  if (isProse(before) && isProse(after)) return true;
  const textual = before.letters > 0.6 * before.characters && after.letters > 0.6 * after.characters;
  const wide = (part: Side): number => part.right - part.left;
  const even = Math.max(wide(before), wide(after)) < 1.6 * Math.min(wide(before), wide(after));
  const flush = Math.max(0, ...after.starts.values()) > 0.5 * after.rows;
  return count >= 8 && textual && even && flush && (isProse(before) || isProse(after) || count >= 14);
}

/** Whether a side holds lines of running text: long pieces, most of them or some in a row about as wide as the widest. */
function isProse(part: Side): boolean {
  const sorted = [...part.pieces].sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? 0;
  const wide = sorted[Math.floor(sorted.length * 0.9)] ?? 0;
  if (part.letters <= 0.5 * part.characters) return false;
  const long = part.characters / Math.max(1, sorted.length) >= 16;
  if (long && median >= 0.6 * wide) return true;
  const full = sorted.filter((width) => width >= 0.85 * wide).length;
  return long && full >= 2 && full >= 0.35 * sorted.length && full * wide >= 0.6 * sum(sorted);
}

function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/** Rows at the ends of a gutter that run across it, or stand apart on the side that would otherwise be read too late. */
function trim(rows: readonly Row[], gutter: Gutter): void {
  const middle = (gutter.left + gutter.right) / 2;
  const reaches = (row: Row, after: boolean): boolean =>
    row.words.some((word) => (word.left + word.right) / 2 >= middle === after);
  const isOnly = (row: Row, after: boolean): boolean => reaches(row, after) && !reaches(row, !after);
  /** The next row from `index` on that reaches the side; the gutter's end where none does. */
  const nextOn = (index: number, after: boolean, step: 1 | -1): number => {
    let next = index + step;
    while (next > gutter.from && next < gutter.to) {
      const row = rows[next];
      if (row !== undefined && reaches(row, after)) break;
      next += step;
    }
    return Math.min(gutter.to, Math.max(gutter.from, next));
  };
  /** Whether a row stands further from its neighbour than `most` em, and than that from the one behind it. */
  const isApart = (index: number, next: number, behind: number, most: number): boolean => {
    const [row, near, far] = [rows[index], rows[next], rows[behind]];
    if (row === undefined || near === undefined || far === undefined) return false;
    const gap = Math.abs(near.y - row.y);
    return gap > most * Math.max(row.size, near.size) && gap > 1.4 * Math.abs(far.y - near.y);
  };
  let again = true;
  while (again && gutter.from <= gutter.to) {
    again = false;
    const first = rows[gutter.from];
    const last = rows[gutter.to];
    if (first !== undefined && isJoined(first, gutter)) {
      gutter.from += 1;
      again = true;
    } else if (last !== undefined && isJoined(last, gutter)) {
      gutter.to -= 1;
      again = true;
    }
  }
  // A few rows on the right above everything on the left (a date, a title) are read before the columns.
  for (let index = gutter.from; index < Math.min(gutter.to, gutter.from + 3); index += 1) {
    const row = rows[index];
    if (row === undefined || !isOnly(row, true)) break;
    const next = nextOn(index, true, 1);
    if (isApart(index, next, nextOn(next, true, 1), 2.2)) {
      gutter.from = index + 1;
      break;
    }
  }
  // A few rows on the left below everything on the right are read after the columns.
  for (let index = gutter.to; index > Math.max(gutter.from, gutter.to - 3); index -= 1) {
    const row = rows[index];
    if (row === undefined || !isOnly(row, false)) break;
    const next = nextOn(index, false, -1);
    if (isApart(index, next, nextOn(next, false, -1), 3)) {
      gutter.to = index - 1;
      break;
    }
  }
}
