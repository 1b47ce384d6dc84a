import { expect, test } from 'vitest';
import type { Glyph, Rule } from '../../../../processors/documents/pdf/ink/ink.ts';
import { layOut } from '../../../../processors/documents/pdf/layout/layout.ts';
import { learnProfile } from '../../../../processors/documents/pdf/layout/profile.ts';
import { markdownOf } from '../../../../src/document/index.ts';
import { ITALIC, inkOf, lines, typed } from './layout-ink.ts';

const bar = (from: number, to: number, at: number): Rule => ({
  horizontal: true,
  at,
  from,
  to,
  thickness: 0.5,
});

const text = lines(
  Array.from({ length: 6 }, (_, index) => `Line ${index} of a paragraph that runs on to the right margin`),
  50,
  160,
);

function read(glyphs: readonly Glyph[], rules: readonly Rule[] = []): string {
  const ink = inkOf([...glyphs, ...text], { rules });
  return layOut(ink, learnProfile([ink]), [])
    .blocks.map(({ block }) => markdownOf(block))
    .join('');
}

test('two numbers over and under a bar are a fraction, never one number', () => {
  const half = [
    ...typed('Take', 50, 100),
    ...typed('1', 76, 95, { size: 7 }),
    ...typed('2', 76, 104.5, { size: 7 }),
    ...typed('of it', 84, 100),
  ];
  const read1 = read(half, [bar(75.5, 80, 97)]);
  expect(read1).toContain('Take $\\frac{1}{2}$ of it');
  expect(read1).not.toContain('12');
});

test('an underlined word above another line is text', () => {
  const underlined = [...typed('one under', 50, 100), ...typed('two below', 50, 112)];
  expect(read(underlined, [bar(70, 95, 101)])).toContain('one under');
});

test('scripts of a single italic letter', () => {
  const scripts = [
    ...typed('where', 50, 100),
    ...typed('x', 85, 100, { font: ITALIC }),
    ...typed('2', 90, 96, { size: 6 }),
    ...typed('and', 100, 100),
    ...typed('y', 125, 100, { font: ITALIC }),
    ...typed('k', 130, 102, { size: 6, font: ITALIC }),
    ...typed(', too', 133, 100),
  ];
  expect(read(scripts)).toContain('where $x^{2}$ and $y_{k}$, too');
});

test('does not read a raised figure after a word as a power', () => {
  expect(read([...typed('miles', 50, 100), ...typed('2', 75, 96, { size: 6 })])).toContain('miles2');
});
