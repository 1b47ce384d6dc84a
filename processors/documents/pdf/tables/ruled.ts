// Finds tables with a drawn grid. A grid is a table if its cells contain text; charts, frames around text, page borders
// and lattices are not.

import { countBefore } from '../../../../src/contract/index.ts';
import { areaOf, overlap } from '../ink/box.ts';
import type { Box, Font, Glyph } from '../ink/ink.ts';
import { isUpright } from '../ink/turned.ts';
import { isBlank } from '../layout/words.ts';
import { type Grid, gridsOf } from './grid.ts';
import { type Chunk, cellLinesOf, chunksOf, type Line, linesOf } from './lines.ts';
import { type FilledCell, withSplitColumns, withSplitRows, withTextColumns } from './split.ts';
import type { Stroke, Strokes } from './strokes.ts';
import { type Cell, type Table, tableOf } from './table.ts';
import { isNumber, plainText } from './values.ts';

const MAX_GRIDS = 200;
/** A cell with a larger share of the grid's glyphs, and more than `MANY_GLYPHS`, is a frame around text. */
const FRAME_SHARE = 0.75;
const MANY_GLYPHS = 500;

/** The tables of a page's grids. */
export function ruledTables(glyphs: readonly Glyph[], strokes: Strokes, fonts: readonly Font[]): Table[] {
  const grids = gridsOf(strokes)
    .map((grid) => ({ grid, box: boxOf(grid) }))
    .filter(({ box }) => box.right - box.left >= 30 && box.bottom - box.top >= 10)
    .sort((a, b) => areaOf(a.box) - areaOf(b.box))
    .slice(-MAX_GRIDS);
  const tables: Table[] = [];
  for (const { grid, box } of grids) {
    if (tables.some((table) => overlap(table.box, box) > 0.5 * areaOf(table.box))) continue;
    const table = tableIn(grid, glyphs, strokes.vertical, fonts);
    if (table !== undefined) tables.push(table);
  }
  return tables;
}

function boxOf(grid: Grid): Box {
  return {
    left: grid.xs[0] ?? 0,
    right: grid.xs.at(-1) ?? 0,
    top: grid.ys[0] ?? 0,
    bottom: grid.ys.at(-1) ?? 0,
  };
}

function tableIn(
  grid: Grid,
  glyphs: readonly Glyph[],
  uprights: readonly Stroke[],
  fonts: readonly Font[],
): Table | undefined {
  const box = boxOf(grid);
  const inside = glyphs.filter((glyph) => isIn(glyph, box));
  const shown = inside.filter((glyph) => !isBlank(glyph.text));
  // A table of rotated text is read after rotating the page.
  if (shown.length === 0 || shown.filter((glyph) => isUpright(glyph)).length < 0.5 * shown.length)
    return undefined;
  const filled = fill(grid, inside, uprights, fonts);
  if (isSparse(filled, grid)) return undefined;
  const columned = withTextColumns(grid, filled);
  const cells = withSplitRows(withSplitColumns(columned.grid, columned.cells), grid.ys.length - 1);
  const table = tableOf(box, cells, 'ruled', headerRowsOf(cells));
  return table !== undefined && isTable(table, inside.length) ? table : undefined;
}

/** True if most of many rows or columns have no text: the grid lines of a chart. */
function isSparse(cells: readonly FilledCell[], grid: Grid): boolean {
  const rows = new Set<number>();
  const columns = new Set<number>();
  for (const cell of cells) {
    if (cell.lines.length === 0) continue;
    for (let row = cell.row; row < cell.row + cell.rowSpan; row += 1) rows.add(row);
    for (let column = cell.column; column < cell.column + cell.colSpan; column += 1) columns.add(column);
  }
  return isFew(rows.size, grid.ys.length - 1) || isFew(columns.size, grid.xs.length - 1);
}

function isFew(full: number, all: number): boolean {
  return all > 6 && full < 0.35 * all;
}

function isIn(glyph: Glyph, box: Box): boolean {
  const { x, y } = middleOf(glyph);
  return x > box.left && x < box.right && y > box.top && y < box.bottom;
}

/** The centre of a glyph's ink, regardless of rotation. */
export function middleOf(glyph: Glyph): { x: number; y: number } {
  const along = glyph.width / 2;
  const up = 0.3 * glyph.size;
  if (glyph.angle === 0) return { x: glyph.x + along, y: glyph.y - up };
  const turn = (glyph.angle * Math.PI) / 180;
  const cos = Math.cos(turn);
  const sin = Math.sin(turn);
  return { x: glyph.x + along * cos + up * sin, y: glyph.y + along * sin - up * cos };
}

