// Splits lines at the page's columns of prose, because there a line across the page is not one line. Only for finding
// tables; the reading order is determined elsewhere.

import { median } from '../ink/box.ts';
import { type Chunk, chunksOf, type Line, partOf, usualSize } from './lines.ts';

/** A chunk with at least this many words is prose. */
const PROSE_WORDS = 4;
/** Minimum lines of prose on each side of a text column's gutter. */
const LEAST_LINES = 5;
/** Minimum lines of prose next to the gutter for a range of lines that nothing crosses to be in columns. */
const LEAST_IN_STRETCH = 3;
/** Lines of the shorter of two columns of prose, as a share of those of the longer. */
const LEAST_SHARE = 0.4;
const MAX_ROUNDS = 4;

/** The lines by columns of prose: left parts, right parts, and the lines that no such column splits. */
export function zonesOf(lines: readonly Line[]): Line[][] {
  const zones: Line[][] = [];
  let open: { lines: readonly Line[]; rounds: number }[] = [{ lines, rounds: 0 }];
  while (open.length > 0) {
    const next: { lines: readonly Line[]; rounds: number }[] = [];
    for (const zone of open) {
      const gutter = zone.rounds < MAX_ROUNDS ? proseGutter(zone.lines) : undefined;
      if (gutter === undefined) {
        zones.push([...zone.lines]);
        continue;
      }
      for (const part of cutAt(zone.lines, gutter))
        if (part.length > 0) next.push({ lines: part, rounds: zone.rounds + 1 });
    }
    open = next;
  }
  return zones;
}

/** True for a piece of a line of running text. */
function isProse(chunk: Chunk): boolean {
  return (
    chunk.words.length >= PROSE_WORDS &&
    chunk.words.filter((word) => /^\p{L}{2,}/u.test(word.text)).length >= 3
  );
}

/** The middle of the white strip with most lines of prose on both sides and few across. */
function proseGutter(lines: readonly Line[]): number | undefined {
  const em = usualSize(lines);
  const edges: { x: number; by: number }[] = [];
  /** Where the first piece of prose of each line ends, and where the last begins. */
  const firstEnds: number[] = [];
  const lastBegins: number[] = [];
  for (const line of lines) {
    const prose = chunksOf(line, 0.9).filter((chunk) => isProse(chunk));
    const first = prose[0];
    const last = prose.at(-1);
    if (first === undefined || last === undefined) continue;
    for (const chunk of prose) edges.push({ x: chunk.left, by: 1 }, { x: chunk.right, by: -1 });
    firstEnds.push(first.right);
    lastBegins.push(last.left);
  }
  edges.sort((a, b) => a.x - b.x || b.by - a.by);
  firstEnds.sort((a, b) => a - b);
  lastBegins.sort((a, b) => a - b);
  let depth = 0;
  let before = 0;
  let begun = 0;
  let best: { x: number; score: number } | undefined;
  for (let index = 0; index + 1 < edges.length; index += 1) {
    const edge = edges[index];
    const next = edges[index + 1];
    if (edge === undefined || next === undefined) break;
    depth += edge.by;
    while ((firstEnds[before] ?? Number.POSITIVE_INFINITY) <= edge.x) before += 1;
    while ((lastBegins[begun] ?? Number.POSITIVE_INFINITY) <= edge.x) begun += 1;
    if (next.x - edge.x < 0.6 * em) continue;
    const after = lastBegins.length - begun;
    if (before < LEAST_LINES || after < LEAST_LINES || depth > 0.5 * Math.min(before, after)) continue;
    const score = Math.min(before, after) - depth;
    if (best === undefined || score > best.score) best = { x: (edge.x + next.x) / 2, score };
  }
  return best?.x;
}

function cutAt(lines: readonly Line[], x: number): Line[][] {
  const prose = (test: (chunk: Chunk) => boolean): boolean[] =>
    lines.map((line) => chunksOf(line, 0.9).some((chunk) => isProse(chunk) && test(chunk)));
  const beside = [prose(({ right }) => right <= x), prose(({ left }) => left >= x)];
  const crosses = lines.map((line) =>
    chunksOf(line, 0.5).some((chunk) => chunk.left < x - 1 && chunk.right > x + 1),
  );
  const inColumns = stretches(beside, crosses);
  const left: Line[] = [];
  const right: Line[] = [];
  const across: Line[] = [];
  lines.forEach((line, index) => {
    if (inColumns[index] !== true) {
      across.push(line);
      return;
    }
    const before = line.words.filter((word) => (word.left + word.right) / 2 < x);
    const after = line.words.filter((word) => (word.left + word.right) / 2 >= x);
    if (before.length > 0) left.push(partOf(line, before));
    if (after.length > 0) right.push(partOf(line, after));
  });
  // The cells of one column of a table are not as high as those of the other, and leave lines of it empty.
  if (Math.min(left.length, right.length) < LEAST_SHARE * Math.max(left.length, right.length))
    return [[...lines]];
  if (
    areRows(
      lines.filter((_, index) => inColumns[index] === true),
      x,
    )
  )
    return [[...lines]];
  // Nothing was split: what looked like columns has none side by side.
  if (left.length === 0 || right.length === 0) return [[...lines]];
  return [across, left, right];
}

/** Rows with white between them, as a share of the lines, and steps larger than lines usually have. */
const LEAST_BANDS = 0.12;
const BAND = 1.2;

/** True if white bands across both sides part the lines, and below nearly all of them both sides begin: rows of a table. */
function areRows(lines: readonly Line[], x: number): boolean {
  const steps = lines.slice(1).map((line, index) => line.y - (lines[index]?.y ?? 0));
  const usual = median(steps) ?? 0;
  const starts = lines.slice(1).filter((_, index) => (steps[index] ?? 0) > BAND * usual);
  const both = starts.filter(({ left, right }) => left < x && right > x);
  return (
    both.length >= LEAST_IN_STRETCH &&
    both.length >= LEAST_BANDS * lines.length &&
    both.length >= 0.8 * starts.length
  );
}

/** For each line, whether there is prose on both sides of the gutter in the same range of lines that do not cross it. */
function stretches(beside: readonly (readonly boolean[])[], crosses: readonly boolean[]): boolean[] {
  const cut = crosses.map(() => false);
  let from = 0;
  for (let index = 0; index <= crosses.length; index += 1) {
    if (index < crosses.length && crosses[index] !== true) continue;
    const counts = beside.map((side) => side.slice(from, index).filter((prose) => prose).length);
    if (counts.every((lines) => lines >= LEAST_IN_STRETCH)) cut.fill(true, from, index);
    from = index + 1;
  }
  return cut;
}
