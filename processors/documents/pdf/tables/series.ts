// Parts the values of a line: numbers that stand one below the other are series, and a cell holds one value. Currency
// signs and groups of digits belong to their number.

import type { Word } from '../layout/words.ts';
import type { Gutter } from './gutter.ts';
import type { Line } from './lines.ts';
import { isCurrency, isValue } from './values.ts';

/** Minimum gap, in em, between two values of a line; those of a series repeat on line after line. */
export const VALUE_GAP = 0.3;
/** Minimum lines whose values are parted at one place. */
const LEAST_VALUES = 3;

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
