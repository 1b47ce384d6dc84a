// How crooked a scan is, from the slopes of its lines, and its text layer made straight: that follows lines that rise or
// fall across the page, so that words of neighbouring lines stand at one height.

import type { Glyph } from '../ink/ink.ts';

/** Slopes from which lines leave their band, and up to which a scan is crooked rather than rotated. */
const LEAST = 0.002;
const MOST = 0.1;
/** Lines shorter than this many em, or fewer of them, do not show a slope. */
const LONG = 10;
const LEAST_LINES = 4;

/** The glyphs with their lines level. The same glyphs if most lines are level already. */
export function straightened(glyphs: readonly Glyph[]): readonly Glyph[] {
  const slope = slopeOf(glyphs);
  if (slope === 0) return glyphs;
  return glyphs.map((glyph) => ({ ...glyph, y: glyph.y - slope * glyph.x }));
}

/** True for lines long enough to show a slope. */
export const isLong = (length: number, size: number): boolean => length > LONG * size;

/** The slope that most of the lines have; 0 if the text is level, or rotated on purpose, or the lines are too few. */
export function usualSlope(slopes: readonly number[]): number {
  if (slopes.length < LEAST_LINES) return 0;
  const sorted = [...slopes].sort((a, b) => a - b);
  const middle = sorted[sorted.length >> 1] ?? 0;
  if (Math.abs(middle) < LEAST || Math.abs(middle) > MOST) return 0;
  const alike = sorted.filter(
    (slope) => Math.abs(slope - middle) < Math.max(LEAST, 0.4 * Math.abs(middle)),
  ).length;
  return alike > 0.6 * sorted.length ? middle : 0;
}

/** The slope of lines drawn from left to right. */
function slopeOf(glyphs: readonly Glyph[]): number {
  const slopes: number[] = [];
  let first: Glyph | undefined;
  let last: Glyph | undefined;
  const close = (): void => {
    if (first !== undefined && last !== undefined && isLong(last.x - first.x, first.size))
      slopes.push((last.y - first.y) / (last.x - first.x));
  };
  for (const glyph of glyphs) {
    if (glyph.text.trim() === '') continue;
    const gap = last === undefined ? 0 : glyph.x - last.x - last.width;
    const follows =
      last !== undefined &&
      gap > -0.5 * last.size &&
      gap < 2 * last.size &&
      Math.abs(glyph.y - last.y) < 0.35 * last.size &&
      Math.abs(glyph.size - last.size) < 0.5 * last.size;
    if (!follows) {
      close();
      first = glyph;
    }
    last = glyph;
  }
  close();
  return usualSlope(slopes);
}
