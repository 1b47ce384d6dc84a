// Tables as the tags of a page name them, where the page agrees: the tags say which words form a cell, also when they
// wrap, and the ink must show rows below each other, columns beside each other and nothing else between them. Programs
// also tag a page's layout as a table; such tags are ignored.

import { boxAround } from '../ink/box.ts';
import type { Box, Font, Glyph, Ink, StructureNode } from '../ink/ink.ts';
import { isBlank } from '../layout/words.ts';
import { cellLinesOf } from './lines.ts';
import { middleOf } from './ruled.ts';
import { type Cell, type Table, tableOf } from './table.ts';

const MAX_STEPS = 50_000;
const MAX_COLUMNS = 100;
/** Share of rows that must have text in two cells. */
const MOST_ROWS = 0.6;
/** Share of the text inside the table's box that must be in its cells. */
const OWN_SHARE = 0.97;
/** Longer cells on average are paragraphs beside each other: the layout of a page. */
const MAX_MEAN_LENGTH = 160;
/** Glyphs of a cell that is a page's text, and the share of the text in such cells that makes a table its layout. */
const LONG_CELL = 500;
const LONG_SHARE = 0.5;
/** How far rows and columns may reach into each other, in em: descenders, italics. */
const SLACK = 0.35;

interface TaggedCell {
  readonly heads: boolean;
  readonly glyphs: readonly Glyph[];
  readonly box: Box | undefined;
}

/** The tables that the tags of the page and its ink agree on. */
export function taggedTables(ink: Ink, glyphs: readonly Glyph[]): Table[] {
  if (ink.structure === undefined) return [];
  const marked = new Map<number, Glyph[]>();
  for (const glyph of glyphs) {
    if (glyph.mcid < 0) continue;
    const known = marked.get(glyph.mcid);
    if (known) known.push(glyph);
    else marked.set(glyph.mcid, [glyph]);
  }
  return nodesOf(ink.structure, 'Table').flatMap((node) => {
    const rows = nodesOf(node, 'TR')
      .map((row) => cellsOf(row, marked))
      .filter((cells) => cells.some(({ box }) => box !== undefined));
    const table = tableFrom(rows, glyphs, ink.fonts);
    return table ? [table] : [];
  });
}

/** The outermost nodes of a role under a node, in order. */
function nodesOf(root: StructureNode, role: string): StructureNode[] {
  const found: StructureNode[] = [];
  const stack: (StructureNode | number)[] = [...root.children].reverse();
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const node = stack.pop();
    if (node === undefined) break;
    if (typeof node === 'number') continue;
    if (node.role === role) found.push(node);
    else for (const child of [...node.children].reverse()) stack.push(child);
  }
  return found;
}

function cellsOf(row: StructureNode, marked: ReadonlyMap<number, readonly Glyph[]>): TaggedCell[] {
  const cells: TaggedCell[] = [];
  for (const child of row.children) {
    if (typeof child === 'number' || !(child.role === 'TD' || child.role === 'TH')) continue;
    const glyphs = contentsOf(child).flatMap((id) => marked.get(id) ?? []);
    cells.push({ heads: child.role === 'TH', glyphs, box: boxOf(glyphs) });
  }
  return cells;
}

/** The marked contents under a node. */
function contentsOf(root: StructureNode): number[] {
  const found = new Set<number>();
  const stack: (StructureNode | number)[] = [root];
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const node = stack.pop();
    if (node === undefined) break;
    if (typeof node === 'number') found.add(node);
    else for (const child of node.children) stack.push(child);
  }
  return [...found];
}

/** The box of the visible glyphs, from ascender to descender. */
function boxOf(glyphs: readonly Glyph[]): Box | undefined {
  return around(
    glyphs
      .filter(({ text, angle }) => !isBlank(text) && angle === 0)
      .map(({ x, y, width, size }) => ({
        left: x,
        top: y - 0.75 * size,
        right: x + width,
        bottom: y + 0.2 * size,
      })),
  );
}

function around(boxes: readonly (Box | undefined)[]): Box | undefined {
  const known = boxes.filter((box) => box !== undefined);
  return known.length === 0 ? undefined : boxAround(known);
}

function tableFrom(
  rows: readonly (readonly TaggedCell[])[],
  glyphs: readonly Glyph[],
  fonts: readonly Font[],
): Table | undefined {
  const columns = rows.reduce((most, { length }) => Math.max(most, length), 0);
  const box = around(rows.flatMap((cells) => cells.map((cell) => cell.box)));
  if (rows.length < 2 || columns < 2 || columns > MAX_COLUMNS || !box) return undefined;
  const filled = rows.filter((cells) => cells.filter((cell) => cell.box !== undefined).length > 1);
  if (filled.length < MOST_ROWS * rows.length) return undefined;
  if (isProse(rows) || !areBelow(rows) || !owns(rows, box, glyphs)) return undefined;
  const ranges = columnsOf(rows, columns);
  if (!areBeside(ranges, sizeOf(rows))) return undefined;
  const cells = rows.flatMap((row, at) => placed(row, at, ranges, fonts));
  if (cells.length < rows.flat().filter((cell) => cell.box !== undefined).length) return undefined;
  const heads = rows.findIndex((row) => row.some((cell) => !cell.heads));
  return tableOf(box, cells, 'ruled', Math.max(0, heads));
}

