// Item positions as numeric map keys, which avoids building a string per lookup.

import type { ItemPosition } from './groups.ts';

/** More than the number of items in any message. */
const MOST_ITEMS = 2 ** 21;

/** A unique number per position. */
export function placeKey({ message, item }: ItemPosition): number {
  return message * MOST_ITEMS + item;
}
