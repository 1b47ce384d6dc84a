import { describe, expect, test } from 'vitest';
import type { Glyph } from '../../../../processors/documents/pdf/ink/ink.ts';
import { spacingOf, textOf, wordsOf } from '../../../../processors/documents/pdf/layout/words.ts';
import { typed } from './layout-ink.ts';

describe('words of a line', () => {
  test('a gap is a space, whatever the order of the glyphs', () => {
    const glyphs = typed('two words', 50, 100);
    expect(textOf([...glyphs].reverse())).toBe('two words');
    expect(wordsOf(glyphs).map(({ left, right }) => [left, right])).toEqual([
      [50, 65],
      [70, 95],
    ]);
  });

  test('glyphs drawn twice come once', () => {
    const glyphs = typed('bold', 50, 100);
    expect(textOf([...glyphs, ...glyphs.map((glyph) => ({ ...glyph, x: glyph.x + 0.5 }))])).toBe('bold');
  });

  test('ideographs need no spaces', () => {
    expect(textOf([...typed('日本', 50, 100), ...typed('語', 74, 100)])).toBe('日本語');
  });

  test('letters that are set apart make words all the same', () => {
    const apart = [...'WIDE TITLE'].flatMap((letter, index) => typed(letter, 50 + index * 9, 100));
    expect(textOf(apart)).toBe('WIDE TITLE');
  });

  test('single letters with drawn spaces between them are words, not a word that is set apart', () => {
    const spaced = [...'f (a b c d e)'].flatMap((letter, index) =>
      typed(letter === ' ' ? '\u00a0' : letter, 50 + index * 5, 100),
    );
    expect(textOf(spaced)).toBe('f (a b c d e)');
  });

  test('an accent drawn over its letter is one character with it', () => {
    const [e] = typed('e', 60, 100);
    const [accent] = typed('\u00b4', 60, 100);
    if (e === undefined || accent === undefined) throw new Error('nothing typed');
    expect(textOf([...typed('caf', 45, 100), accent, e])).toBe('café');
  });

  test('Hebrew is read from right to left, its numbers from left to right', () => {
    // As it lies on the page: the last letter first.
    expect(textOf(typed('2024 םולש', 50, 100))).toBe('שלום 2024');
  });

  test('a mark that ends a right-to-left sentence follows its last word', () => {
    expect(textOf(typed('.2024 \u05D4\u05D2\u05D1 \u05D3\u05D2\u05D1', 0, 0))).toMatch(/ 2024\.$/u);
    expect(textOf(typed('.net and more', 0, 0))).toBe('.net and more');
  });

  test('a drawn space between ideographs is kept, one that only spreads them is not', () => {
    const spaced = [...typed('\u7B2C\u4E00\u7AE0', 0, 0), ...typed('\u6CB3\u6D41', 36, 0)];
    const space = { ...spaced[0], text: ' ', x: 30, width: 6 } as Glyph;
    expect(textOf([...spaced, space])).toBe('\u7B2C\u4E00\u7AE0 \u6CB3\u6D41');
    expect(textOf(spaced)).toBe('\u7B2C\u4E00\u7AE0\u6CB3\u6D41');
  });

  test('the space of a line is learnt from its gaps', () => {
    // Letters 0.05 em apart, words 0.16 em: below what would be taken for a space without looking.
    const line = Array.from({ length: 30 }, (_, word) =>
      [...'abc'].flatMap((letter, index) => typed(letter, word * 18.1 + index * 5.5, 100)),
    ).flat();
    const spacing = spacingOf([line]);
    expect(spacing.letters).toBeGreaterThan(0.05);
    expect(spacing.letters).toBeLessThan(0.21);
    expect(wordsOf(line, spacing)).toHaveLength(30);
  });
});