/**
 * Where each column has text. The rows with all cells say it first; the others widen it by cells that stand under one
 * column only. Programs leave empty cells out of the tags, so the number of a cell is not its column.
 */
function columnsOf(rows: readonly (readonly TaggedCell[])[], columns: number): (Box | undefined)[] {
  const full = rows.filter((cells) => cells.length === columns);
  const ranges = Array.from({ length: columns }, (_, column) =>
    around(full.map((cells) => cells[column]?.box)),
  );
  for (const row of rows) {
    if (row.length === columns) continue;
    for (const { box } of row) {
      const [column, ...more] = box ? columnsUnder(box, ranges) : [];
      if (column !== undefined && more.length === 0) ranges[column] = around([ranges[column], box]);
    }
  }
  return ranges;
}

const columnsUnder = ({ left, right }: Box, ranges: readonly (Box | undefined)[]): number[] =>
  ranges.flatMap((range, column) => (range && range.right > left && range.left < right ? [column] : []));

const sizeOf = (rows: readonly (readonly TaggedCell[])[]): number =>
  rows.flat().reduce((most, { glyphs }) => Math.max(most, glyphs[0]?.size ?? 0), 1);

/** True for paragraphs beside each other, or most of the text in cells that are paragraphs. */
function isProse(rows: readonly (readonly TaggedCell[])[]): boolean {
  const lengths = rows.flat().flatMap(({ glyphs }) => (glyphs.length > 0 ? [glyphs.length] : []));
  const all = lengths.reduce((sum, length) => sum + length, 0);
  const long = lengths.filter((length) => length > LONG_CELL).reduce((sum, length) => sum + length, 0);
  return all > MAX_MEAN_LENGTH * lengths.length || long > LONG_SHARE * all;
}

/** True if each row ends where the next one begins. */
function areBelow(rows: readonly (readonly TaggedCell[])[]): boolean {
  const slack = SLACK * sizeOf(rows);
  let bottom = Number.NEGATIVE_INFINITY;
  for (const cells of rows) {
    const box = around(cells.map((cell) => cell.box));
    if (!box) continue;
    if (box.top < bottom - slack) return false;
    bottom = box.bottom;
  }
  return true;
}

/** True if each column ends where the next one begins; a column without text is nowhere. */
function areBeside(ranges: readonly (Box | undefined)[], size: number): boolean {
  let right = Number.NEGATIVE_INFINITY;
  for (const range of ranges) {
    if (!range) continue;
    if (range.left < right - SLACK * size) return false;
    right = range.right;
  }
  return true;
}

/** True if hardly any text in the box is outside the cells. */
function owns(rows: readonly (readonly TaggedCell[])[], box: Box, glyphs: readonly Glyph[]): boolean {
  const own = new Set(rows.flatMap((cells) => cells.flatMap((cell) => cell.glyphs)));
  let inside = 0;
  let others = 0;
  for (const glyph of glyphs) {
    const { x, y } = middleOf(glyph);
    if (isBlank(glyph.text) || x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
    inside += 1;
    if (!own.has(glyph)) others += 1;
  }
  return others <= (1 - OWN_SHARE) * inside;
}

/** The cells of a row in their columns: by number if the row has all, else by where they stand. */
function placed(
  row: readonly TaggedCell[],
  at: number,
  ranges: readonly (Box | undefined)[],
  fonts: readonly Font[],
): Cell[] {
  const cells: Cell[] = [];
  let next = 0;
  for (const [index, { box, glyphs }] of row.entries()) {
    if (!box) continue;
    const lines = cellLinesOf(
      glyphs.filter(({ text }) => !isBlank(text)),
      fonts,
    );
    const under = row.length === ranges.length ? [index] : columnsUnder(box, ranges);
    const free = under.filter((column) => column >= next);
    const first = free[0] ?? nearest(box, ranges, next);
    if (first === undefined) continue;
    const last = Math.max(first, free.at(-1) ?? first);
    cells.push({ row: at, column: first, rowSpan: 1, colSpan: last - first + 1, lines });
    next = last + 1;
  }
  return cells;
}

/** The column closest to a cell that stands under none, from `next` on. */
function nearest(box: Box, ranges: readonly (Box | undefined)[], next: number): number | undefined {
  let best: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [column, range] of ranges.entries()) {
    if (!range || column < next) continue;
    const distance = Math.max(range.left - box.right, box.left - range.right);
    if (distance >= least) continue;
    least = distance;
    best = column;
  }
  return best;
}
