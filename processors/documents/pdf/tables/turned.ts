// Rotated text: tables printed sideways, and column names that read upward or at an angle.

import type { Box, Glyph, Ink, Rule } from '../ink/ink.ts';

/** Maps the glyph of a rotated copy to the original. */
const originals = new WeakMap<Glyph, Glyph>();

/** The page's own glyph, of which `glyph` may be a rotated copy. */
export function originalOf(glyph: Glyph): Glyph {
  return originals.get(glyph) ?? glyph;
}

/** The direction of a glyph's baseline in whole degrees from 0 to 359. */
export function directionOf(glyph: Glyph): number {
  return ((Math.round(glyph.angle) % 360) + 360) % 360;
}

/** True if a glyph reads from left to right. */
export function isUpright(glyph: Glyph): boolean {
  const direction = directionOf(glyph);
  return direction < 10 || direction > 350;
}

/** Copies of glyphs that read at `direction`, rotated to read from left to right around the page's corner. */
export function uprightCopies(glyphs: readonly Glyph[], direction: number): Glyph[] {
  const turn = (direction * Math.PI) / 180;
  const cos = Math.cos(turn);
  const sin = Math.sin(turn);
  return glyphs.map((glyph) => {
    const copy = { ...glyph, x: glyph.x * cos + glyph.y * sin, y: glyph.y * cos - glyph.x * sin, angle: 0 };
    originals.set(copy, originalOf(glyph));
    return copy;
  });
}

/** A page rotated by 90 degrees, so that text at 90 or 270 degrees reads from left to right; its glyphs are copies. */
export function quarterTurn(ink: Ink, direction: 90 | 270): Ink {
  const right = direction === 90;
  const glyphs = uprightCopies(
    ink.glyphs.filter((glyph) => Math.abs(directionOf(glyph) - direction) < 5),
    direction,
  ).map((glyph) => {
    const copy = right ? { ...glyph, y: glyph.y + ink.width } : { ...glyph, x: glyph.x + ink.height };
    originals.set(copy, originalOf(glyph));
    return copy;
  });
  return {
    ...ink,
    width: ink.height,
    height: ink.width,
    glyphs,
    rules: ink.rules.map((rule) => turnedRule(rule, ink, right)),
    fills: ink.fills.map((fill) => ({ ...fill, ...turnedBox(fill, ink, right) })),
    pictures: ink.pictures.map((picture) => ({ ...picture, ...turnedBox(picture, ink, right) })),
  };
}

function turnedRule(rule: Rule, ink: Ink, right: boolean): Rule {
  const { thickness } = rule;
  if (rule.horizontal === right)
    return right
      ? { horizontal: false, at: rule.at, from: ink.width - rule.to, to: ink.width - rule.from, thickness }
      : { horizontal: true, at: rule.at, from: ink.height - rule.to, to: ink.height - rule.from, thickness };
  return right
    ? { horizontal: true, at: ink.width - rule.at, from: rule.from, to: rule.to, thickness }
    : { horizontal: false, at: ink.height - rule.at, from: rule.from, to: rule.to, thickness };
}

function turnedBox(box: Box, ink: Ink, right: boolean): Box {
  return right
    ? { left: box.top, right: box.bottom, top: ink.width - box.right, bottom: ink.width - box.left }
    : { left: ink.height - box.bottom, right: ink.height - box.top, top: box.left, bottom: box.right };
}

/** Maps a box of the rotated page back to the page itself. */
export function turnedBack(box: Box, ink: Ink, direction: 90 | 270): Box {
  return direction === 90
    ? { left: ink.width - box.bottom, right: ink.width - box.top, top: box.left, bottom: box.right }
    : { left: box.top, right: box.bottom, top: ink.height - box.right, bottom: ink.height - box.left };
}
