// Finds gutters between columns: white space that is long rather than wide, with running text or lists rather than
// table cells on both sides.

import { boxAround } from '../ink/box.ts';
import { type Gutter, type Rectangle, weight } from './gutter.ts';
import { judge } from './gutter-sides.ts';
import type { Row } from './rows.ts';

/** The page is divided into stripes of 2 points, at most this many. */
const BINS = 400;
const BIN = 2;
const MAX_CANDIDATES = 16;

/** The gutter that splits the most rows into two columns, if there is one. */
export function bestGutter(rows: readonly Row[]): Gutter | undefined {
  const { left, right } = boxAround(rows.flatMap(({ words }) => words));
  const width = right - left;
  if (!(width > 40)) return undefined;
  const bin = Math.max(BIN, width / BINS);
  const runs = emptyRuns(rows, left, bin, Math.ceil(width / bin));
  const candidates = rectangles(runs);
  let best: Gutter | undefined;
  for (const candidate of candidates) {
    const gutter = judge(rows, candidate, left, bin, width);
    if (gutter !== undefined && (best === undefined || gutter.score > best.score)) best = gutter;
  }
  return best;
}

export interface EmptyRun {
  readonly from: number;
  readonly to: number;
}

/** For each stripe, the longest ranges of rows in which it is empty. */
function emptyRuns(rows: readonly Row[], left: number, bin: number, count: number): EmptyRun[][] {
  const since = new Int32Array(count);
  const runs: EmptyRun[][] = Array.from({ length: count }, () => []);
  const close = (index: number, to: number): void => {
    const from = since[index] ?? 0;
    const list = runs[index];
    if (list === undefined || to - from + 1 < 3) return;
    list.push({ from, to });
    if (list.length > 4) {
      list.sort((a, b) => b.to - b.from - (a.to - a.from));
      list.pop();
    }
  };
  for (const [at, row] of rows.entries()) {
    for (const word of row.words) {
      const first = Math.max(0, Math.floor((word.left - left) / bin));
      const last = Math.min(count - 1, Math.floor((word.right - left - 0.01) / bin));
      for (let index = first; index <= last; index += 1) {
        if ((since[index] ?? 0) <= at) {
          close(index, at - 1);
          since[index] = at + 1;
        }
      }
    }
  }
  for (let index = 0; index < count; index += 1) close(index, rows.length - 1);
  return runs;
}

function rectangles(runs: readonly EmptyRun[][]): Rectangle[] {
  const found = new Map<string, Rectangle>();
  const contains = (index: number, run: EmptyRun): boolean =>
    runs[index]?.some((other) => other.from <= run.from && other.to >= run.to) ?? false;
  for (const [index, list] of runs.entries()) {
    for (const run of list) {
      const key = `${run.from}-${run.to}`;
      const known = found.get(key);
      if (known !== undefined && known.first <= index && index <= known.last) continue;
      let first = index;
      let last = index;
      while (first > 0 && contains(first - 1, run)) first -= 1;
      while (last < runs.length - 1 && contains(last + 1, run)) last += 1;
      if (first === 0 || last === runs.length - 1) continue;
      const wide = known === undefined ? 0 : known.last - known.first;
      if (known === undefined || last - first > wide) found.set(key, { ...run, first, last });
    }
  }
  return [...found.values()].sort((a, b) => weight(b) - weight(a)).slice(0, MAX_CANDIDATES);
}
