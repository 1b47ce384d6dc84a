// Finds the tables of a page: first those with a drawn grid, then those of lines in columns.
// Each step excludes the glyphs of previous ones.

import { overlap } from '../ink/box.ts';
import type { Glyph, Ink } from '../ink/ink.ts';
import { directionOf, originalOf, quarterTurn, turnedBack } from '../ink/turned.ts';
import { borderlessTables } from './borderless.ts';
import { levelsOf } from './levels.ts';
import { linesOf } from './lines.ts';
import { isShown, ruledTables } from './ruled.ts';
import { strokesOf } from './strokes.ts';
import type { Table } from './table.ts';

/** Minimum rotated glyphs for a table printed sideways or upside down. */
const MANY_TURNED = 80;

/** The page's tables from top to bottom; their glyphs are not part of the running text. */
export function findTables(ink: Ink): Table[] {
  const tables = uprightTables(ink);
  for (const direction of [90, 180, 270] as const) {
    const turned = ink.glyphs.filter((glyph) => Math.abs(directionOf(glyph) - direction) < 5).length;
    if (turned < MANY_TURNED) continue;
    for (const table of uprightTables(quarterTurn(ink, direction))) {
      const box = turnedBack(table.box, ink, direction);
      if (!tables.some((other) => overlap(other.box, box) > 0)) tables.push({ ...table, box });
    }
  }
  return tables.sort((a, b) => a.box.top - b.box.top || a.box.left - b.box.left);
}

function uprightTables(ink: Ink): Table[] {
  const strokes = strokesOf(ink);
  const glyphs = ink.glyphs.filter((glyph) => isShown(glyph));
  const tables = ruledTables(glyphs, strokes, ink.fonts);
  const lines = linesOf(without(glyphs, tables), ink.fonts);
  const levels = levelsOf(strokes.horizontal);
  const around = { levels, uprights: strokes.vertical, pictures: ink.pictures, fonts: ink.fonts };
  for (const table of borderlessTables(lines, around))
    if (!tables.some((other) => overlap(other.box, table.box) > 0)) tables.push(table);
  return tables;
}

function without(glyphs: readonly Glyph[], tables: readonly Table[]): Glyph[] {
  const taken = new Set<Glyph>();
  for (const table of tables) for (const glyph of table.glyphs) taken.add(glyph);
  return glyphs.filter((glyph) => !taken.has(originalOf(glyph)));
}
