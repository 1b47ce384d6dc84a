// The tables of a page.

import type { Ink } from '../ink.ts';
import { isShown, ruledTables } from './ruled.ts';
import { strokesOf } from './strokes.ts';
import type { Table } from './table.ts';

/** The page's tables from top to bottom; their glyphs are no part of the running text. */
export function findTables(ink: Ink): Table[] {
  const strokes = strokesOf(ink);
  const glyphs = ink.glyphs.filter((glyph) => isShown(glyph));
  const page = { left: 0, top: 0, right: ink.width, bottom: ink.height };
  const tables = ruledTables(glyphs, strokes, page);
  return tables.sort((a, b) => a.box.top - b.box.top || a.box.left - b.box.left);
}
