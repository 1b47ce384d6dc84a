// Recognized text as the glyphs of a page, so that a scan gets the same layout as any page: columns, paragraphs, tables,
// headings. A recognizer knows where lines are, not characters: those are placed evenly.

import { median } from './ink/box.ts';
import type { Font, Glyph, Ink } from './ink/ink.ts';
import { type Direction, turnedBox, turnedPage } from './ink/turned.ts';
import { isCjk, visualOrder } from './layout/scripts.ts';
import type { RecognizedPage } from './messages.ts';

/** Boxes include some space around the letters; measured on PP-OCR, whose boxes of 11 point text are 14 points high. */
const SIZE_SHARE = 0.8;
/** Heights of lines in one size differ this much, with the letters that occur in them. */
const SAME_SIZE = 0.22;
/** From the middle of a line down to its baseline, as a share of the size. */
const BASELINE = 0.35;

/** Slopes from which lines leave their band, and up to which a scan is crooked rather than rotated. */
const LEAST = 0.002;
const MOST = 0.1;
/** Lines shorter than this many em, or fewer of them, do not show a slope. */
const LONG = 10;
const LEAST_LINES = 4;

const FONT: Font = {
  name: 'recognized',
  bold: false,
  italic: false,
  monospace: false,
  ascent: 0.8,
  descent: 0.2,
};

/** The direction of the text on a page whose picture had to be turned to be read; undefined for an upright one. */
export const directionOf = ({ turn }: RecognizedPage): Direction | undefined =>
  turn === 0 ? undefined : turn === 180 ? 180 : turn === 90 ? 270 : 90;

/**
 * The page with the recognized text in place of its picture. Text that the page itself shows stays. A page whose text is
 * not upright is turned.
 */
export function withRecognized(page: Ink, recognized: RecognizedPage): Ink {
  const { lines, width, height } = recognized;
  const direction = directionOf(recognized);
  const ink = direction === undefined ? page : turnedPage(page, direction);
  const box = direction === undefined ? recognized.box : turnedBox(recognized.box, page, direction);
  const across = (box.right - box.left) / Math.max(1, width);
  const down = (box.bottom - box.top) / Math.max(1, height);
  const font = ink.fonts.length;
  const sizeOf = sizes(lines.map(({ top, bottom }) => (bottom - top) * down * SIZE_SHARE));
  const long = lines.filter(({ left, right, top, bottom }) =>
    isLong(right - left, (bottom - top) * SIZE_SHARE),
  );
  const slope = usualSlope(long.map((line) => ((line.slope ?? 0) * down) / across));
  const glyphs = lines.flatMap((line, index) => {
    // Turned around the middle of the picture, so that crooked lines are level.
    const x = ((line.left + line.right - width) / 2) * across;
    const y = ((line.top + line.bottom - height) / 2) * down;
    const length = (line.right - line.left) * across;
    return glyphsOf(line.text, {
      left: (box.left + box.right - length) / 2 + x + slope * y,
      width: length,
      middle: (box.top + box.bottom) / 2 + y - slope * x,
      size: sizeOf(index),
      font,
    });
  });
  const shown = ink.glyphs.filter(({ text, hiding }) => hiding === undefined && !text.includes('\ufffd'));
  return { ...ink, fonts: [...ink.fonts, FONT], glyphs: [...glyphs, ...shown], pictures: [] };
}

/** The size of each line: the usual one for lines about as high, so that letters without descenders are no heading. */
function sizes(heights: readonly number[]): (index: number) => number {
  const usual = median(heights) ?? 10;
  return (index) => {
    const height = heights[index] ?? usual;
    return Math.abs(height - usual) <= SAME_SIZE * usual ? usual : height;
  };
}

interface LinePlace {
  readonly left: number;
  readonly width: number;
  readonly middle: number;
  readonly size: number;
  readonly font: number;
}

function glyphsOf(text: string, { left, width, middle, size, font }: LinePlace): Glyph[] {
  const characters = visualOrder([...text]);
  const units = characters.map((character) => (isCjk(character) ? 2 : 1));
  const unit = width / units.reduce((sum, one) => sum + one, 0);
  let x = left;
  return characters.map((character, index) => {
    const advance = unit * (units[index] ?? 1);
    const glyph: Glyph = {
      text: character,
      x,
      y: middle + BASELINE * size,
      width: advance,
      size,
      font,
      angle: 0,
      color: 0,
      mcid: -1,
      artifact: false,
    };
    x += advance;
    return glyph;
  });
}

/** True for lines long enough to show a slope. */
const isLong = (length: number, size: number): boolean => length > LONG * size;

/** The slope that most of the lines have; 0 if the text is level, or rotated on purpose, or the lines are too few. */
function usualSlope(slopes: readonly number[]): number {
  if (slopes.length < LEAST_LINES) return 0;
  const sorted = [...slopes].sort((a, b) => a - b);
  const middle = sorted[sorted.length >> 1] ?? 0;
  if (Math.abs(middle) < LEAST || Math.abs(middle) > MOST) return 0;
  const alike = sorted.filter(
    (slope) => Math.abs(slope - middle) < Math.max(LEAST, 0.4 * Math.abs(middle)),
  ).length;
  return alike > 0.6 * sorted.length ? middle : 0;
}
