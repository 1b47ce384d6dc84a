import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mergeExtents, omittedExtents, parseRange, resolveRange, safeCut } from '../../src/contract/index.ts';
import type { Extent } from '../../src/index.ts';

const extent = fc
  .tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 20 }))
  .map(([from, length]): Extent => ({ unit: 'row', from, to: Math.min(50, from + length) }));

it('what is shown and what is left out make the whole, without overlap', () => {
  fc.assert(
    fc.property(fc.array(extent, { maxLength: 8 }), (shown) => {
      const wholes = [{ unit: 'row', of: 50 }] as const;
      const covered = new Set(
        shown.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i)),
      );
      const both = [...mergeExtents(shown, wholes), ...omittedExtents(shown, wholes)].sort(
        (a, b) => a.from - b.from,
      );
      let at = 1;
      for (const { from, to } of both) {
        expect(from).toBe(at);
        at = to + 1;
      }
      expect(at).toBe(51);
      const left = omittedExtents(shown, wholes).reduce((sum, { from, to }) => sum + to - from + 1, 0);
      expect(left).toBe(50 - covered.size);
    }),
  );
});

it('a part that reaches past the whole widens it', () => {
  const shown: Extent[] = [
    { unit: 'column', from: 1, to: 26, of: 26 },
    { unit: 'column', from: 27, to: 27, of: 27 },
  ];
  const wholes = [{ unit: 'column', of: 26 }] as const;
  expect(mergeExtents(shown, wholes)).toEqual([{ unit: 'column', from: 1, to: 27, of: 27 }]);
  expect(omittedExtents(shown, wholes)).toEqual([]);
  expect(omittedExtents(shown.slice(1), wholes)).toEqual([{ unit: 'column', from: 1, to: 26, of: 27 }]);
});

it('ranges stay inside the file', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 99 }), (a, b) => {
      const text = `${Math.min(a, b)}-${Math.max(a, b)}`;
      const total = 60;
      const range = parseRange('lines', text);
      if (Math.min(a, b) > total)
        expect(() => resolveRange('lines', range, total)).toThrow('starts past the end');
      else
        expect(resolveRange('lines', range, total)).toEqual({
          from: Math.min(a, b),
          to: Math.min(total, Math.max(a, b)),
        });
    }),
  );
});

it('a cut parts no pair and no cluster, and makes progress', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 30 }),
      (text, max) => {
        const cut = safeCut(text, max);
        expect(cut).toBeGreaterThan(0);
        expect(cut).toBeLessThanOrEqual(Math.max(max, 2));
        expect(Buffer.from(text.slice(0, cut)).toString()).toBe(text.slice(0, cut));
      },
    ),
  );
  expect(safeCut('ab\u0301c', 2)).toBe(1);
  // One cluster that is longer than the room for it is cut, but never inside a pair.
  expect(safeCut('👩‍👩‍👧x', 4)).toBe(3);
});
