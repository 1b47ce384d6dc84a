// The reading order of shapes on a slide: by position where that is clear, else as the author arranged them.

/** A rectangle in English Metric Units, 914 400 per inch. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A fifth of an inch: shapes whose tops differ by less are side by side. */
const ROW_TOLERANCE = 182_880;
/** Two shapes are apart if they overlap by at most this share of the smaller one: the frame of a text exceeds it. */
const OVERLAP = 0.25;
/** With more shapes, comparing all pairs would cost too much. */
const MAX_COMPARED = 400;

interface Placed<T> {
  readonly item: T;
  readonly box: Box;
}

/**
 * Sorts so that a shape follows those above it and those to its left. Where both orders are possible, as with two
 * columns of shapes, the order in the file decides: applications let authors arrange it, and screen readers follow it.
 * An item without a position stays behind its predecessor in the file.
 */
export function inReadingOrder<T extends { readonly box: Box | undefined }>(items: readonly T[]): T[] {
  const placed: Placed<T[]>[] = [];
  for (const item of items) {
    const last = placed.at(-1);
    if (item.box === undefined && last) last.item.push(item);
    else placed.push({ item: [item], box: item.box ?? NOWHERE });
  }
  const rows = inRows(placed);
  const ordered = placed.length > MAX_COMPARED ? rows : constrained(placed, rows);
  return ordered.flatMap(({ item }) => item);
}

/** Position of a group that states none. */
export function cornerOf(items: readonly { readonly box: Box | undefined }[]): Box | undefined {
  let corner: Box | undefined;
  for (const { box } of items)
    if (box)
      corner = corner ? { ...corner, x: Math.min(corner.x, box.x), y: Math.min(corner.y, box.y) } : box;
  return corner;
}

const NOWHERE: Box = { x: 0, y: 0, width: 0, height: 0 };

/** By rows from the top, each from the left. */
function inRows<P extends { readonly box: Box }>(placed: readonly P[]): P[] {
  const ordered: P[] = [];
  let row: P[] = [];
  const endRow = (): void => {
    for (const one of row.sort((a, b) => a.box.x - b.box.x)) ordered.push(one);
    row = [];
  };
  for (const one of [...placed].sort((a, b) => a.box.y - b.box.y)) {
    const [first] = row;
    if (first && one.box.y - first.box.y > ROW_TOLERANCE) endRow();
    row.push(one);
  }
  endRow();
  return ordered;
}

/**
 * Takes the next in the file if no remaining one precedes it; else, of those without one, the first by rows. If each
 * has one before it, as in a pinwheel, the first by rows of all.
 */
function constrained<P extends { readonly box: Box }>(placed: readonly P[], rows: readonly P[]): P[] {
  const waits = placed.map(({ box }) => placed.filter((other) => precedes(other.box, box)).length);
  const positions = new Map(placed.map((one, at) => [one, at]));
  const byRows = rows.map((one) => positions.get(one) ?? 0);
  const taken = new Set<number>();
  const isFree = (at: number): boolean => !taken.has(at) && waits[at] === 0;
  const ordered: P[] = [];
  let last = -1;
  while (ordered.length < placed.length) {
    const following = placed.findIndex((_, at) => at > last && !taken.has(at));
    const next = isFree(following)
      ? following
      : (byRows.find(isFree) ?? byRows.find((at) => !taken.has(at)) ?? 0);
    const one = placed[next];
    if (one === undefined) break;
    taken.add(next);
    ordered.push(one);
    last = next;
    for (const [at, { box }] of placed.entries())
      if (precedes(one.box, box)) waits[at] = (waits[at] ?? 1) - 1;
  }
  return ordered;
}

/** True if `a` is above `b` and not to its right, or to its left and not below it. */
function precedes(a: Box, b: Box): boolean {
  if (isAbove(a, b)) return !isLeft(b, a);
  return isLeft(a, b) && !isAbove(b, a);
}

const isAbove = (a: Box, b: Box): boolean =>
  b.y - a.y > ROW_TOLERANCE && isApart(a.y + a.height - b.y, a.height, b.height);

const isLeft = (a: Box, b: Box): boolean => a.x < b.x && isApart(a.x + a.width - b.x, a.width, b.width);

const isApart = (overlap: number, length: number, other: number): boolean =>
  overlap <= OVERLAP * Math.min(length, other);
