// Finds the columns of a run of lines: vertical strips that stay white. Lines with a name spanning several columns, or
// a title, may cross them.

import type { Word } from '../layout/words.ts';
import { chunksOf, type Line, usualSize } from './lines.ts';
import { isCurrency, isValue } from './values.ts';

/** A white strip between two columns. */
export interface Gutter {
  readonly from: number;
  readonly to: number;
}

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
  return { ...best, gutters: withSeries(narrowed(gutters, lines), lines) };
}

/** Share of the most pieces of any line that a complete line has, and share of such lines. */
const COMPLETE = 0.75;
const MOST_COMPLETE = 0.5;

/** The lines with nearly all pieces, if most are: those of sums and headings span columns. */
function completeLines(lines: readonly Line[]): readonly Line[] {
  const counts = lines.map((line) => chunksOf(line, PIECE_GAP).length);
  const most = Math.max(...counts);
  const complete = lines.filter((_, index) => (counts[index] ?? 0) >= COMPLETE * most);
  return most >= 4 && complete.length >= 4 && complete.length >= MOST_COMPLETE * lines.length
    ? complete
    : lines;
}

/** Minimum gap, in em, between two values of a line; those of a series repeat on line after line. */
export const VALUE_GAP = 0.3;
/** Minimum lines whose values are parted at one place, and how many others, as a share, may have a value across it. */
const LEAST_VALUES = 3;
const MOST_ACROSS = 0.2;

/** The gutters as narrow as the values beside them leave them, also those of lines that were skipped. */
function narrowed(gutters: readonly Gutter[], lines: readonly Line[]): Gutter[] {
  const signsFollow = followSigns(lines);
  return gutters.map((gutter) => {
    let { from, to } = gutter;
    for (const { words, size } of lines)
      words.forEach((word, index) => {
        const next = words[index + 1];
        if (next === undefined || word.right >= to || next.left <= from) return;
        if (!isValuePart(word.text) || !isValuePart(next.text)) return;
        if (!isBetweenValues(words, index, size, signsFollow)) return;
        from = Math.max(from, word.right);
        to = Math.min(to, next.left);
      });
    return { from, to };
  });
}

/** True if the words on both sides of a place are values on at least `LEAST_VALUES` lines. */
export function isBetweenSeries(lines: readonly Line[], x: number): boolean {
  const signsFollow = followSigns(lines);
  let count = 0;
  for (const { words, size } of lines) {
    const index = words.findIndex(({ right }, at) => right <= x && (words[at + 1]?.left ?? x) > x);
    const [left, right] = [words[index], words[index + 1]];
    if (left === undefined || right === undefined) continue;
    if (!isValuePart(left.text) || !isValuePart(right.text)) continue;
    if (isBetweenValues(words, index, size, signsFollow)) count += 1;
  }
  return count >= LEAST_VALUES;
}

/**
 * The gutters, and those between series of values that labels of other lines cross: a cell holds one value. Lines with
 * other text in a column have no say in how its values are parted.
 */
function withSeries(gutters: readonly Gutter[], lines: readonly Line[]): Gutter[] {
  const all = [...gutters];
  for (let column = 0; column <= all.length && all.length < MAX_COLUMNS; ) {
    const from = all[column - 1]?.to ?? Number.NEGATIVE_INFINITY;
    const to = all[column]?.from ?? Number.POSITIVE_INFINITY;
    const gutter = seriesGutter(lines, from - 0.5, to + 0.5);
    if (gutter === undefined) column += 1;
    else all.splice(column, 0, gutter);
  }
  return all;
}

/** The strip between `from` and `to` that parts the values of most lines with several. */
function seriesGutter(lines: readonly Line[], from: number, to: number): Gutter | undefined {
  const signsFollow = followSigns(lines);
  const gaps: Gutter[] = [];
  const inked: Gutter[] = [];
  for (const line of lines) {
    const words = line.words.filter((word) => word.left >= from && word.right <= to);
    if (!words.every((word) => isValuePart(word.text))) continue;
    for (const word of words) inked.push({ from: word.left, to: word.right });
    words.forEach((word, index) => {
      const next = words[index + 1];
      if (next !== undefined && isBetweenValues(words, index, line.size, signsFollow))
        gaps.push({ from: word.right, to: next.left });
    });
  }
  if (gaps.length < LEAST_VALUES) return undefined;
  let best: { gutter: Gutter; count: number } | undefined;
  for (const { from: at } of gaps) {
    const around = gaps.filter((gap) => gap.from <= at && gap.to > at);
    if (best !== undefined && around.length <= best.count) continue;
    const gutter = {
      from: Math.max(...around.map((gap) => gap.from)),
      to: Math.min(...around.map((gap) => gap.to)),
    };
    best = { gutter, count: around.length };
  }
  if (best === undefined || best.count < LEAST_VALUES || best.gutter.to <= best.gutter.from) return undefined;
  const { gutter } = best;
  const across = inked.filter((ink) => ink.from < gutter.to - 0.5 && ink.to > gutter.from + 0.5).length;
  return across <= MOST_ACROSS * best.count ? gutter : undefined;
}

/** A number, a missing one, or a sign set beside it. */
function isValuePart(text: string): boolean {
  return isValue(text) || isCurrency(text) || /^[%()]{1,2}$/u.test(text);
}

/** True if two adjacent words of a line are parts of different values, not groups of digits or a number and its sign. */
function isBetweenValues(words: readonly Word[], index: number, size: number, signsFollow: boolean): boolean {
  const left = words[index];
  const right = words[index + 1];
  if (left === undefined || right === undefined) return false;
  const gap = right.left - left.right;
  if (gap < VALUE_GAP * size) return false;
  if (/\d$/.test(left.text) && /^\d{3}(?!\d)/.test(right.text)) return gap >= 2 * VALUE_GAP * size;
  if (isCurrency(right.text)) return !signsFollow;
  if (isCurrency(left.text)) return signsFollow;
  return !left.text.endsWith('(') && !/^[%)]/.test(right.text);
}

/** True if currency signs follow their numbers: none is before the first number of a line, or most are nearer to it. */
function followSigns(lines: readonly Line[]): boolean {
  let first = 0;
  let last = 0;
  let nearer = 0;
  for (const { words } of lines)
    words.forEach((word, index) => {
      if (!isCurrency(word.text)) return;
      const before = words[index - 1];
      const after = words[index + 1];
      if (after === undefined) last += 1;
      else if (before === undefined || !/\d/.test(before.text)) first += 1;
      else nearer += word.left - before.right < after.left - word.right ? 1 : -1;
    });
  if (first > 0 !== last > 0) return last > 0;
  return nearer > 0;
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
    for (const run of inkOf(line.words, 0.3)) {
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

function inkOf(words: readonly Word[], gap: number): { left: number; right: number }[] {
  const runs: { left: number; right: number }[] = [];
  for (const word of words) {
    const last = runs.at(-1);
    if (last !== undefined && word.left - last.right < gap * word.size)
      last.right = Math.max(last.right, word.right);
    else runs.push({ left: word.left, right: word.right });
  }
  return runs;
}
