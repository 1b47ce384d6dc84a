// Searches by halves.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countBefore, largestFitting, largestFrom } from '../../src/contract/index.ts';

describe('a search by halves', () => {
  it('counts the items before a place', () => {
    const items = [1, 3, 3, 8];
    const before = (place: number): number => countBefore(items.length, (at) => (items[at] ?? 0) < place);
    expect([0, 1, 2, 3, 4, 8, 9].map(before)).toEqual([0, 0, 1, 1, 3, 3, 4]);
    expect(countBefore(0, () => true)).toBe(0);
  });

  it('finds the border between what fits and what does not', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.nat(300), fc.nat(300), (low, more, border) => {
        const most = low + more;
        const fits = (size: number): boolean => size <= border;
        expect(largestFitting(most, fits)).toBe(Math.min(most, border));
        expect(largestFrom(low, most, fits)).toBe(Math.max(low, Math.min(most, border)));
        expect(countBefore(most, (at) => at < border)).toBe(Math.min(most, border));
      }),
    );
  });

  it('tries nothing above the limit, and from below only as far as needed', () => {
    const tried: number[] = [];
    const upTo = (border: number) => (size: number) => tried.push(size) > 0 && size <= border;
    expect(largestFrom(0, 1_000_000, upTo(5))).toBe(5);
    expect(Math.max(...tried)).toBeLessThan(16);
    tried.length = 0;
    expect(largestFitting(0, upTo(5))).toBe(0);
    expect(largestFrom(3, 3, upTo(5))).toBe(3);
    expect(tried).toEqual([]);
  });
});
