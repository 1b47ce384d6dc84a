// Finds tables without a grid. Alignment alone proves nothing, so there must be other evidence: numeric columns, a
// caption, rules or shaded bands, a header set apart.

import { headAbove, LARGER } from './head.ts';
import { type Chunk, chunksOf, crossedBy, type Line } from './lines.ts';
import { type Arrangement, arrangementOf, type Drawn } from './open-table.ts';
import { OVERLAP } from './rows/bands.ts';
import { isValueLine } from './rows/header-rows.ts';
import { type Surroundings, scoredTable } from './scored-table.ts';
import type { Table } from './table.ts';
import { isCaption, isNumber, plainText } from './values.ts';
import { zonesOf } from './zones.ts';

/** A gap of this many em between two pieces of a line makes it a candidate for a table row. */
const WIDE_GAP = 1;
/** Lines further apart than this multiple of their size are not part of one table. */
const FAR = 3;
const MAX_RUNS = 200;

/** The tables among lines that belong to none yet. */
export function borderlessTables(lines: readonly Line[], around: Surroundings): Table[] {
  const tables: Table[] = [];
  let runs = 0;
  for (const zone of zonesOf(lines))
    for (const run of runsOf(zone).flatMap(splitAtNames)) {
      runs += 1;
      if (runs > MAX_RUNS) return tables;
      const table = tableOfRun(run, zone, around);
      if (table !== undefined) tables.push(table);
    }
  return tables;
}

/** Lines in a row that cross the columns above them and may still belong to the table: headings of groups of rows. */
const MOST_CROSSING = 2;

/** Runs of lines most of which split into pieces. */
function runsOf(lines: readonly Line[]): Line[][] {
  const runs: Line[][] = [];
  let run: Line[] = [];
  /** The last line of several pieces, and the lines since. */
  let pieces: readonly Chunk[] = [];
  let lasting = 0;
  let crossing = 0;
  const close = (): void => {
    const tail: Line[] = [];
    for (; run.length > 0 && lasting > 0; lasting -= 1) {
      const line = run.pop();
      if (line !== undefined) tail.unshift(line);
    }
    const whole = [...run, ...wrappedTail(run, tail, pieces)];
    if (whole.length >= 2) runs.push(whole);
    run = [];
    lasting = 0;
    crossing = 0;
  };
  const right = lines.reduce((most, line) => Math.max(most, line.right), 0);
  const left = lines.reduce((least, line) => Math.min(least, line.left), right);
  for (const [index, line] of lines.entries()) {
    const last = run.at(-1);
    // A title in larger type ends the table above it.
    const size = run[0]?.size ?? line.size;
    if (last !== undefined && (line.size > LARGER * size || isFar(last, line))) close();
    const chunks = chunksOf(line, WIDE_GAP);
    const caption = isCaption(plainText(line.words));
    if (chunks.length >= 2) {
      if (caption) {
        close();
        continue;
      }
      run.push(line);
      pieces = chunks;
      lasting = 0;
      crossing = 0;
      continue;
    }
    if (run.length === 0) continue;
    const wide = line.right - line.left > 0.6 * (right - left) && line.words.length >= 7;
    const within = crossedBy(line, pieces) <= 1;
    if (!within) crossing += 1;
    const ends = wide && !within && !isAmongRows(lines, index);
    if (ends || caption || crossing > MOST_CROSSING) {
      close();
      continue;
    }
    run.push(line);
    lasting += 1;
  }
  close();
  return runs;
}

/** Lines of several pieces, the names among them, in each part of a run that is split at its names. */
const LEAST_PARTED = 3;

