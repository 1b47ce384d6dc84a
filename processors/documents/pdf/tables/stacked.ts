// Splits a run of lines into tables below each other, between which a line of text crosses the columns.

import { guttersOf } from './columns.ts';
import type { Gutter } from './gutter.ts';
import { type Chunk, chunksOf, crossedBy, type Line } from './lines.ts';
import { pieced } from './rows/cell-segment.ts';
import { isValueLine } from './rows/header-rows.ts';

/** Minimum lines of several pieces in a table of its own. */
const LEAST_LINES = 3;
/** Minimum lines of values in each of two tables with different columns. */
const LEAST_VALUES = 2;
/** A line is set apart if it is this many times as far from the line above as lines usually are. */
const APART = 1.2;

/** Runs with more stretches than this are not split: each costs a look at all lines above. */
const MAX_STRETCHES = 60;

/** A stretch of a run, and the lines across the columns that separate it from the stretch above. */
interface Stretch {
  readonly divider: readonly Line[];
  readonly lines: readonly Line[];
}

/**
 * The lines of each table of a run: it is split where the columns below a dividing line are others than those above. Where
 * there are too few lines to compare, one of their cells must span a gutter, and the dividing line must be set apart.
 */
export function splitAtNewColumns(run: readonly Line[], gap: number): (readonly Line[])[] {
  const stretches = stretchesOf(run, gap);
  if (stretches.length > MAX_STRETCHES) return [run];
  const tables: Line[][] = [];
  for (const { divider, lines } of stretches) {
    const open = tables.at(-1);
    if (open === undefined || isApart(open, divider, lines, gap)) tables.push([...lines]);
    else for (const line of [...divider, ...lines]) open.push(line);
  }
  return tables;
}

function stretchesOf(run: readonly Line[], gap: number): Stretch[] {
  const chunks = run.map((line) => chunksOf(line, gap));
  const stretches: Stretch[] = [];
  let divider: Line[] = [];
  let from = 0;
  /** The pieces of the last line with several, and where the lines begin, give or take half an em. */
  let above: readonly Chunk[] = [];
  let left = Number.POSITIVE_INFINITY;
  for (const [index, line] of run.entries()) {
    const own = chunks[index] ?? [];
    if (index < from) continue;
    if (own.length >= 2) above = own;
    else if (crossedBy(line, above) >= 2 && line.left <= left) {
      let below = index + 1;
      while (below < run.length && (chunks[below]?.length ?? 0) < 2) below += 1;
      if (below === run.length) break;
      stretches.push({ divider, lines: run.slice(from, index) });
      divider = run.slice(index, below);
      from = below;
      above = [];
      left = Number.POSITIVE_INFINITY;
      continue;
    }
    left = Math.min(left, line.left + 0.5 * line.size);
  }
  stretches.push({ divider, lines: run.slice(from) });
  return stretches;
}

function piecedLines(lines: readonly Line[], gap: number): number {
  return lines.filter((line) => chunksOf(line, gap).length >= 2).length;
}

/** True if the lines below a dividing line are a table other than those above. */
function isApart(
  upper: readonly Line[],
  divider: readonly Line[],
  lower: readonly Line[],
  gap: number,
): boolean {
  const above = guttersOf(upper).gutters;
  const below = guttersOf(lower).gutters;
  if (piecedLines(upper, gap) >= LEAST_LINES && piecedLines(lower, gap) >= LEAST_LINES)
    return hasOtherColumns(upper, above, lower, below);
  return isSetApart(upper, divider) && (covers(lower, above, gap) || covers(upper, below, gap));
}

/** True if the first dividing line is further from the lines above than they are from each other. */
function isSetApart(upper: readonly Line[], divider: readonly Line[]): boolean {
  const steps = [...upper, ...divider.slice(0, 1)].map(({ y }, index, all) => y - (all[index - 1]?.y ?? y));
  const last = steps.pop() ?? 0;
  return steps.every((step) => last > APART * step);
}

/** True if the lower lines begin with names of columns that are others than those of the upper. */
function hasOtherColumns(
  upper: readonly Line[],
  above: readonly Gutter[],
  lower: readonly Line[],
  below: readonly Gutter[],
): boolean {
  const values = lower.map((line) => isValueLine(pieced(line, below)));
  if (values[0] !== false || values.filter((value) => value).length < LEAST_VALUES) return false;
  if (upper.filter((line) => isValueLine(pieced(line, above))).length < LEAST_VALUES) return false;
  return (
    above.length !== below.length ||
    above.some((gutter, index) => !isShared(gutter, below[index] ?? { from: 0, to: 0 }))
  );
}

/** True if a cell of the lines spans a gutter of other lines. */
function covers(lines: readonly Line[], gutters: readonly Gutter[], gap: number): boolean {
  return lines.some((line) => {
    const chunks = chunksOf(line, gap);
    return (
      chunks.length >= 2 &&
      chunks.some(({ left, right }) => gutters.some(({ from, to }) => left < from && right > to))
    );
  });
}

function isShared(gutter: Gutter, other: Gutter): boolean {
  return gutter.from < other.to && gutter.to > other.from;
}
