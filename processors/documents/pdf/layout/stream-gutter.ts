// Finds a gutter by the order in which words are drawn: the whole left column before the right one. For columns too short
// or too close for white space to show.

import type { Gutter } from './gutter.ts';
import type { Row } from './rows.ts';
import type { Word } from './words.ts';

const LEAST_ROWS = 3;
/** Characters per line on each side, on average: cells and labels are shorter. */
const LEAST_TEXT = 12;
const MAX_CANDIDATES = 60;

/** A gutter that the drawing order shows, if there is one. */
export function streamGutter(rows: readonly Row[]): Gutter | undefined {
  const jumps = rows.flatMap((row) => jumpsOf(row).map((jump) => (jump.left + jump.right) / 2));
  if (jumps.length < LEAST_ROWS) return undefined;
  let best: Gutter | undefined;
  for (const x of jumps.slice(0, MAX_CANDIDATES)) {
    const gutter = gutterAt(x, rows);
    if (gutter !== undefined && (best === undefined || gutter.score > best.score)) best = gutter;
  }
  return best;
}

/** Spaces between words of a row that are not drawn one after the other. */
function jumpsOf(row: Row): { left: number; right: number }[] {
  const jumps: { left: number; right: number }[] = [];
  for (const [index, word] of row.words.entries()) {
    const next = row.words[index + 1];
    if (next?.order === undefined || word.order === undefined || next.left <= word.right) continue;
    const ahead = next.order - word.order - word.glyphs.length;
    if (ahead > LEAST_TEXT) jumps.push({ left: word.right, right: next.left });
  }
  return jumps;
}

/** The longest range of rows around `x` in which no word crosses it, if its sides are two columns. */
function gutterAt(x: number, rows: readonly Row[]): Gutter | undefined {
  let best: Gutter | undefined;
  let from = 0;
  const close = (to: number): void => {
    const gutter = to < from ? undefined : columnsIn(x, rows, from, to);
    if (gutter !== undefined && (best === undefined || gutter.score > best.score)) best = gutter;
  };
  for (const [index, row] of rows.entries()) {
    if (!row.words.some((word) => word.left < x && word.right > x)) continue;
    close(index - 1);
    from = index + 1;
  }
  close(rows.length - 1);
  return best;
}

function columnsIn(x: number, rows: readonly Row[], from: number, to: number): Gutter | undefined {
  let left = Number.NEGATIVE_INFINITY;
  let right = Number.POSITIVE_INFINITY;
  let both = 0;
  let start = to;
  let end = from;
  const before: Word[] = [];
  const after: Word[] = [];
  for (let index = from; index <= to; index += 1) {
    const row = rows[index];
    const jump = row === undefined ? undefined : jumpsOf(row).find((one) => one.left <= x && one.right >= x);
    if (jump === undefined) continue;
    both += 1;
    left = Math.max(left, jump.left);
    right = Math.min(right, jump.right);
    start = Math.min(start, index);
    end = Math.max(end, index);
  }
  const shared = rows.slice(start, end + 1).filter((row) => !isOneSided(row, x)).length;
  if (both < LEAST_ROWS || both < 0.6 * shared || right <= left) return undefined;
  // Lines of the longer column below the shorter one belong to it.
  while (end < to && isOneSided(rows[end + 1], x)) end += 1;
  for (const row of rows.slice(start, end + 1))
    for (const word of row.words) (word.right <= x ? before : after).push(word);
  const drawn = (words: readonly Word[]): number[] =>
    words.map(({ order }) => order ?? 0).sort((a, b) => a - b);
  const lastBefore = drawn(before).at(-Math.ceil(0.05 * before.length) - 1) ?? 0;
  const firstAfter = drawn(after)[Math.floor(0.05 * after.length)] ?? 0;
  const length = (words: readonly Word[]): number =>
    words.reduce((sum, { glyphs }) => sum + glyphs.length, 0);
  if (lastBefore > firstAfter) return undefined;
  if (Math.min(length(before), length(after)) < LEAST_TEXT * both) return undefined;
  return { from: start, to: end, left, right, score: both };
}

function isOneSided(row: Row | undefined, x: number): boolean {
  return (
    row?.words.every((word) => word.right <= x) === true ||
    row?.words.every((word) => word.left >= x) === true
  );
}
