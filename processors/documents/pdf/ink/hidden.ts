// Finds glyphs that are invisible once the whole page is painted, and the invisible text layer of a scan, which is
// meant to be read.

import { areaOf } from './box.ts';
import type { Box, Glyph, Hiding, Picture } from './ink.ts';
import { boxUnder } from './matrix.ts';
import type { Paint } from './paint.ts';

/** The upright box around a glyph, from slightly below its baseline to its ascent. */
export function boxOf(glyph: Glyph): Box {
  const radians = (glyph.angle * Math.PI) / 180;
  const cosine = Math.cos(radians);
  const sine = Math.sin(radians);
  // x along the baseline, y upward from it.
  return boxUnder(
    [cosine, sine, sine, -cosine, glyph.x, glyph.y],
    0,
    -0.1 * glyph.size,
    glyph.width,
    0.6 * glyph.size,
  );
}

/** A glyph while its page is walked. */
export interface PaintedGlyph extends Glyph {
  hiding?: Hiding;
}

/**
 * Marks text that was painted over, and unmarks the text layer of a scan: text that is invisible, or below a picture
 * that makes up most of the page.
 */
export function judge(
  glyphs: readonly PaintedGlyph[],
  orders: readonly number[],
  pictures: readonly Picture[],
  paint: Paint,
  pageArea: number,
): void {
  let seen = 0;
  let unseen = 0;
  glyphs.forEach((glyph, index) => {
    if (glyph.text === ' ') return;
    if (glyph.hiding === undefined || glyph.hiding === 'background-color') {
      const over = paint.over(boxOf(glyph), orders[index] ?? 0);
      if (over === 'area') glyph.hiding = 'covered';
      // Below a scan, the colour does not matter.
      if (over === 'picture') delete glyph.hiding;
    }
    if (glyph.hiding === undefined) seen += 1;
    else if (glyph.hiding === 'invisible') unseen += 1;
  });
  if (unseen === 0 || unseen < seen) return;
  const scans = pictures.filter((picture) => areaOf(picture) >= SCAN_SHARE * pageArea);
  const area = pictures.reduce((sum, picture) => sum + areaOf(picture), 0);
  const strips = area >= STRIPS_SHARE * pageArea ? pictures : scans;
  if (strips.length === 0) return;
  for (const glyph of glyphs) if (glyph.hiding === 'invisible' && isOver(glyph, strips)) delete glyph.hiding;
}

/** A picture of a fifth of the page may be a scanned receipt; a logo is smaller. */
const SCAN_SHARE = 0.2;
/** Scanners cut pages into strips and tiles that together fill the page. */
const STRIPS_SHARE = 0.5;
/** Maximum pictures checked per glyph. */
const MOST_STRIPS = 200;

function isOver(glyph: Glyph, pictures: readonly Picture[]): boolean {
  const { left, top, right, bottom } = boxOf(glyph);
  const x = (left + right) / 2;
  const y = (top + bottom) / 2;
  return pictures
    .slice(0, MOST_STRIPS)
    .some((one) => x >= one.left && x <= one.right && y >= one.top && y <= one.bottom);
}
