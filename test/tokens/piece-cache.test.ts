import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PieceCache } from '../../src/tokens/piece-cache.ts';
import { draws } from '../support/draws.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

it('gives every piece its own cost, however many fall on one place', () => {
  const cache = new PieceCache();
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 100_000 }), { minLength: 500, maxLength: 1000 }), (numbers) => {
      for (const number of numbers) {
        // Numbers that share a beginning, and pieces too long to be remembered.
        const piece = bytesOf(`name${number}`.repeat((number % 4) + 1));
        const cost = number % 31;
        expect(cache.costOf(piece, piece.length, () => cost)).toBe(cost);
      }
    }),
    { numRuns: draws(100) },
  );
});

it('asks once for a piece that comes again', () => {
  const cache = new PieceCache();
  const piece = bytesOf('getElementById(');
  let asked = 0;
  const cost = (): number => {
    asked++;
    return 3;
  };
  expect(cache.costOf(piece, 14, cost)).toBe(3);
  expect(cache.costOf(piece, 14, cost)).toBe(3);
  expect(cache.costOf(piece, 15, cost)).toBe(3);
  expect(asked).toBe(2);
});
