// One page's glyphs as lines in reading order, before paragraphs are formed: separates rotated text, and excludes
// hidden glyphs and tables.

import { type Block, cleanText, paragraphBlock } from '../../../../src/document/index.ts';
import type { Box, Glyph, Ink } from '../ink/ink.ts';
import { uprightCopies } from '../ink/turned.ts';
import { withFormulas } from './formulas.ts';
import { type Line, linesOf } from './line.ts';
import { regionsOf } from './regions.ts';
import { type Row, rowsOf, withObjects } from './rows.ts';
import type { PlacedBlock } from './words.ts';

/** A table as placed in the page's text. */
export interface PlacedTable {
  readonly box: Box;
  /** Its glyphs, which belong to no paragraph. */
  readonly glyphs: ReadonlySet<Glyph>;
  /** Its Markdown. */
  readonly block: Block;
}

/** A page's rows in the direction of most of its text, and the rows of text rotated against it. */
export interface PageRows {
  readonly rows: Row[];
  /** The page's size in the direction of its text. */
  readonly width: number;
  readonly height: number;
  /** Rows of stamps, axis titles and other rotated text, in their own coordinates. */
  readonly turned: readonly TurnedRows[];
  /** Rotation of the text in degrees. */
  readonly angle: number;
}

/** Rows of one direction. */
export interface TurnedRows {
  readonly rows: readonly Row[];
  readonly angle: number;
  /** The page's size across the rows. */
  readonly height: number;
}

/** The rows of visible glyphs outside tables. */
export function pageRows(ink: Ink, withheld: readonly ReadonlySet<Glyph>[] = []): PageRows {
  const directions = new Map<number, Glyph[]>();
  for (const glyph of ink.glyphs) {
    if (glyph.hiding !== undefined || isWithheld(glyph, withheld)) continue;
    if (!Number.isFinite(glyph.x + glyph.y + glyph.width + glyph.size) || glyph.size <= 0) continue;
    const angle = directionOf(glyph.angle);
    const list = directions.get(angle);
    if (list === undefined) directions.set(angle, [glyph]);
    else list.push(glyph);
  }
  const sorted = [...directions].sort((a, b) => b[1].length - a[1].length);
  const [angle, glyphs] = sorted[0] ?? [0, []];
  // If a table fills the page, its direction is unknown, so use upright.
  const { rows } = rowsOf(angle === 0 ? withFormulas(glyphs, ink.rules) : uprightCopies(glyphs, angle, ink));
  const isSideways = (of: number): boolean => of === 90 || of === 270;
  const turned = sorted.slice(1).map(([other, list]) => ({
    rows: rowsOf(uprightCopies(list, other, ink)).rows,
    angle: other,
    height: isSideways(other) ? ink.width : ink.height,
  }));
  const sideways = isSideways(angle);
  return {
    rows,
    width: sideways ? ink.height : ink.width,
    height: sideways ? ink.width : ink.height,
    turned,
    angle,
  };
}

function isWithheld(glyph: Glyph, withheld: readonly ReadonlySet<Glyph>[]): boolean {
  for (const set of withheld) if (set.has(glyph)) return true;
  return false;
}

function directionOf(degrees: number): number {
  const angle = ((degrees % 360) + 360) % 360;
  const quarter = Math.round(angle / 90) * 90;
  if (Math.abs(angle - quarter) <= 3) return quarter % 360;
  return (Math.round(angle / 15) * 15) % 360;
}

/** The page's rows as lines in reading order, with objects in place. */
export function pageLines(rows: readonly Row[], objects: readonly PlacedBlock[], ink: Ink): Line[] {
  const lines: Line[] = [];
  const placed = new Set<PlacedBlock>();
  for (const [index, region] of regionsOf(withObjects(rows, objects)).entries()) {
    for (const line of linesOf(region, index, ink.fonts, placed))
      lines.push(isLeader(line.text) ? { ...line, object: leaderOf(line) } : line);
  }
  return lines;
}

/** A row of dots or dashes becomes a block of its own, because it does not belong to the lines around it. */
const leaderOf = ({ left, top, right, bottom, text }: Line): PlacedBlock => ({
  ...{ left, top, right, bottom },
  block: paragraphBlock(cleanText(text)),
});

/** A row of dots or dashes, which draws a line: to part texts, or to write on. */
function isLeader(text: string): boolean {
  return text.length >= 10 && /^[.\u00B7\u2026_=\s\u2013\u2014*-]+$/u.test(text);
}
