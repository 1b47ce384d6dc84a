// Upright rectangles: the area of one, what two share, what surrounds several. And the middle of measures.

import type { Box } from './ink.ts';

/** In square points. */
export const areaOf = ({ left, top, right, bottom }: Box): number => (right - left) * (bottom - top);

/** The area shared by two boxes. */
export function overlap(a: Box, b: Box): number {
  const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return wide > 0 && high > 0 ? wide * high : 0;
}

/** The smallest box around boxes; inside out, from infinity to minus infinity, around none. */
export function boxAround(boxes: Iterable<Box>): Box {
  let left = Number.POSITIVE_INFINITY;
  let top = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  let bottom = Number.NEGATIVE_INFINITY;
  for (const box of boxes) {
    left = Math.min(left, box.left);
    top = Math.min(top, box.top);
    right = Math.max(right, box.right);
    bottom = Math.max(bottom, box.bottom);
  }
  return { left, top, right, bottom };
}

/** The number in the middle of the sorted numbers, the upper of two; undefined of none. */
export function median(numbers: readonly number[]): number | undefined {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
}
