// The part of a file an answer shows or omits, in the unit of the format.

/** The unit in which a format is counted; always singular. */
export type Unit =
  | 'line'
  | 'character'
  | 'row'
  | 'column'
  | 'cell'
  | 'sheet'
  | 'page'
  | 'slide'
  | 'frame'
  | 'item'
  | 'key'
  | 'level'
  | 'element'
  | 'document'
  | 'entry'
  | 'second'
  | 'byte';

/**
 * A range of a file: 1-based and inclusive. `of` is the total, if known. In a file with several wholes, `name` says
 * which one the units belong to: a sheet, a JSON Pointer, `line 5`.
 */
export interface Extent {
  readonly unit: Unit;
  readonly from: number;
  readonly to: number;
  readonly of?: number;
  readonly name?: string;
}

/** A whole that extents are measured against: 5000 rows, 100 columns, the 80 000 characters of line 5. */
export interface Whole {
  readonly unit: Unit;
  readonly of: number;
  readonly name?: string;
}

const key = (extent: { readonly unit: Unit; readonly name?: string }): string =>
  `${extent.unit}\u0000${extent.name ?? ''}`;

/**
 * Sorts extents, merges adjacent and overlapping ones, and fills in `of`; one list per unit and name, in order of
 * appearance.
 */
export function mergeExtents(extents: readonly Extent[], wholes: readonly Whole[] = []): Extent[] {
  const sizes = new Map(wholes.map((whole) => [key(whole), whole.of]));
  const groups = new Map<string, Extent[]>();
  for (const extent of extents) {
    const group = groups.get(key(extent));
    if (group) group.push(extent);
    else groups.set(key(extent), [extent]);
  }
  const merged: Extent[] = [];
  for (const [name, group] of groups) {
    const sorted = [...group].sort((a, b) => a.from - b.from || a.to - b.to);
    let open: Extent | undefined;
    for (const extent of sorted) {
      if (extent.to < extent.from) continue;
      const of = extent.of ?? sizes.get(name);
      const sized = of === undefined ? extent : { ...extent, of };
      if (open && sized.from <= open.to + 1) {
        const whole = Math.max(open.of ?? -1, sized.of ?? -1);
        open = { ...open, to: Math.max(open.to, sized.to), ...(whole >= 0 && { of: whole }) };
      } else {
        if (open) merged.push(open);
        open = sized;
      }
    }
    if (open) merged.push(open);
  }
  return merged;
}

/** The complement of `shown` in every known whole, from `wholes` or from an extent's own `of`. */
export function omittedExtents(shown: readonly Extent[], wholes: readonly Whole[]): Extent[] {
  const sizes = new Map<string, Whole>();
  for (const whole of wholes) sizes.set(key(whole), whole);
  const merged = new Map<string, Extent[]>();
  for (const extent of mergeExtents(shown, wholes)) {
    const { unit, of, name } = extent;
    const id = key(extent);
    // An extent may know a larger total than the whole: a ragged row is wider than the table was declared to be.
    if (of !== undefined && of > (sizes.get(id)?.of ?? -1))
      sizes.set(id, { unit, of, ...(name !== undefined && { name }) });
    const group = merged.get(id);
    if (group) group.push(extent);
    else merged.set(id, [extent]);
  }
  const omitted: Extent[] = [];
  for (const [id, whole] of sizes) {
    let at = 1;
    for (const extent of merged.get(id) ?? []) {
      if (extent.from > at) omitted.push({ ...whole, from: at, to: extent.from - 1 });
      at = Math.max(at, extent.to + 1);
    }
    if (at <= whole.of) omitted.push({ ...whole, from: at, to: whole.of });
  }
  return omitted;
}
