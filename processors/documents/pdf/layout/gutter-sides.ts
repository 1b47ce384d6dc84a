// Classifies the two sides of a gutter: text columns or table cells.

import type { Gutter, Rectangle } from './gutter.ts';
import type { Row } from './rows.ts';
import { isCjk } from './scripts.ts';
import type { Word } from './words.ts';

/** Statistics of one side of a gutter. */
interface Side {
  rows: number;
  characters: number;
  letters: number;
  left: number;
  right: number;
  objects: number;
  /** Widths of the pieces of its rows, split at wide gaps. */
  readonly pieces: number[];
  /** Number of rows that start at each position, in steps of 3 points. */
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

export function judge(
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
  const middle = (gutter.left + gutter.right) / 2;
  const before = side();
  const after = side();
  let both = 0;
  let size = 0;
  let edgeLeft = Number.NEGATIVE_INFINITY;
  let edgeRight = Number.POSITIVE_INFINITY;
  for (let index = gutter.from; index <= gutter.to; index += 1) {
    const row = rows[index];
    if (row === undefined) continue;
    size += row.size;
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
  if (count < 3) return undefined;
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

/** Adds one row's words from `from` to `to` to a side's statistics. */
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

/** True if two stacks of aligned rows are columns of running text or lists rather than table cells. */
function areColumns(before: Side, after: Side, count: number): boolean {
  if (before.objects + after.objects > 0.5 * (before.rows + after.rows)) return true;
  if (isProse(before) && isProse(after)) return true;
  const textual = before.letters > 0.6 * before.characters && after.letters > 0.6 * after.characters;
  const wide = (part: Side): number => part.right - part.left;
  const even = Math.max(wide(before), wide(after)) < 1.6 * Math.min(wide(before), wide(after));
  const flush = Math.max(0, ...after.starts.values()) > 0.5 * after.rows;
  return count >= 8 && textual && even && flush && (isProse(before) || isProse(after) || count >= 14);
}

/** True if a side has lines of running text: mostly long pieces, or several in a row about as wide as the widest. */
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
