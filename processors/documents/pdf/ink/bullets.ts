// Converts bullets drawn as discs, as browsers print them, back to glyphs if text follows them as it follows a bullet.

import { boxOf, type PaintedGlyph } from './hidden.ts';
import type { Box } from './ink.ts';

/** A filled round shape of a bullet's size. */
export interface Disc extends Box {
  readonly colour: number;
  readonly mcid: number;
  readonly artifact: boolean;
}

/** Width and height of a disc in points. */
const LEAST = 1.2;
const MOST = 8;
/** More discs than a page has list items belong to a chart. */
const MOST_DISCS = 80;
/** Distances, as multiples of the size of the adjacent text. */
const MOST_GAP = 2.5;
const CLEAR_LEFT = 3;

/** True if the bounds of a disc fit a bullet. */
export function isDisc({ left, top, right, bottom }: Box): boolean {
  const width = right - left;
  const height = bottom - top;
  return width >= LEAST && width <= MOST && Math.abs(width - height) <= 0.1 * width;
}

/** `glyphs`, with each disc that starts a line of upright text inserted before the line's first glyph. */
export function withBullets(glyphs: readonly PaintedGlyph[], discs: readonly Disc[]): PaintedGlyph[] {
  if (discs.length === 0 || discs.length > MOST_DISCS) return [...glyphs];
  const before = new Map<PaintedGlyph, PaintedGlyph>();
  for (const disc of discs) {
    const middle = (disc.top + disc.bottom) / 2;
    let first: PaintedGlyph | undefined;
    let clear = true;
    for (const glyph of glyphs) {
      if (glyph.hiding !== undefined || glyph.angle !== 0 || glyph.text === ' ') continue;
      const box = boxOf(glyph);
      if (middle < box.top || middle > box.bottom) continue;
      if (box.right <= disc.left + 0.5) {
        if (disc.left - box.right < CLEAR_LEFT * glyph.size) clear = false;
      } else if (glyph.x - disc.right <= MOST_GAP * glyph.size && glyph.x >= disc.right - 0.5) {
        if (!first || glyph.x < first.x) first = glyph;
      }
    }
    const width = disc.right - disc.left;
    if (!first || !clear || width > 0.6 * first.size || before.has(first)) continue;
    const { y, size, font } = first;
    before.set(first, {
      text: '\u2022',
      x: disc.left,
      y,
      width,
      size,
      font,
      angle: 0,
      color: disc.colour,
      mcid: disc.mcid,
      artifact: disc.artifact,
    });
  }
  return glyphs.flatMap((glyph) => {
    const bullet = before.get(glyph);
    return bullet ? [bullet, glyph] : [glyph];
  });
}
