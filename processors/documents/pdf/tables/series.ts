// Parts the values of a line: numbers that stand one below the other are series, and a cell holds one value. Currency
// signs and groups of digits belong to their number.

import type { Word } from '../layout/words.ts';
import type { Gutter } from './gutter.ts';
import type { Line } from './lines.ts';
import { isCurrency, isValue } from './values.ts';

/** Minimum gap, in em, between two values of a line; those of a series repeat on line after line. */
export const VALUE_GAP = 0.3;
/** Minimum lines whose values are parted at one place, and how many others, as a share, may have a value across it. */
const LEAST_VALUES = 3;
const MOST_ACROSS = 0.2;

/** The gutters as narrow as the values beside them leave them, also those of lines that were skipped. */
export function narrowed(gutters: readonly Gutter[], lines: readonly Line[]): Gutter[] {
  const signsFollow = followSigns(lines);
  return gutters.map((gutter) => {
    let { from, to } = gutter;
    for (const { words, size } of lines)
      words.forEach((word, index) => {
        const next = words[index + 1];
        if (next === undefined || word.right >= to || next.left <= from) return;
        if (!isValuePart(word.text) || !isValuePart(next.text)) return;
        if (!isBetweenValues(words, index, size, signsFollow)) return;
        from = Math.max(from, word.right);
        to = Math.min(to, next.left);
      });
    return { from, to };
  });
}

/** True if the words on both sides of a place are values on at least `LEAST_VALUES` lines. */
export function isBetweenSeries(lines: readonly Line[], x: number): boolean {
  const signsFollow = followSigns(lines);
  let count = 0;
  for (const { words, size } of lines) {
    const index = words.findIndex(({ right }, at) => right <= x && (words[at + 1]?.left ?? x) > x);
    const [left, right] = [words[index], words[index + 1]];
    if (left === undefined || right === undefined) continue;
    if (!isValuePart(left.text) || !isValuePart(right.text)) continue;
    if (isBetweenValues(words, index, size, signsFollow)) count += 1;
  }
  return count >= LEAST_VALUES;
}

/**
 * The gutters, and those between series of values that labels of other lines cross: a cell holds one value. Lines with
 * other text in a column have no say in how its values are parted.
 */
export function withSeries(gutters: readonly Gutter[], lines: readonly Line[], most: number): Gutter[] {
  const all = [...gutters];
  for (let column = 0; column <= all.length && all.length < most; ) {
    const from = all[column - 1]?.to ?? Number.NEGATIVE_INFINITY;
    const to = all[column]?.from ?? Number.POSITIVE_INFINITY;
    const gutter = seriesGutter(lines, from - 0.5, to + 0.5);
    if (gutter === undefined) column += 1;
    else all.splice(column, 0, gutter);
  }
  return all;
}

/** The strip between `from` and `to` that parts the values of most lines with several. */
function seriesGutter(lines: readonly Line[], from: number, to: number): Gutter | undefined {
  const signsFollow = followSigns(lines);
  const gaps: Gutter[] = [];
  const inked: Gutter[] = [];
  for (const line of lines) {
    const words = line.words.filter((word) => word.left >= from && word.right <= to);
    if (!words.every((word) => isValuePart(word.text))) continue;
    for (const word of words) inked.push({ from: word.left, to: word.right });
    words.forEach((word, index) => {
      const next = words[index + 1];
      if (next !== undefined && isBetweenValues(words, index, line.size, signsFollow))
        gaps.push({ from: word.right, to: next.left });
    });
  }
  if (gaps.length < LEAST_VALUES) return undefined;
  let best: { gutter: Gutter; count: number } | undefined;
  for (const { from: at } of gaps) {
    const around = gaps.filter((gap) => gap.from <= at && gap.to > at);
    if (best !== undefined && around.length <= best.count) continue;
    const gutter = {
      from: around.reduce((most, gap) => Math.max(most, gap.from), Number.NEGATIVE_INFINITY),
      to: around.reduce((least, gap) => Math.min(least, gap.to), Number.POSITIVE_INFINITY),
    };
    best = { gutter, count: around.length };
  }
  if (best === undefined || best.count < LEAST_VALUES || best.gutter.to <= best.gutter.from) return undefined;
  const { gutter } = best;
  const across = inked.filter((ink) => ink.from < gutter.to - 0.5 && ink.to > gutter.from + 0.5).length;
  return across <= MOST_ACROSS * best.count ? gutter : undefined;
}

/** A number, a missing one, or a sign set beside it. */
function isValuePart(text: string): boolean {
  return isValue(text) || isCurrency(text) || /^[%()]{1,2}$/u.test(text);
}

/** True if two adjacent words of a line are parts of different values, not groups of digits or a number and its sign or share. */
function isBetweenValues(words: readonly Word[], index: number, size: number, signsFollow: boolean): boolean {
  const left = words[index];
  const right = words[index + 1];
  if (left === undefined || right === undefined) return false;
  const gap = right.left - left.right;
  if (gap < VALUE_GAP * size) return false;
  if (/\d$/.test(left.text) && /^\d{3}(?!\d)/.test(right.text)) return gap >= 2 * VALUE_GAP * size;
  // The share in parentheses belongs to its number.
  if (!left.text.includes('%') && /^\(.*%\)$/.test(right.text)) return gap >= 2 * VALUE_GAP * size;
  if (isCurrency(right.text)) return !signsFollow;
  if (isCurrency(left.text)) return signsFollow;
  return !left.text.endsWith('(') && !/^[%)]/.test(right.text);
}

/** True if currency signs follow their numbers: none is before the first number of a line, or most are nearer to it. */
function followSigns(lines: readonly Line[]): boolean {
  let first = 0;
  let last = 0;
  let nearer = 0;
  for (const { words } of lines)
    words.forEach((word, index) => {
      if (!isCurrency(word.text)) return;
      const before = words[index - 1];
      const after = words[index + 1];
      if (after === undefined) last += 1;
      else if (before === undefined || !/\d/.test(before.text)) first += 1;
      else nearer += word.left - before.right < after.left - word.right ? 1 : -1;
    });
  if (first > 0 !== last > 0) return last > 0;
  return nearer > 0;
}
