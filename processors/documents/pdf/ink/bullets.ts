// Converts bullets drawn as discs, circles or squares, as browsers print them, back to glyphs if text follows them as it
// follows a bullet.

import { boxOf, type PaintedGlyph } from './hidden.ts';
import type { Box } from './ink.ts';

/** A round or square shape of a bullet's size. */
export interface Bullet extends Box {
  readonly colour: number;
  readonly mcid: number;
  readonly artifact: boolean;
}

/** Width and height of a bullet in points. */
const LEAST = 1.2;
const MOST = 8;
/** More bullets than a page has list items belong to a chart. */
const MOST_BULLETS = 80;
/** Distances, as multiples of the size of the adjacent text. */
const MOST_GAP = 2.5;
const CLEAR_LEFT = 3;
/** Fewer bullets than this are no chart. */
const LEAST_POINTS = 3;
/** Distances between bullets, in points: of one level, on one line, and of an inner list from its item. */
const SAME_LEVEL = 0.5;
const SAME_LINE = 3;
const MOST_INDENT = 50;

/** True if the bounds of a shape fit a bullet. */
export function isBulletSized({ left, top, right, bottom }: Box): boolean {
  const width = right - left;
  const height = bottom - top;
  return width >= LEAST && width <= MOST && Math.abs(width - height) <= 0.1 * width;
}

/**
 * The bullets that are of lists. Those of one level stand under each other, and that of an inner list's only item to the
 * right of one above it; points of a chart stand apart, each where its value is.
 */
function listed(bullets: readonly Bullet[]): readonly Bullet[] {
  if (bullets.length < LEAST_POINTS) return bullets;
  const isBelow = (one: Bullet, other: Bullet): boolean => other.top - one.top > SAME_LINE;
  const level = new Set(
    bullets.filter((one) =>
      bullets.some(
        (other) =>
          (isBelow(one, other) || isBelow(other, one)) && Math.abs(one.left - other.left) <= SAME_LEVEL,
      ),
    ),
  );
  return bullets.filter(
    (one) =>
      level.has(one) ||
      [...level].some((other) => {
        const [right, down] = [one.left - other.left, one.top - other.top];
        return right > SAME_LEVEL && right <= MOST_INDENT && down > SAME_LINE && down <= MOST_INDENT;
      }),
  );
}

/** `glyphs`, with each bullet that starts a line of upright text inserted before the line's first glyph. */
export function withBullets(glyphs: readonly PaintedGlyph[], bullets: readonly Bullet[]): PaintedGlyph[] {
  if (bullets.length === 0 || bullets.length > MOST_BULLETS) return [...glyphs];
  const before = new Map<PaintedGlyph, PaintedGlyph>();
  for (const bullet of listed(bullets)) {
    const middle = (bullet.top + bullet.bottom) / 2;
    let first: PaintedGlyph | undefined;
    let clear = true;
    for (const glyph of glyphs) {
      if (glyph.hiding !== undefined || glyph.angle !== 0 || glyph.text === ' ') continue;
      const box = boxOf(glyph);
      if (middle < box.top || middle > box.bottom) continue;
      if (box.right <= bullet.left + 0.5) {
        if (bullet.left - box.right < CLEAR_LEFT * glyph.size) clear = false;
      } else if (glyph.x - bullet.right <= MOST_GAP * glyph.size && glyph.x >= bullet.right - 0.5) {
        if (!first || glyph.x < first.x) first = glyph;
      }
    }
    const width = bullet.right - bullet.left;
    if (!first || !clear || width > 0.6 * first.size || before.has(first)) continue;
    const { y, size, font } = first;
    before.set(first, {
      text: '\u2022',
      x: bullet.left,
      y,
      width,
      size,
      font,
      angle: 0,
      color: bullet.colour,
      mcid: bullet.mcid,
      artifact: bullet.artifact,
    });
  }
  return glyphs.flatMap((glyph) => {
    const mark = before.get(glyph);
    return mark ? [mark, glyph] : [glyph];
  });
}
