// The limits of a view as fields of a cursor, from which the same view is made again.

import type { PositionReader } from '../../../src/contract/index.ts';
import type { TreeLimits } from './shape.ts';

/** Limits from here on never apply: no file has as many of anything. */
const MOST = 2 ** 31;

export function limitFields({ depth, items, keys, string, tapers }: TreeLimits): number[] {
  return [depth, items, keys, string, tapers ? 1 : 0].map((value) => Math.min(value, MOST));
}

/** Fields that are missing at the end count as zero. */
export function limitsIn(fields: PositionReader): TreeLimits {
  return {
    depth: fields.countOr(0, MOST),
    items: fields.countOr(0, MOST),
    keys: fields.countOr(0, MOST),
    string: fields.countOr(0, MOST),
    tapers: fields.countOr(0, 1) === 1,
  };
}
