// The reading order of shapes on a slide, by their position.

/** A rectangle in English Metric Units, 914 400 per inch. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A fifth of an inch: shapes whose tops differ by less are side by side. */
const ROW_TOLERANCE = 182_880;

/**
 * Sorts by rows from the top, each from the left. An item without a position stays behind its predecessor in the file.
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
