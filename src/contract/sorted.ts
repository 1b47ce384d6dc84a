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

/** The largest number from 1 to `most` for which `fits` is true, as it is for all below; 0 if there is none. */
export function largestFitting(most: number, fits: (size: number) => boolean): number {
  return countBefore(most, (index) => fits(index + 1));
}

/** The largest number from `low` to `high` for which `fits` is true; `low` always does. Tries small numbers first. */
export function largestFrom(low: number, high: number, fits: (size: number) => boolean): number {
  let good = low;
  let stride = 1;
  for (; good < high; stride *= 2) {
    const next = Math.min(high, good + stride);
    if (!fits(next)) return good + largestFitting(next - good - 1, (more) => fits(good + more));
    good = next;
  }
  return good;
}