/** The lines of every cell. */
function fill(
  grid: Grid,
  glyphs: readonly Glyph[],
  uprights: readonly Stroke[],
  fonts: readonly Font[],
): FilledCell[] {
  const wide = grid.xs.length - 1;
  const cellAt = new Int32Array((grid.ys.length - 1) * wide).fill(-1);
  grid.cells.forEach((cell, index) => {
    for (let row = cell.row; row < cell.row + cell.rowSpan; row += 1)
      cellAt.fill(index, row * wide + cell.column, row * wide + cell.column + cell.colSpan);
  });
  const glyphsOf: Glyph[][] = grid.cells.map(() => []);
  const placeOf = new Map<Glyph, number>();
  for (const glyph of glyphs) {
    const { x, y } = middleOf(glyph);
    const row = lastUpTo(grid.ys, y);
    const column = lastUpTo(grid.xs, x);
    const place = cellAt[row * wide + column] ?? -1;
    if (place < 0) continue;
    placeOf.set(glyph, place);
  }
  for (const line of linesOf(glyphs, fonts))
    for (const chunk of chunksOf(line, TEXT_GAP)) keepTogether(chunk, line, placeOf, uprights);
  for (const glyph of glyphs) glyphsOf[placeOf.get(glyph) ?? -1]?.push(glyph);
  return grid.cells.map((cell, index) => ({ ...cell, lines: cellLinesOf(glyphsOf[index] ?? [], fonts) }));
}

/** Words closer than this, in em, with no rule between them are in one cell. */
const TEXT_GAP = 0.45;

/** Puts text that spans several cells, where a rule between the columns is interrupted, in the first of them. */
function keepTogether(
  chunk: Chunk,
  line: Line,
  placeOf: Map<Glyph, number>,
  uprights: readonly Stroke[],
): void {
  const glyphs = chunk.words.flatMap((word) => word.glyphs);
  const first = glyphs.map((glyph) => placeOf.get(glyph)).find((place) => place !== undefined);
  if (first === undefined || glyphs.every((glyph) => placeOf.get(glyph) === first)) return;
  const y = line.y - 0.3 * line.size;
  const isParted = uprights.some(
    (stroke) => stroke.at > chunk.left && stroke.at < chunk.right && stroke.from <= y && stroke.to >= y,
  );
  if (!isParted) for (const glyph of glyphs) placeOf.set(glyph, first);
}

function lastUpTo(marks: readonly number[], at: number): number {
  const count = countBefore(marks.length, (index) => (marks[index] ?? 0) <= at);
  return Math.max(0, Math.min(count - 1, marks.length - 2));
}

/** Number of rows at the top that name columns. */
function headerRowsOf(cells: readonly Cell[]): number {
  const values = new Map<number, { values: number; all: number }>();
  for (const cell of cells) {
    if (cell.column === 0 || cell.lines.length === 0) continue;
    const row = values.get(cell.row) ?? { values: 0, all: 0 };
    row.all += 1;
    if (isNumber(cell.lines.map((line) => plainText(line.words)).join(' '))) row.values += 1;
    values.set(cell.row, row);
  }
  let header = 0;
  const last = [...values.keys()].reduce((most, row) => Math.max(most, row), 0);
  while (header < last) {
    const row = values.get(header);
    if (row !== undefined && row.values >= 0.5 * row.all) break;
    header += 1;
  }
  return header === last ? 1 : header;
}

function isTable(table: Table, glyphs: number): boolean {
  if (table.rows.length < 2 || table.columns < 2) return false;
  let places = 0;
  let full = 0;
  let wordsInLargest = 0;
  const heights = new Array<number>(table.columns).fill(0);
  for (const row of table.rows)
    for (const cell of row) {
      places += cell.rowSpan * cell.colSpan;
      if (cell.lines.length === 0) continue;
      full += 1;
      heights[cell.column] = (heights[cell.column] ?? 0) + 1;
      let held = 0;
      for (const line of cell.lines) for (const word of line.words) held += word.glyphs.length;
      wordsInLargest = Math.max(wordsInLargest, held);
    }
  // Values of a chart in boxes are all in columns of their own.
  if (full < 3 || full < 0.15 * places || heights.every((height) => height < 2)) return false;
  return !(wordsInLargest > MANY_GLYPHS && wordsInLargest > FRAME_SHARE * glyphs);
}

/** True if the glyph is visible and not part of the page's furniture. */
export function isShown(glyph: Glyph): boolean {
  return glyph.hiding === undefined && !glyph.artifact;
}
