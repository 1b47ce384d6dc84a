// The order in which a reader meets the shapes of a slide, by where they lie.

/** A rectangle in English Metric Units, 914 400 an inch. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A fifth of an inch: shapes whose tops differ by less stand side by side. */
const ROW_TOLERANCE = 182_880;

/**
 * In reading order: rows from the top, each from the left. What has no place of its own keeps its place in the file,
 * after what stands before it there.
 */
export function inReadingOrder<T extends { readonly box: Box | undefined }>(items: readonly T[]): T[] {
  const placed: { readonly item: T; readonly x: number; readonly y: number }[] = [];
  let last: Box | undefined;
  for (const item of items) {
    last = item.box ?? last;
    placed.push({ item, x: last?.x ?? 0, y: last?.y ?? 0 });
  }
  placed.sort((a, b) => a.y - b.y);
  const ordered: T[] = [];
  let row: typeof placed = [];
  const endRow = (): void => {
    row.sort((a, b) => a.x - b.x);
    for (const { item } of row) ordered.push(item);
    row = [];
  };
  for (const one of placed) {
    const [first] = row;
    if (first && one.y - first.y > ROW_TOLERANCE) endRow();
    row.push(one);
  }
  endRow();
  return ordered;
}

/** `1-3,7` of ascending numbers. */
export function inRanges(numbers: readonly number[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && last.to === number - 1) last.to = number;
    else ranges.push({ from: number, to: number });
  }
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}
