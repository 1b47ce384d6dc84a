import fc from 'fast-check';
import { expect, it } from 'vitest';
import { endsInRanges, inRanges } from '../../../processors/documents/number-ranges.ts';

it('words ascending numbers as ranges, whole and from any index', () => {
  expect(inRanges([1, 2, 3, 7])).toBe('1-3,7');
  expect(inRanges([])).toBe('');
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(30)), (given) => {
      const numbers = given.sort((a, b) => a - b);
      const from = endsInRanges(numbers);
      for (let at = 0; at <= numbers.length; at += 1) expect(from(at)).toBe(inRanges(numbers.slice(at)));
    }),
  );
});
