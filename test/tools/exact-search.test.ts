// Finding a text, and the way from a text with flat line breaks back to the one in the file.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineAt, occurrences } from '../../src/tools/exact-search.ts';
import { flatten, lf } from '../../src/tools/line-breaks.ts';
import { draws } from '../support/draws.ts';

/** Starts that do not overlap, found the plain way. */
function plainly(text: string, pattern: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + pattern.length))
    found.push(at);
  return found;
}

const few = (units: readonly string[], maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...units), { maxLength }).map((pieces) => pieces.join(''));

it('finds what a plain search finds', () => {
  fc.assert(
    fc.property(few(['a', 'b', 'ab', '\n'], 60), few(['a', 'b'], 6), (text, pattern) => {
      if (pattern !== '') expect(occurrences(text, pattern)).toEqual(plainly(text, pattern));
    }),
    { numRuns: draws(2000) },
  );
  expect(occurrences('aaaa', '')).toEqual([]);
  expect(occurrences('aaaa', 'a', 2)).toEqual([0, 1]);
});

it('takes linear time where shifting by bad characters does not', () => {
  // 2 million units, and a pattern of which each place matches a quarter million before it fails.
  const text = 'a'.repeat(2_000_000);
  const pattern = `${'a'.repeat(250_000)}b${'a'.repeat(250_000)}`;
  expect(occurrences(text, pattern)).toEqual([]);
});

it('counts lines', () => {
  expect([0, 1, 2, 3].map((at) => lineAt('a\n\nb', at))).toEqual([1, 1, 2, 3]);
});

it('leads every offset of the flat text to its unit in the original', () => {
  fc.assert(
    fc.property(few(['a', '\n', '\r\n', '\r', 'é'], 40), (text) => {
      const { flat, original } = flatten(text);
      expect(original(flat.length)).toBe(text.length);
      for (let at = 0; at < flat.length; at += 1) {
        const unit = text.slice(original(at), original(at + 1));
        expect(lf(unit) === '\r' && !text.includes('\n') ? '\n' : lf(unit)).toBe(flat[at]);
      }
    }),
    { numRuns: draws(2000) },
  );
});

it('puts back what was there when the same text is put in', () => {
  fc.assert(
    fc.property(few(['a', 'b', '\n', '\r\n'], 40), fc.nat(40), fc.nat(10), (text, from, length) => {
      const { flat, original, restored } = flatten(text);
      const start = Math.min(from, flat.length);
      const end = Math.min(start + length, flat.length);
      const same =
        text.slice(0, original(start)) +
        restored(flat.slice(start, end), start, end) +
        text.slice(original(end));
      expect(lf(same)).toBe(lf(text));
      // Where all breaks are alike, byte for byte.
      if (!text.replaceAll('\r\n', '').includes('\n') || !text.includes('\r')) expect(same).toBe(text);
    }),
    { numRuns: draws(2000) },
  );
});

it.each([
  ['a\r\nb\r\nc', 'x\ny', 'x\r\ny'],
  ['a\nb\nc', 'x\r\ny', 'x\ny'],
  ['a\rb\rc', 'x\ny', 'x\ry'],
  ['a', 'x\ny', 'x\ny'],
])('gives %j the breaks of its file', (text, given, restored) => {
  expect(flatten(text).restored(given, 0, 1)).toBe(restored);
});
