// Splits the glyphs of one line into words: finds spaces, attaches accents, puts right-to-left runs in reading order.
// `rows.ts` groups glyphs into lines.

import type { Block } from '../../../../src/document/index.ts';
import type { Box, Glyph } from '../ink/ink.ts';
import { isCjk, isRightToLeft, readingOrder } from './scripts.ts';
import { spell } from './spelling.ts';

/** A run of glyphs without a space; its box extends from the ascender to the descender line. */
export interface Word extends Box {
  readonly text: string;
  readonly glyphs: readonly Glyph[];
  /** The mean baseline. */
  readonly y: number;
  /** The largest size of its glyphs. */
  readonly size: number;
  /** Place of its first glyph in the drawing order, if known. */
  readonly order?: number | undefined;
  /** Set if this is a placeholder for an object. */
  readonly object?: PlacedBlock;
}

/** A table or picture that is already written and only needs its place in the order. */
export interface PlacedBlock extends Box {
  readonly block: Block;
}

/** A block and its position on the upright page; without a box if its lines run in another direction. */
export interface LaidBlock {
  readonly block: Block;
  readonly box?: Box;
}

/** The minimum gap between two words, in em. */
export interface Spacing {
  readonly letters: number;
  /** Between two digits: tabular figures have wider gaps. */
  readonly digits: number;
}

/** Used if too few gaps are known. */
export const PLAIN_SPACING: Spacing = { letters: 0.2, digits: 0.32 };
const SAME_PLACE = 0.25;
const TRACKED = 0.12;

/**
 * The glyphs of one line from left to right, without duplicates: a glyph drawn again within a quarter of its advance
 * (fake bold, shadows) is dropped.
 */
export function arrange(glyphs: readonly Glyph[]): Glyph[] {
  const sorted = isAscending(glyphs) ? glyphs : [...glyphs].sort((a, b) => a.x - b.x);
  const kept: Glyph[] = [];
  for (const glyph of sorted) {
    let seen = false;
    for (let back = kept.length - 1; back >= 0 && back >= kept.length - 4; back -= 1) {
      const other = kept[back];
      if (
        other !== undefined &&
        other.text === glyph.text &&
        glyph.x - other.x < SAME_PLACE * Math.max(glyph.width, 0.2 * glyph.size) &&
        Math.abs(glyph.y - other.y) < SAME_PLACE * glyph.size
      ) {
        seen = true;
        break;
      }
    }
    if (!seen) kept.push(glyph);
  }
  return kept;
}

function isAscending(glyphs: readonly Glyph[]): boolean {
  let last = Number.NEGATIVE_INFINITY;
  for (const glyph of glyphs) {
    if (glyph.x < last) return false;
    last = glyph.x;
  }
  return true;
}

/**
 * The spacing derived from the gaps in `lines`: the valley between letter gaps and word gaps if there is one, else
 * `PLAIN_SPACING`. Expects lines from `arrange`.
 */
export function spacingOf(lines: Iterable<readonly Glyph[]>): Spacing {
  const bins = new Uint32Array(50);
  let counted = 0;
  let wide = 0;
  for (const line of lines) {
    let previous: Glyph | undefined;
    for (const glyph of line) {
      if (isBlank(glyph.text)) {
        previous = undefined;
        continue;
      }
      if (previous !== undefined) {
        const gap = (glyph.x - previous.x - previous.width) / Math.max(glyph.size, previous.size, 0.1);
        if (gap > -0.2 && gap < 0.8) {
          const bin = Math.max(0, Math.floor(gap / 0.02));
          bins[bin] = (bins[bin] ?? 0) + 1;
          counted += 1;
          if (gap >= 0.1) wide += 1;
        }
      }
      previous = glyph;
    }
  }
  if (counted < 40 || wide < 8 || wide > 0.6 * counted) return PLAIN_SPACING;
  let best = PLAIN_SPACING.letters;
  let lowest = Number.POSITIVE_INFINITY;
  for (let bin = 5; bin <= 16; bin += 1) {
    const here = (bins[bin - 2] ?? 0) + (bins[bin - 1] ?? 0) + (bins[bin] ?? 0) + (bins[bin + 1] ?? 0);
    const cost = here + Math.abs(bin * 0.02 - PLAIN_SPACING.letters) * wide * 0.5;
    if (cost < lowest) {
      lowest = cost;
      best = bin * 0.02;
    }
  }
  return { letters: best, digits: Math.max(best, Math.min(PLAIN_SPACING.digits, best + 0.12)) };
}

/** The words of one line, in position from left to right. The glyphs may be in any order. */
export function wordsOf(glyphs: readonly Glyph[], spacing: Spacing = PLAIN_SPACING): Word[] {
  return wordsIn(arrange(glyphs), spacing);
}

/** The words of a line from `arrange`; `orders` is that in which its glyphs are drawn. */
export function wordsIn(
  line: readonly Glyph[],
  spacing: Spacing,
  orders?: ReadonlyMap<Glyph, number>,
): Word[] {
  const tracking = trackingOf(line);
  const ideographs = ideographGap(line);
  const words: Word[] = [];
  let run: Glyph[] = [];
  let previous: Glyph | undefined;
  let blank = false;
  const close = (): void => {
    if (run.length > 0) words.push(wordOf(run, orders));
    run = [];
  };
  for (const glyph of line) {
    if (isBlank(glyph.text)) {
      blank = true;
      continue;
    }
    if (previous !== undefined && isSpaced(previous, glyph, blank, spacing, tracking, ideographs)) close();
    run.push(glyph);
    previous = glyph;
    blank = false;
  }
  close();
  return settled(words);
}

