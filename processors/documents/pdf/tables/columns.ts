// Finds the columns of a run of lines: vertical strips that stay white. Lines with a name spanning several columns, or
// a title, may cross them.

import type { Gutter } from './gutter.ts';
import { chunksOf, type Line, usualSize } from './lines.ts';
import { narrowed } from './series.ts';

/** A gap of this many em splits a line into pieces. */
export const PIECE_GAP = 0.8;
/** Lines at the top that may cross the gutters of those below. */
const HEADER_LINES = 5;
const MAX_COLUMNS = 60;

/** The gutters of the lines from left to right, and how many lines at the top cross some of them. */
export function guttersOf(lines: readonly Line[]): { gutters: Gutter[]; crossing: number } {
  const em = usualSize(lines);
  const pieced = lines.filter((line) => chunksOf(line, PIECE_GAP).length >= 2);
  if (pieced.length < 2) return { gutters: [], crossing: 0 };
  const edges = edgesOf(pieced);
  let best: { gutters: Gutter[]; crossing: number } = { gutters: strips(pieced, edges, 0, em), crossing: 0 };
  for (let skip = 1; skip <= HEADER_LINES && pieced.length - skip >= 2; skip += 1) {
    if (skip > pieced.length / 2) break;
    const gutters = strips(pieced.slice(skip), edges, skip, em);
    if (gutters.length > best.gutters.length) best = { gutters, crossing: skip };
  }
  const complete = completeLines(pieced);
  if (complete.length < pieced.length) {
    const gutters = strips(complete, edgesOf(complete), 0, em);
    if (gutters.length > best.gutters.length) best = { gutters, crossing: best.crossing };
  }
  const gutters = besideLabels(best.gutters, lines, em);
  return { ...best, gutters: narrowed(gutters, lines) };
}

/** Share of the most pieces of any line that a complete line has, and share of such lines. */
const COMPLETE = 0.75;
const MOST_COMPLETE = 0.5;

/** The lines with nearly all pieces, if most are: those of sums and headings span columns. */
function completeLines(lines: readonly Line[]): readonly Line[] {
  const counts = lines.map((line) => chunksOf(line, PIECE_GAP).length);
  const most = counts.reduce((max, count) => Math.max(max, count), 0);
  const complete = lines.filter((_, index) => (counts[index] ?? 0) >= COMPLETE * most);
  return most >= 4 && complete.length >= 3 && complete.length >= MOST_COMPLETE * lines.length
    ? complete
    : lines;
}

/** The gutters, the first of them narrowed by labels without values that extend into it. */
function besideLabels(gutters: readonly Gutter[], lines: readonly Line[], em: number): Gutter[] {
  const [first, ...others] = gutters;
  if (first === undefined) return [];
  let { from } = first;
  for (const line of lines) {
    const right = line.words.at(-1)?.right ?? 0;
    if (
      line.left < first.from &&
      right > from &&
      right < first.to - 0.3 * em &&
      chunksOf(line, PIECE_GAP).length === 1
    )
      from = right;
  }
  return [{ from, to: first.to }, ...others];
}

/** Start or end of ink on a line. */
interface Edge {
  readonly x: number;
  readonly by: 1 | -1;
  readonly line: number;
}

function edgesOf(lines: readonly Line[]): Edge[] {
  const edges: Edge[] = [];
  lines.forEach((line, index) => {
    for (const run of inkOf(line, 0.3)) {
      edges.push({ x: run.left, by: 1, line: index });
      edges.push({ x: run.right, by: -1, line: index });
    }
  });
  return edges.sort((a, b) => a.x - b.x || b.by - a.by);
}

/** The white strips of `lines`, whose edges are those of `all` from line `skip` on. */
function strips(lines: readonly Line[], all: readonly Edge[], skip: number, em: number): Gutter[] {
  const least = lines.length >= 6 ? 0.45 : lines.length >= 4 ? 0.6 : 0.8;
  const outliers = lines.length >= 8 ? Math.floor(lines.length * 0.12) : 0;
  const edges = skip === 0 ? all : all.filter((edge) => edge.line >= skip);
  // Runs with few or no crossing lines; the emptiest part of each is the gutter.
  const found: (Gutter & { readonly depth: number })[] = [];
  let depth = 0;
  let low: { from: number; to: number; depth: number } | undefined;
  const close = (): void => {
    if (low !== undefined && low.to - low.from >= least * em) {
      if (isBetween(low, lines, low.depth)) found.push(low);
    }
    low = undefined;
  };
  for (let index = 0; index + 1 < edges.length; index += 1) {
    const edge = edges[index];
    const next = edges[index + 1];
    if (edge === undefined || next === undefined) break;
    depth += edge.by;
    if (next.x <= edge.x) continue;
    if (depth > outliers) {
      close();
      continue;
    }
    if (low === undefined || depth < low.depth) {
      if (low !== undefined && low.depth === 0) close();
      low = { from: edge.x, to: next.x, depth };
    } else if (depth === low.depth && edge.x <= low.to + 0.01) low.to = next.x;
    else if (depth > low.depth && low.depth === 0) close();
  }
  close();
  return withTextBetween(found, lines).slice(0, MAX_COLUMNS);
}

/** If there is nothing between two strips, the emptier one is the gutter and the other the ragged edge of a column. */
function withTextBetween(
  strips: readonly (Gutter & { readonly depth: number })[],
  lines: readonly Line[],
): Gutter[] {
  const kept: (Gutter & { readonly depth: number })[] = [];
  for (const strip of strips) {
    const last = kept.at(-1);
    if (last !== undefined) {
      const from = (last.from + last.to) / 2;
      const to = (strip.from + strip.to) / 2;
      let between = 0;
      for (const line of lines)
        if (line.words.some((word) => word.left >= from - 0.5 && word.right <= to + 0.5)) between += 1;
      if (between < (last.depth + strip.depth > 0 ? 2 : 1)) {
        if (strip.depth < last.depth) kept[kept.length - 1] = strip;
        continue;
      }
    }
    kept.push(strip);
  }
  return kept;
}

/** True if enough lines have text on both sides of a strip, more than cross it. */
function isBetween(strip: Gutter, lines: readonly Line[], crossing: number): boolean {
  const middle = (strip.from + strip.to) / 2;
  let both = 0;
  for (const line of lines) {
    let left = false;
    let right = false;
    for (const word of line.words) {
      if (word.right <= middle) left = true;
      else if (word.left >= middle) right = true;
    }
    if (left && right) both += 1;
  }
  return both >= 2 && both - crossing >= Math.max(2, 3 * crossing);
}

function inkOf({ words, space }: Line, gap: number): { left: number; right: number }[] {
  const runs: { left: number; right: number }[] = [];
  for (const word of words) {
    const last = runs.at(-1);
    if (last !== undefined && word.left - last.right < Math.max(gap * word.size, space))
      last.right = Math.max(last.right, word.right);
    else runs.push({ left: word.left, right: word.right });
  }
  return runs;
}
