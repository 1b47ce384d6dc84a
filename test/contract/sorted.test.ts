// Binary search in lists in order.

import { expect, it } from 'vitest';
import { countBefore } from '../../src/contract/index.ts';

it('counts the items before a place', () => {
  const items = [1, 3, 3, 8];
  const before = (place: number): number => countBefore(items.length, (at) => (items[at] ?? 0) < place);
  expect([0, 1, 2, 3, 4, 8, 9].map(before)).toEqual([0, 0, 1, 1, 3, 3, 4]);
  expect(countBefore(0, () => true)).toBe(0);
});
