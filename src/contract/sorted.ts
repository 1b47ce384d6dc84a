// Binary search, for any list in order.

/** How many of `count` items come before a place: `isBefore` is true for these, and false for all after them. */
export function countBefore(count: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
