// Places as keys of maps: a number costs no text for each look.

import type { ItemPosition } from './groups.ts';

/** More items than any message has. */
const MOST_ITEMS = 2 ** 21;

/** A place as a number: each has its own. */
export function placeKey({ message, item }: ItemPosition): number {
  return message * MOST_ITEMS + item;
}
