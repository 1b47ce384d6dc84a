// Lines of words for table detection: everything on one baseline across the whole page or cell, with raised and lowered
// marks attached, and pieces separated by white space. Does not separate columns of running text.

import { boxAround, median } from '../ink/box.ts';
import type { Box, Font, Glyph } from '../ink/ink.ts';
import { directionOf, isUpright, uprightCopies } from '../ink/turned.ts';
import { type Word, wordsOf } from '../layout/words.ts';

/** Words side by side, from left to right. The box is the band between the baseline and the top of capitals. */
export interface Line extends Box {
  readonly words: readonly Word[];
  /** The baseline. */
  readonly y: number;
  /** The size of its largest word. */
  readonly size: number;
  /** No gap narrower than this, in points, separates pieces: it is the space of a monospaced font. 0 in other fonts. */
  readonly space: number;
}

/** Adjacent words of a line without a wide gap between them. */
export interface Chunk {
  readonly words: readonly Word[];
  readonly left: number;
  readonly right: number;
}

/** How many of the pieces of another line are above or below a line. */
export function crossedBy(line: Line, pieces: readonly Chunk[]): number {
  return pieces.filter((piece) => line.left < piece.right && line.right > piece.left).length;
}

/** Baselines within this share of the size are the same. */
const SAME_BASELINE = 0.15;
/** Minimum overlap with the lower band for two bands to form one line: true for marks, not for tightly set lines. */
const SHARED_BAND = 0.45;
const CAPITALS = 0.7;

/** A line is monospaced if this share of its words is. */
const MOSTLY = 0.8;
/** The minimum gap between pieces of a monospaced line, in em: more than one space, less than two. */
const MONOSPACED_GAP = 0.9;

/** The lines of upright glyphs, from top to bottom. Rotated glyphs are skipped. */
export function linesOf(glyphs: Iterable<Glyph>, fonts: readonly Font[]): Line[] {
  const shown: Glyph[] = [];
  for (const glyph of glyphs) if (isUpright(glyph)) shown.push(glyph);
  shown.sort((a, b) => a.y - b.y);
  const words: Word[] = [];
  let run: Glyph[] = [];
  let from = 0;
  for (const glyph of shown) {
    if (run.length > 0 && glyph.y - from > SAME_BASELINE * Math.max(1, glyph.size)) {
      for (const word of wordsOf(run)) words.push(word);
      run = [];
    }
    if (run.length === 0) from = glyph.y;
    run.push(glyph);
  }
  if (run.length > 0) for (const word of wordsOf(run)) words.push(word);
  return linesOfWords(words, fonts);
}

/**
 * The lines of one cell: of its upright glyphs, or if there are none, of those that read downward or upward, rotated to
 * upright.
 */
export function cellLinesOf(glyphs: readonly Glyph[], fonts: readonly Font[]): Line[] {
  const lines = linesOf(glyphs, fonts);
  if (lines.length > 0 || glyphs.length === 0) return lines;
  for (const direction of [270, 90]) {
    const turned = glyphs.filter((glyph) => Math.abs(directionOf(glyph) - direction) < 10);
    for (const line of linesOf(uprightCopies(turned, direction), fonts)) lines.push(line);
  }
  return lines;
}

interface Growing {
  words: Word[];
  top: number;
  bottom: number;
  size: number;
  y: number;
}

/** Words in any order, as lines from top to bottom. */
export function linesOfWords(words: readonly Word[], fonts: readonly Font[]): Line[] {
  const sorted = [...words].sort((a, b) => a.y - b.y);
  const growing: Growing[] = [];
  for (const word of sorted) {
    const top = word.y - CAPITALS * word.size;
    let found: Growing | undefined;
    for (let back = growing.length - 1; back >= 0 && back >= growing.length - 4; back -= 1) {
      const line = growing[back];
      if (line === undefined) continue;
      const shared = Math.min(line.bottom, word.y) - Math.max(line.top, top);
      if (shared >= SHARED_BAND * Math.min(line.bottom - line.top, word.y - top)) {
        found = line;
        break;
      }
    }
    if (found === undefined) {
      growing.push({ words: [word], top, bottom: word.y, size: word.size, y: word.y });
      continue;
    }
    found.words.push(word);
    if (word.size > found.size * 1.02) {
      found.size = word.size;
      found.y = word.y;
      found.top = top;
      found.bottom = word.y;
    }
  }
  return growing.map((line) => lineOf(line, fonts)).sort((a, b) => a.y - b.y);
}

function lineOf(line: Growing, fonts: readonly Font[]): Line {
  const words = withMarks(line.words.sort((a, b) => a.left - b.left));
  return {
    words,
    left: words[0]?.left ?? 0,
    right: boxAround(words).right,
    top: line.top,
    bottom: line.bottom,
    y: line.y,
    size: line.size,
    space: isMonospaced(words, fonts) ? MONOSPACED_GAP * line.size : 0,
  };
}

function isMonospaced(words: readonly Word[], fonts: readonly Font[]): boolean {
  const monospaced = words.filter(({ glyphs }) => fonts[glyphs[0]?.font ?? -1]?.monospace === true);
  return monospaced.length >= MOSTLY * words.length;
}

const RAISED: ReadonlyMap<string, string> = new Map(
  [...'0123456789+-=()n'].map((plain, index) => [plain, [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ'][index] ?? plain]),
);

/** Attaches marks set higher or lower to the end of their words; superscript digits stay separate from numbers. */
function withMarks(words: readonly Word[]): Word[] {
  const joined: Word[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    const em = Math.max(word.size, last?.size ?? 0);
    if (
      last === undefined ||
      Math.abs(last.y - word.y) < SAME_BASELINE * em ||
      word.left - last.right > 0.2 * em ||
      word.left - last.right < -0.5 * em
    ) {
      joined.push(word);
      continue;
    }
    const text = last.size >= word.size ? last.text + raised(word, last) : raised(last, word) + word.text;
    const body = last.size >= word.size ? last : word;
    const glyphs = [...last.glyphs, ...word.glyphs];
    const right = Math.max(last.right, word.right);
    joined[joined.length - 1] = { ...body, text, glyphs, left: last.left, right };
  }
  return joined;
}

function raised(mark: Word, body: Word): string {
  if (mark.size > 0.9 * body.size || mark.y > body.y - 0.15 * body.size) return mark.text;
  const figures = [...mark.text].map((character) => RAISED.get(character));
  return figures.every((figure) => figure !== undefined) ? figures.join('') : mark.text;
}

/** A line with some of another line's words. */
export function partOf(line: Line, words: readonly Word[]): Line {
  const { left, right } = boxAround(words);
  const size = words.reduce((largest, word) => Math.max(largest, word.size), 0);
  return { ...line, words, left, right, size };
}

/** The line's pieces: a gap of at least `gap` em starts a new one. */
export function chunksOf(line: Line, gap: number): Chunk[] {
  const chunks: { words: Word[]; left: number; right: number }[] = [];
  let last: { words: Word[]; left: number; right: number } | undefined;
  for (const word of line.words) {
    if (last !== undefined && word.left - last.right < Math.max(gap * Math.max(word.size, 1), line.space)) {
      last.words.push(word);
      last.right = Math.max(last.right, word.right);
    } else {
      last = { words: [word], left: word.left, right: word.right };
      chunks.push(last);
    }
  }
  return chunks;
}

/** The median size, 10 without lines. */
export function usualSize(lines: readonly Line[]): number {
  return Math.max(1, median(lines.map((line) => line.size)) ?? 10);
}