/** The parts of a run that each begin with the same names of columns; titles between them belong to none. */
function splitAtNames(run: readonly Line[]): (readonly Line[])[] {
  const names = run.find((line) => chunksOf(line, WIDE_GAP).length >= 2);
  if (names === undefined || names.words.some((word) => isNumber(word.text))) return [run];
  const text = plainText(names.words);
  const starts = run.flatMap((line, index) => (plainText(line.words) === text ? [index] : []));
  const parted = (from: number, to?: number): number =>
    run.slice(from, to).filter((line) => chunksOf(line, WIDE_GAP).length >= 2).length;
  if (starts.some((start, at) => parted(start, starts[at + 1]) < LEAST_PARTED)) return [run];
  return starts.map((start, at) => {
    let end = starts[at + 1] ?? run.length;
    const isTitle = (line: Line | undefined): boolean =>
      line !== undefined && chunksOf(line, WIDE_GAP).length === 1 && line.left < names.left + line.size;
    if (end < run.length) while (isTitle(run[end - 1])) end -= 1;
    return run.slice(at === 0 ? 0 : start, end);
  });
}

const isFar = (above: Line, line: Line): boolean => line.y - above.y > FAR * Math.max(above.size, line.size);

/** True for a line alone between rows, as far from both as rows are from each other: the heading of a group of rows. */
function isAmongRows(lines: readonly Line[], index: number): boolean {
  const [above, line, below, second] = lines.slice(index - 1, index + 3);
  if (above === undefined || line === undefined || below === undefined || second === undefined) return false;
  if ([above, below, second].some((row) => chunksOf(row, WIDE_GAP).length < 2)) return false;
  const least = Math.min(line.y - above.y, below.y - line.y, second.y - below.y);
  return isNear(above, line, least) && isNear(line, below, least) && isNear(below, second, least);
}

/** Lines below the last row that its cells wrap onto: no further apart than lines ever are in the table. */
function wrappedTail(run: readonly Line[], tail: readonly Line[], pieces: readonly Chunk[]): Line[] {
  const least = leastStep(run);
  const kept: Line[] = [];
  let above = run.at(-1);
  for (const line of tail) {
    if (above === undefined || !isNear(above, line, least) || crossedBy(line, pieces) > 1) break;
    kept.push(line);
    above = line;
  }
  return kept;
}

/** The smallest distance of lines; those that overlap are of cells centred on each other. */
function leastStep(lines: readonly Line[]): number {
  const steps = lines.slice(1).map((line, index) => line.y - (lines[index]?.y ?? 0));
  const apart = steps.filter((step, index) => step > OVERLAP * (lines[index]?.size ?? 0));
  return apart.reduce((least, step) => Math.min(least, step), Number.POSITIVE_INFINITY);
}

/** Programs round baselines to pixels: steps that differ by less than this many em are the same. */
const ROUNDED = 0.15;

function isNear(above: Line, line: Line, least: number): boolean {
  return line.y - above.y <= least + ROUNDED * line.size;
}

/** The run without notes below, as far as they are recognisable by the columns they cross. */
function trimmed(run: readonly Line[], { lines }: Arrangement): readonly Line[] {
  const values = lines.map((line) => isValueLine(line));
  const last = values.lastIndexOf(true);
  let to = lines.length;
  if (last >= 2 && values.filter((value) => value).length >= 0.5 * last) {
    to = last + 1;
    const least = leastStep(lines.slice(0, to).map(({ line }) => line));
    for (let next = lines[to]; next !== undefined; next = lines[to]) {
      const isLow = /^[\p{Ll}(]/u.test(next.pieces[0]?.text ?? '');
      const near = isNear(lines[to - 1]?.line ?? next.line, next.line, least);
      if (next.pieces.length !== 1 || !(near || (isLow && to === last + 1))) break;
      to += 1;
    }
  }
  if (to === lines.length) return run;
  const bottom = lines[to - 1]?.line.y ?? 0;
  return run.filter((line) => line.y <= bottom);
}

/** Nothing drawn among the lines. */
const NOTHING: Drawn = { rules: [], partial: [] };

function tableOfRun(found: readonly Line[], zone: readonly Line[], around: Surroundings): Table | undefined {
  const all = arrangementOf(found, NOTHING);
  const body = all === undefined ? found : trimmed(found, all);
  const whole = body.length === found.length ? all : arrangementOf(body, NOTHING);
  if (body.length < 2 || whole === undefined) return undefined;
  return scoredTable([...headAbove(whole, zone), ...body], zone, around);
}