/** Marks after a Western word that ends a right-to-left sentence: they are drawn before it. */
const LED = /^([.,:;!?\u060C\u061B\u061F]+)([\p{L}\p{N}].*)$/u;

/** The words with the marks of a right-to-left line behind the word they follow. */
function settled(words: Word[]): Word[] {
  let right = 0;
  for (const { text } of words) if (isRightToLeft(text)) right += 1;
  if (right === 0 || 2 * right < words.length) return words;
  return words.map((word) => {
    const led = isRightToLeft(word.text) ? undefined : LED.exec(word.text);
    return led === null || led === undefined ? word : { ...word, text: `${led[2]}${led[1]}` };
  });
}

/**
 * The text of one line in reading order, with one space between words, none between two ideographs. The glyphs may be
 * in any order, but must belong to one line; angle 0.
 */
export function textOf(glyphs: readonly Glyph[], spacing: Spacing = PLAIN_SPACING): string {
  return joinWords(wordsOf(glyphs, spacing));
}

/** The words' texts in reading order, separated by a space. */
export function joinWords(words: readonly Word[]): string {
  const ordered = words.some((word) => isRightToLeft(word.text)) ? readingOrder(words) : words;
  let text = '';
  for (const word of ordered) text += text === '' ? word.text : ` ${word.text}`;
  return text;
}

/** True if a space belongs between the end of a line and the start of the next. */
export function isParted(before: string, after: string): boolean {
  return !(isCjk(lastCharacter(before)) && isCjk(after));
}

function lastCharacter(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xdc00 && last <= 0xdfff ? text.slice(-2) : text.slice(-1);
}

/** True for a glyph that shows nothing: a space of any width. */
export function isBlank(text: string): boolean {
  if (text === ' ') return true;
  if (text.length > 2) return text.trim() === '';
  const code = text.charCodeAt(0);
  if (code > 0x20 && code < 0x7f) return false;
  return text.replace(/[\s\p{Cc}\u200B\u2060\uFEFF]/gu, '') === '';
}

function isSpaced(
  left: Glyph,
  right: Glyph,
  blank: boolean,
  spacing: Spacing,
  tracking: number,
  ideographs: number,
): boolean {
  const em = Math.max(0.1, left.size, right.size);
  const gap = (right.x - left.x - left.width) / em;
  if (isCjk(left.text) && isCjk(right.text)) return gap > (blank ? ideographs : 1.5);
  if (tracking > 0) return gap > tracking + TRACKED;
  if (blank) return gap > -0.3;
  const small = Math.min(left.size, right.size) < 0.8 * em;
  const digits = isDigit(left.text) && isDigit(right.text);
  const least = digits && !small ? spacing.digits : spacing.letters;
  return gap > least;
}

/** The gap at which a drawn space between two ideographs is meant: wider than the line's usual one. */
function ideographGap(line: readonly Glyph[]): number {
  const gaps: number[] = [];
  let previous: Glyph | undefined;
  for (const glyph of line) {
    if (isBlank(glyph.text)) continue;
    if (previous !== undefined && isCjk(previous.text) && isCjk(glyph.text))
      gaps.push((glyph.x - previous.x - previous.width) / Math.max(0.1, glyph.size));
    previous = glyph;
  }
  gaps.sort((a, b) => a - b);
  return Math.max(0, gaps[Math.floor(gaps.length * 0.7)] ?? 0) + PLAIN_SPACING.letters;
}

/** The usual gap of a letter-spaced line, in em; 0 for a regular line. */
function trackingOf(line: readonly Glyph[]): number {
  if (line.length < 6) return 0;
  const gaps: number[] = [];
  let narrow = 0;
  let previous: Glyph | undefined;
  for (const glyph of line) {
    if (isBlank(glyph.text)) {
      previous = undefined;
      continue;
    }
    if (isCjk(glyph.text)) return 0;
    if (previous !== undefined) {
      const gap = (glyph.x - previous.x - previous.width) / Math.max(0.1, glyph.size);
      if (gap <= TRACKED) {
        narrow += 1;
        // For nearly every line the first few letters are enough.
        if (narrow > 0.2 * line.length) return 0;
      }
      gaps.push(gap);
    }
    previous = glyph;
  }
  if (gaps.length < 5) return 0;
  gaps.sort((a, b) => a - b);
  const low = gaps[Math.floor(gaps.length * 0.2)] ?? 0;
  const middle = gaps[gaps.length >> 1] ?? 0;
  return low > TRACKED && middle < 1 && middle - low < 0.15 ? middle : 0;
}

function isDigit(text: string): boolean {
  return text.length === 1 && text >= '0' && text <= '9';
}

function wordOf(glyphs: readonly Glyph[], orders: ReadonlyMap<Glyph, number> | undefined): Word {
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  let y = 0;
  let size = 0;
  for (const glyph of glyphs) {
    left = Math.min(left, glyph.x);
    right = Math.max(right, glyph.x + glyph.width);
    y += glyph.y;
    size = Math.max(size, glyph.size);
  }
  y /= glyphs.length;
  const [first] = glyphs;
  return {
    text: spell(glyphs),
    glyphs,
    order: first && orders?.get(first),
    left,
    right,
    top: y - 0.8 * size,
    bottom: y + 0.2 * size,
    y,
    size,
  };
}
