// Grids of crossing strokes: which strokes belong together, where rows and columns are, and which adjacent places form
// one cell because no stroke separates them. Independent of text.

import { countBefore } from '../../../../src/contract/index.ts';
import type { Stroke, Strokes } from './strokes.ts';

/** A cell of a grid, possibly spanning several rows or columns. */
export interface GridCell {
  readonly row: number;
  readonly column: number;
  readonly rowSpan: number;
  readonly colSpan: number;
}

/** Rows are between consecutive `ys`, columns between consecutive `xs`; both ascend. */
export interface Grid {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  readonly cells: readonly GridCell[];
}

/** Maximum distance in points at which strokes still count as touching. */
const REACH = 3.5;
/** Strokes this close, in points, are one boundary. */
const SAME_BOUNDARY = 3;
const MAX_CELLS = 40_000;
/** Maximum crossings tested per page. */
const MAX_TESTS = 8_000_000;

/** The grids of a page; strokes that cross nothing belong to none. */
export function gridsOf(strokes: Strokes): Grid[] {
  const { horizontal, vertical } = strokes;
  if (horizontal.length * vertical.length > MAX_TESTS) return [];
  const groups = crossingGroups(horizontal, vertical);
  const grids: Grid[] = [];
  for (const group of groups) {
    const grid = gridOf(group.horizontal, group.vertical);
    if (grid !== undefined) grids.push(grid);
  }
  return grids;
}

interface Group {
  readonly horizontal: Stroke[];
  readonly vertical: Stroke[];
}

function crossingGroups(horizontal: readonly Stroke[], vertical: readonly Stroke[]): Group[] {
  const parent = new Int32Array(horizontal.length + vertical.length).map((_, index) => index);
  for (let v = 0; v < vertical.length; v += 1) {
    const upright = vertical[v];
    if (upright === undefined) continue;
    const first = countBefore(horizontal.length, (at) => (horizontal[at]?.at ?? 0) < upright.from - REACH);
    for (let h = first; h < horizontal.length; h += 1) {
      const level = horizontal[h];
      if (level === undefined || level.at > upright.to + REACH) break;
      if (level.from - REACH <= upright.at && level.to + REACH >= upright.at)
        unite(parent, h, horizontal.length + v);
    }
  }
  const groups = new Map<number, Group>();
  const groupOf = (index: number): Group => {
    const root = rootOf(parent, index);
    let group = groups.get(root);
    if (group === undefined) {
      group = { horizontal: [], vertical: [] };
      groups.set(root, group);
    }
    return group;
  };
  horizontal.forEach((stroke, index) => {
    groupOf(index).horizontal.push(stroke);
  });
  vertical.forEach((stroke, index) => {
    groupOf(horizontal.length + index).vertical.push(stroke);
  });
  const grids = [...groups.values()].filter(
    (group) => group.horizontal.length >= 2 && group.vertical.length >= 1,
  );
  for (const group of groups.values())
    if (group.horizontal.length === 0) for (const stroke of group.vertical) addToOwn(stroke, grids);
  return grids;
}

/** Adds a piece of a vertical rule that crosses nothing, as between two rows that span, to the grid whose rule it is. */
function addToOwn(stroke: Stroke, grids: readonly Group[]): void {
  const own = grids.find(
    ({ vertical }) =>
      vertical.some((other) => Math.abs(other.at - stroke.at) <= SAME_BOUNDARY) &&
      vertical.some((other) => other.from <= stroke.from && other.to >= stroke.to),
  );
  if (own === undefined) return;
  own.vertical.push(stroke);
  own.vertical.sort((a, b) => a.at - b.at);
}

/** A boundary between rows or columns and the ranges where it is drawn. */
interface Boundary {
  at: number;
  drawn: { from: number; to: number }[];
}

function gridOf(horizontal: readonly Stroke[], vertical: readonly Stroke[]): Grid | undefined {
  const rows = boundariesOf(horizontal);
  const columns = boundariesOf(vertical);
  withEnds(rows, vertical);
  withEnds(columns, horizontal);
  const high = rows.length - 1;
  const wide = columns.length - 1;
  if (high < 1 || wide < 1 || high * wide > MAX_CELLS) return undefined;
  const ys = rows.map((boundary) => boundary.at);
  const xs = columns.map((boundary) => boundary.at);
  return { xs, ys, cells: cellsOf(rows, columns, xs, ys) };
}

