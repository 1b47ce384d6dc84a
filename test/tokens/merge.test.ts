import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergedCount } from '../../src/tokens/merge.ts';
import { type EncodingName, loadVocabulary } from '../../src/tokens/vocabulary.ts';
import { draws } from '../support/draws.ts';

const ENCODINGS: readonly EncodingName[] = ['cl100k_base', 'o200k_base'];
const CHARACTERS = [
  'a',
  'b',
  'A',
  'th',
  'er',
  'ing',
  ' ',
  '  ',
  '-',
  '=',
  '\n',
  '0',
  'é',
  '中',
  '文',
  '的',
  '🎉',
  '\u0301',
];

const longPiece: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...CHARACTERS), { minLength: 100, maxLength: 800 }).map((parts) => parts.join('')),
  fc
    .array(fc.tuple(fc.constantFrom(...CHARACTERS), fc.integer({ min: 1, max: 300 })), {
      minLength: 2,
      maxLength: 6,
    })
    .map((runs) => runs.map(([character, length]) => character.repeat(length)).join('')),
);

describe.each(ENCODINGS)('merging with %s', (encoding) => {
  const vocabulary = loadVocabulary(encoding);

  it('gives the same tokens whatever the window', () => {
    fc.assert(
      fc.property(longPiece, fc.integer({ min: 10, max: 600 }), fc.boolean(), (text, window, spoiled) => {
        // Without the margin of a token, windows meet where their edges made tokens of their own.
        const used = spoiled ? { ...vocabulary, maxTokenLength: 1 } : vocabulary;
        const bytes = new TextEncoder().encode(text);
        const tokens = (size: number): number[] => {
          const ends: number[] = [];
          expect(mergedCount(used, bytes, bytes.length, ends, size)).toBe(ends.length);
          return ends;
        };
        expect(tokens(window)).toEqual(tokens(bytes.length));
      }),
      { numRuns: draws(800) },
    );
  });

  it('merges a piece far longer than a window', () => {
    const count = (text: string): number => {
      const bytes = new TextEncoder().encode(text);
      return mergedCount(vocabulary, bytes, bytes.length);
    };
    expect(count('a'.repeat(100_000))).toBe(12_500);
    expect(count('中'.repeat(100_000))).toBe(100_000);
  });
});
