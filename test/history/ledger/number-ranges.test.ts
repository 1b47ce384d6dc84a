import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numbersOf, runsOf } from '../../../src/history/ledger/number-ranges.ts';

describe('runs', () => {
  it('contain consecutive numbers', () => {
    expect(runsOf([])).toEqual([]);
    expect(runsOf([4, 5, 6, 9, 2, 1, 2])).toEqual([
      [1, 2],
      [4, 6],
      [9, 9],
    ]);
  });

  it('return the numbers in ascending order', () => {
    const upwards = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(30)), (numbers) => {
        expect(numbersOf(runsOf(numbers))).toEqual(upwards(numbers));
      }),
    );
  });
});