function boundariesOf(strokes: readonly Stroke[]): Boundary[] {
  const boundaries: Boundary[] = [];
  let weight = 0;
  for (const stroke of strokes) {
    const last = boundaries.at(-1);
    const length = stroke.to - stroke.from;
    if (last !== undefined && stroke.at - last.at <= SAME_BOUNDARY) {
      last.at = (last.at * weight + stroke.at * length) / (weight + length);
      last.drawn.push({ from: stroke.from, to: stroke.to });
      weight += length;
    } else {
      boundaries.push({ at: stroke.at, drawn: [{ from: stroke.from, to: stroke.to }] });
      weight = length;
    }
  }
  return boundaries;
}

/** A table without an outer border ends where its rules end. */
function withEnds(boundaries: Boundary[], across: readonly Stroke[]): void {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const stroke of across) {
    from = Math.min(from, stroke.from);
    to = Math.max(to, stroke.to);
  }
  const first = boundaries[0];
  if (first === undefined || first.at - from > 2 * SAME_BOUNDARY) boundaries.unshift({ at: from, drawn: [] });
  const last = boundaries.at(-1);
  if (last === undefined || to - last.at > 2 * SAME_BOUNDARY) boundaries.push({ at: to, drawn: [] });
}

function cellsOf(
  rows: readonly Boundary[],
  columns: readonly Boundary[],
  xs: readonly number[],
  ys: readonly number[],
): GridCell[] {
  const high = ys.length - 1;
  const wide = xs.length - 1;
  const below = rows.map((row) => drawnBetween(row, xs));
  const beside = columns.map((column) => drawnBetween(column, ys));
  const parent = new Int32Array(high * wide).map((_, index) => index);
  for (let row = 0; row < high; row += 1) {
    for (let column = 0; column < wide; column += 1) {
      const here = row * wide + column;
      if (column + 1 < wide && beside[column + 1]?.[row] === false) unite(parent, here, here + 1);
      if (row + 1 < high && below[row + 1]?.[column] === false) unite(parent, here, here + wide);
    }
  }
  const areas = new Map<
    number,
    { top: number; bottom: number; left: number; right: number; count: number }
  >();
  for (let index = 0; index < parent.length; index += 1) {
    const root = rootOf(parent, index);
    const row = Math.floor(index / wide);
    const column = index % wide;
    const area = areas.get(root);
    if (area === undefined) areas.set(root, { top: row, bottom: row, left: column, right: column, count: 1 });
    else {
      area.top = Math.min(area.top, row);
      area.bottom = Math.max(area.bottom, row);
      area.left = Math.min(area.left, column);
      area.right = Math.max(area.right, column);
      area.count += 1;
    }
  }
  const cells: GridCell[] = [];
  const broken = new Set<number>();
  for (const [root, area] of areas) {
    const rowSpan = area.bottom - area.top + 1;
    const colSpan = area.right - area.left + 1;
    if (area.count === rowSpan * colSpan) cells.push({ row: area.top, column: area.left, rowSpan, colSpan });
    else broken.add(root);
  }
  // An area that is not a rectangle lacks strokes: separate its rows, and merge only unseparated places within a row.
  for (let row = 0; row < high && broken.size > 0; row += 1) {
    let from = 0;
    for (let column = 0; column < wide; column += 1) {
      if (column + 1 < wide && beside[column + 1]?.[row] === false) continue;
      if (broken.has(rootOf(parent, row * wide + from)))
        cells.push({ row, column: from, rowSpan: 1, colSpan: column - from + 1 });
      from = column + 1;
    }
  }
  return cells;
}

/** For each range between consecutive `marks`, whether the boundary is drawn along at least half of it. */
function drawnBetween(boundary: Boundary, marks: readonly number[]): boolean[] {
  const drawn = [...boundary.drawn].sort((a, b) => a.from - b.from);
  const result: boolean[] = [];
  let start = 0;
  for (let index = 0; index + 1 < marks.length; index += 1) {
    const from = marks[index] ?? 0;
    const to = marks[index + 1] ?? 0;
    while (start < drawn.length && (drawn[start]?.to ?? 0) <= from) start += 1;
    let covered = 0;
    let reached = from;
    for (let next = start; next < drawn.length; next += 1) {
      const stretch = drawn[next];
      if (stretch === undefined || stretch.from >= to) break;
      const begin = Math.max(reached, stretch.from);
      const end = Math.min(to, stretch.to);
      if (end > begin) {
        covered += end - begin;
        reached = end;
      }
    }
    result.push(covered >= 0.5 * (to - from));
  }
  return result;
}

function rootOf(parent: Int32Array, index: number): number {
  let at = index;
  for (;;) {
    const up = parent[at] ?? at;
    if (up === at) return at;
    const above = parent[up] ?? up;
    parent[at] = above;
    at = above;
  }
}

function unite(parent: Int32Array, a: number, b: number): void {
  const left = rootOf(parent, a);
  const right = rootOf(parent, b);
  if (left !== right) parent[Math.max(left, right)] = Math.min(left, right);
}
