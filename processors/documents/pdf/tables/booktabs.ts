// Finds tables between horizontal rules, as typeset in books: no vertical rules, columns separated by white space.

import { PIECE_GAP } from './columns.ts';
import { headAbove } from './head.ts';
import type { Ladder, Level } from './levels.ts';
import { type Chunk, chunksOf, crossedBy, type Line, partOf } from './lines.ts';
import { type Arrangement, arrangementOf } from './open-table.ts';
import { pieced } from './rows/cell-segment.ts';
import { isValueLine } from './rows/header-rows.ts';
import { type Surroundings, scoredTable } from './scored-table.ts';
import type { Table } from './table.ts';
import { isCaption, plainText } from './values.ts';

/** The content between two rules. */
interface Slab {
  readonly lines: readonly Line[];
  readonly top: number;
  readonly bottom: number;
  readonly kind: 'columns' | 'title' | 'empty' | 'text';
}

/** Rules closer than this many points, without text in between, are a double rule. */
const DOUBLE_RULE = 30;

/** The tables in a ladder of rules. */
export function ladderTables(ladder: Ladder, lines: readonly Line[], around: Surroundings): Table[] {
  if (ladder.levels.length < 2) return [];
  const within = between(lines, ladder.from - 5, ladder.to + 5);
  const slabs = slabsOf(ladder.levels, within);
  if (isGridOfChart(slabs)) return [];
  const tables: Table[] = [];
  let run: Slab[] = [];
  const close = (): void => {
    while (run.length > 0 && run.at(-1)?.kind !== 'columns') run.pop();
    // At most one line is above the column names, spanning several of them.
    while (run.length > 1 && run[0]?.kind === 'title' && run[1]?.kind !== 'columns') run.shift();
    if (run.length > 0) {
      const found = tableFrom(run, ladder, within, around);
      if (found !== undefined) tables.push(found);
    }
    run = [];
  };
  for (const slab of slabs) {
    if (slab.kind === 'text') close();
    else if (run.length === 0 && slab.kind === 'empty') continue;
    else run.push(slab);
  }
  close();
  return tables;
}

/** True if most areas between the rules are empty, like those between the grid lines of a chart. */
function isGridOfChart(slabs: readonly Slab[]): boolean {
  const vacant = slabs.filter((slab) => slab.lines.length === 0 && slab.bottom - slab.top > 5).length;
  return vacant >= 2 && vacant >= slabs.filter((slab) => slab.lines.length > 0).length;
}

/** The lines' words between two edges. */
export function between(lines: readonly Line[], left: number, right: number): Line[] {
  const found: Line[] = [];
  for (const line of lines) {
    if (line.right < left || line.left > right) continue;
    const words = line.words.filter((word) => {
      const middle = (word.left + word.right) / 2;
      return middle >= left && middle <= right;
    });
    if (words.length === line.words.length) found.push(line);
    else if (words.length > 0) found.push(partOf(line, words));
  }
  return found;
}

function slabsOf(levels: readonly Level[], lines: readonly Line[]): Slab[] {
  const slabs: Slab[] = [];
  const wide = (levels[0]?.to ?? 0) - (levels[0]?.from ?? 0);
  let next = 0;
  for (let index = 0; index + 1 < levels.length; index += 1) {
    const top = levels[index]?.at ?? 0;
    const bottom = levels[index + 1]?.at ?? 0;
    while (next < lines.length && middleY(lines[next]) <= top) next += 1;
    const inside: Line[] = [];
    while (next < lines.length && middleY(lines[next]) < bottom) {
      const line = lines[next];
      if (line !== undefined) inside.push(line);
      next += 1;
    }
    slabs.push({ lines: inside, top, bottom, kind: kindOf(inside, bottom - top, wide) });
  }
  return slabs;
}

function middleY(line: Line | undefined): number {
  return line === undefined ? 0 : line.y - 0.3 * line.size;
}

function kindOf(lines: readonly Line[], height: number, wide: number): Slab['kind'] {
  if (lines.length === 0) return height <= DOUBLE_RULE ? 'empty' : 'text';
  const cut = lines.filter((line) => chunksOf(line, PIECE_GAP).length >= 2).length;
  if (cut > 0 && isWrapped(lines)) return 'columns';
  if (lines.filter((line) => isRunning(line, wide)).length >= 2) return 'text';
  if (cut >= 0.5 * lines.length) return 'columns';
  const first = lines[0];
  if (lines.length <= 2 && height <= 40 && first !== undefined && !isCaption(plainText(first.words)))
    return 'title';
  return cut >= 3 && cut >= 0.3 * lines.length ? 'columns' : 'text';
}

/** True if lines of one piece stay within a column of the others: they are lines of a wrapped cell. */
function isWrapped(lines: readonly Line[]): boolean {
  let pieces: readonly Chunk[] = [];
  for (const line of lines) {
    const chunks = chunksOf(line, PIECE_GAP);
    if (chunks.length > pieces.length) pieces = chunks;
  }
  return lines.every((line) => chunksOf(line, PIECE_GAP).length >= 2 || crossedBy(line, pieces) === 1);
}

/** True for a line of running text: one piece nearly as wide as the rules. */
function isRunning(line: Line, wide: number): boolean {
  return (
    line.words.length >= 7 && line.right - line.left >= 0.6 * wide && chunksOf(line, PIECE_GAP).length === 1
  );
}

function tableFrom(
  run: readonly Slab[],
  ladder: Ladder,
  within: readonly Line[],
  around: Surroundings,
): Table | undefined {
  const top = run[0]?.top ?? 0;
  const bottom = run.at(-1)?.bottom ?? 0;
  const lines = run.flatMap((slab) => slab.lines);
  const first = arrangementOf(lines, { rules: [], partial: [] });
  if (first === undefined) return undefined;
  const all = [...headAbove(first, within, top, true), ...lines, ...restBelow(first, lines, within, bottom)];
  const found = scoredTable(all, within, around, true);
  if (found === undefined) return undefined;
  const { box } = found;
  return {
    ...found,
    box: {
      left: Math.min(box.left, ladder.from),
      right: Math.max(box.right, ladder.to),
      top: Math.min(box.top, top),
      bottom: Math.max(box.bottom, bottom),
    },
  };
}

/** Rows below the last rule, if the table has no closing rule. */
function restBelow(
  arrangement: Arrangement,
  lines: readonly Line[],
  within: readonly Line[],
  bottom: number,
): Line[] {
  const rest: Line[] = [];
  let last = lines.at(-1);
  const pitch = lines.length >= 2 ? ((last?.y ?? 0) - (lines[0]?.y ?? 0)) / (lines.length - 1) : undefined;
  for (const line of within) {
    if (line.y <= bottom || last === undefined) continue;
    if (line.y - last.y > Math.max(2.2 * line.size, 1.5 * (pitch ?? 0))) break;
    const cut = pieced(line, arrangement.gutters);
    if (!isValueLine(cut) || cut.pieces.some((piece) => piece.colSpan > 1)) break;
    rest.push(line);
    last = line;
  }
  return rest;
}
