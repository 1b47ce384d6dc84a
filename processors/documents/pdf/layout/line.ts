// One line of a column: its words, with statistics of their fonts and sizes. `paragraphs.ts` groups lines into
// paragraphs.

import { boxAround } from '../ink/box.ts';
import type { Box, Font, Glyph } from '../ink/ink.ts';
import type { Row } from './rows.ts';
import { isCjk, isRightToLeft } from './scripts.ts';
import { joinWords, type PlacedBlock, type Word } from './words.ts';

/** Left and right edge of a column. */
export interface Column {
  readonly left: number;
  readonly right: number;
}

export interface Line extends Box {
  readonly words: readonly Word[];
  readonly text: string;
  readonly y: number;
  /** The size of most of its characters. */
  readonly size: number;
  /** Shares of its characters, 0 to 1. */
  readonly bold: number;
  readonly italic: number;
  readonly monospace: number;
  /** The font and the colour of most of its characters. */
  readonly font: string;
  readonly color: number;
  readonly column: Column;
  /** True if it reads from right to left: its start is on the right. */
  readonly rightToLeft: boolean;
  /** Its region; lines of one region are ordered from top to bottom. */
  readonly region: number;
  /** Set if the line is a placeholder for an object. */
  readonly object?: PlacedBlock;
}

/** The lines of one region. An object that covers several rows appears once, where it starts. */
export function linesOf(
  rows: readonly Row[],
  region: number,
  fonts: readonly Font[],
  placed: Set<PlacedBlock>,
): Line[] {
  const column = columnOf(rows);
  const lines: Line[] = [];
  for (const row of rows) {
    const words: Word[] = [];
    for (const word of row.words) {
      if (word.object === undefined) {
        words.push(word);
        continue;
      }
      if (placed.has(word.object)) continue;
      placed.add(word.object);
      lines.push({ ...lineOf([word], row, region, column, fonts), object: word.object });
    }
    if (words.length > 0) lines.push(lineOf(words, row, region, column, fonts));
  }
  return lines;
}

function columnOf(rows: readonly Row[]): Column {
  const { left, right } = boxAround(
    rows.flatMap(({ words }) => words.filter((word) => word.object === undefined)),
  );
  return left <= right ? { left, right } : { left: 0, right: 0 };
}

function lineOf(
  words: readonly Word[],
  row: Row,
  region: number,
  column: Column,
  fonts: readonly Font[],
): Line {
  let total = 0;
  let bold = 0;
  let italic = 0;
  let monospace = 0;
  let wide = 0;
  const sizes = new Map<number, number>();
  const used = new Map<number, number>();
  const colors = new Map<number, number>();
  for (const word of words) {
    for (const glyph of word.glyphs) {
      const font = fonts[glyph.font];
      total += 1;
      if (font?.bold === true) bold += 1;
      if (font?.italic === true) italic += 1;
      // Ideographs are as wide as each other in every font.
      if (isCjk(glyph.text)) wide += 1;
      else if (font?.monospace === true) monospace += 1;
      used.set(glyph.font, (used.get(glyph.font) ?? 0) + 1);
      colors.set(glyph.color, (colors.get(glyph.color) ?? 0) + 1);
      const size = Math.round(glyph.size * 10) / 10;
      sizes.set(size, (sizes.get(size) ?? 0) + 1);
    }
  }
  const count = Math.max(1, total);
  return {
    words,
    text: joinWords(words),
    ...boxAround(words),
    y: row.y,
    size: modeOf(sizes) ?? row.size,
    bold: bold / count,
    italic: italic / count,
    monospace: monospace / Math.max(1, total - wide),
    font: fonts[modeOf(used) ?? -1]?.name ?? '',
    color: modeOf(colors) ?? 0,
    column,
    rightToLeft: 2 * words.filter(({ text }) => isRightToLeft(text)).length > words.length,
    region,
  };
}

export function isMonospace(line: Line): boolean {
  return line.monospace > 0.85;
}

/** The key with the largest count; the larger key if counts are equal. */
export function modeOf(counts: ReadonlyMap<number, number>): number | undefined {
  let best: number | undefined;
  let most = 0;
  for (const [key, count] of counts) {
    if (count > most || (count === most && best !== undefined && key > best)) {
      most = count;
      best = key;
    }
  }
  return best;
}

/** True if a glyph is smaller than its line's text and above its baseline. */
export function isRaised(glyph: Glyph, line: Pick<Line, 'y' | 'size'>): boolean {
  return glyph.size < 0.85 * line.size && line.y - glyph.y > 0.18 * line.size;
}

/** The raised digits or symbols at the start of a line, as in a note's mark; usually empty. */
export function raisedStart(line: Line): string {
  const first = line.words[0];
  if (first === undefined) return '';
  let mark = '';
  let body = 0;
  for (const glyph of first.glyphs) body = Math.max(body, isRaised(glyph, line) ? 0 : 1);
  for (const glyph of first.glyphs) {
    if (!isRaised(glyph, line)) break;
    mark += glyph.text;
  }
  return mark.trim();
}
