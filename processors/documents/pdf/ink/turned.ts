// Rotated text: pages and tables printed sideways, and text that reads upward or at an angle.

import type { Box, Glyph, Ink, Rule } from './ink.ts';

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

/** Copies of glyphs, rotated so that those that read at `direction` read from left to right; those of a page, onto the turned page. */
export function uprightCopies(
  glyphs: readonly Glyph[],
  direction: number,
  page: PageSize = { width: 0, height: 0 },
): Glyph[] {
  const turn = (direction * Math.PI) / 180;
  const cos = Math.cos(turn);
  const sin = Math.sin(turn);
  const left = direction === 180 ? page.width : direction === 270 ? page.height : 0;
  const top = direction === 180 ? page.height : direction === 90 ? page.width : 0;
  return glyphs.map((glyph) => {
    const { x, y, angle } = glyph;
    const copy = {
      ...glyph,
      x: x * cos + y * sin + left,
      y: y * cos - x * sin + top,
      angle: angle - direction,
    };
    originals.set(copy, originalOf(glyph));
    return copy;
  });
}

/** A direction of text other than from left to right, in degrees clockwise. */
export type Direction = 90 | 180 | 270;

/** The page rotated so that text in `direction` reads from left to right, with copies of that text only. */
export function quarterTurn(ink: Ink, direction: Direction): Ink {
  const glyphs = ink.glyphs.filter((glyph) => Math.abs(directionOf(glyph) - direction) < 5);
  return turnedPage({ ...ink, glyphs }, direction);
}

/** The page rotated so that text in `direction` reads from left to right; its glyphs are copies. */
export function turnedPage(ink: Ink, direction: Direction): Ink {
  const [width, height] = direction === 180 ? [ink.width, ink.height] : [ink.height, ink.width];
  const turned = <Item extends Box>(item: Item): Item => ({ ...item, ...turnedBox(item, ink, direction) });
  return {
    ...ink,
    width,
    height,
    glyphs: uprightCopies(ink.glyphs, direction, ink),
    rules: ink.rules.map((rule) => turnedRule(rule, ink, direction)),
    fills: ink.fills.map(turned),
    pictures: ink.pictures.map(turned),
    links: ink.links.map(turned),
  };
}

function turnedRule(rule: Rule, ink: Ink, direction: Direction): Rule {
  const { horizontal, at, from, to } = rule;
  const box = horizontal
    ? { left: from, right: to, top: at, bottom: at }
    : { left: at, right: at, top: from, bottom: to };
  const { left, top, right, bottom } = turnedBox(box, ink, direction);
  return horizontal === (direction === 180)
    ? { ...rule, horizontal: true, at: top, from: left, to: right }
    : { ...rule, horizontal: false, at: left, from: top, to: bottom };
}

/** A box of the page on the page rotated so that text in `direction` reads from left to right. */
export function turnedBox({ left, top, right, bottom }: Box, ink: PageSize, direction: Direction): Box {
  const [x, y] = [ink.width, ink.height];
  if (direction === 90) return { left: top, right: bottom, top: x - right, bottom: x - left };
  if (direction === 270) return { left: y - bottom, right: y - top, top: left, bottom: right };
  return { left: x - right, right: x - left, top: y - bottom, bottom: y - top };
}

/** Maps a box of the rotated page back to the page itself. */
export function turnedBack(box: Box, { width, height }: PageSize, direction: Direction): Box {
  if (direction === 180) return turnedBox(box, { width, height }, 180);
  return turnedBox(box, { width: height, height: width }, direction === 90 ? 270 : 90);
}

type PageSize = Pick<Ink, 'width' | 'height'>;
