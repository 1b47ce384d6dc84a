import { describe, expect, test } from 'vitest';
import type { Glyph, Ink } from '../../../../processors/documents/pdf/ink/ink.ts';
import { type LaidPage, layOut } from '../../../../processors/documents/pdf/layout/layout.ts';
import { learnProfile } from '../../../../processors/documents/pdf/layout/profile.ts';
import { markdownOf } from '../../../../src/document/index.ts';
import { BOLD, ITALIC, inkOf, lines, PLAIN, typed } from './layout-ink.ts';

const SENTENCE = 'words of plain running text that go on to the right margin of this page';
const body = (from: number, count: number): Glyph[] =>
  lines(
    Array.from({ length: count }, (_, index) => `${index + 10} ${SENTENCE}`),
    50,
    from,
  );
const turned = typed('kept in the archive', 20, 200, { angle: 90 });

function read(...pages: readonly Glyph[][]): (Omit<LaidPage, 'blocks'> & { readonly text: string })[] {
  const inks: Ink[] = pages.map((glyphs, index) => inkOf(glyphs, { page: index + 1 }));
  const profile = learnProfile(inks);
  return inks.map((ink) => {
    const { blocks, ...page } = layOut(ink, profile, []);
    return { ...page, text: blocks.map(({ block }) => markdownOf(block)).join('') };
  });
}

describe('a text of one page', () => {
  test.each([
    ['small, near the foot', 'Northfield Press, series four', 300, 815, { size: 7 }],
    ['in another face, near the head', 'Annals of the river council', 200, 30, { font: ITALIC }],
    ['a stamp', 'Printed for a reader of the town library', 50, 825, { size: 6 }],
    ['a title', 'Annals of the river', 50, 60, { size: 18, font: BOLD }],
    ['the last line of a paragraph', 'and so it ends.', 50, 700, { font: PLAIN }],
    ['the last line of a bill, near the edge', 'IBAN DE00 1234 - 1,234.50 EUR', 50, 815, {}],
    ['a note', '1 Measured again in the spring of the year.', 50, 770, { size: 8 }],
    ['a year', '2024', 50, 815, {}],
  ])('stays: %s', (_, text, x, y, style) => {
    const [page] = read([...body(100, 50), ...typed(text, x, y, style)]);
    expect(page?.text).toContain(text);
    expect(page).toMatchObject({ repeated: [] });
    expect(page).not.toHaveProperty('pageNumber');
  });

  test('stays across the page, in the margin and as a watermark', () => {
    expect(read([...turned, ...body(100, 30)])[0]?.text).toContain('kept in the archive');
    const across = [...'DRAFT'].flatMap((letter, index) =>
      typed(letter, 200 + 40 * index, 400 + 40 * index, { angle: 45, size: 60 }),
    );
    expect(read([...across, ...body(100, 30)])[0]?.text).toContain('D R A F T\n');
  });

  test.each(['Page 3 of 9', '1', '- 12 -'])('is named if it is a page number: %s', (text) => {
    const [page] = read([...body(100, 30), ...typed(text, 280, 818)]);
    expect(page?.pageNumber).toBe(text);
    expect(page?.text).not.toContain(`\n${text}\n`);
  });

  test('stays where it is if the file marks it as an artifact', () => {
    const head = typed('River council', 50, 70).map((glyph) => ({ ...glyph, artifact: true }));
    expect(read([...head, ...body(110, 30)])[0]?.text).toMatch(/^River council\n/);
  });
});

describe('text at one place of at least three pages', () => {
  const pages = (count: number, text: (page: number) => string, y = 815): Glyph[][] =>
    Array.from({ length: count }, (_, index) => [...body(100, 30 + index), ...typed(text(index + 1), 50, y)]);

  test('is shown once, on the first, and named by all', () => {
    const read3 = read(...pages(3, () => 'IBAN DE00 1234'));
    expect(read3.map(({ text }) => text.includes('Page footer: IBAN DE00 1234\n'))).toEqual([
      true,
      false,
      false,
    ]);
    expect(read3.map(({ text }) => text.includes('IBAN'))).toEqual([true, false, false]);
    expect(read3.map(({ repeated }) => repeated)).toEqual(Array(3).fill(['IBAN DE00 1234']));
  });

  test('may have a number that rises with the pages', () => {
    const read4 = read(...pages(4, (page) => `Annals 2024 | ${page + 16}`, 40));
    expect(read4.map(({ text }) => text.includes('Annals'))).toEqual([true, false, false, false]);
    expect(read4.map(({ repeated }) => repeated)).toEqual(
      [17, 18, 19, 20].map((number) => [`Annals 2024 | ${number}`]),
    );
  });

  test('may have the number of pages beside that of the page, also on the last', () => {
    const read4 = read(...pages(4, (page) => `Confidential, page ${page} of 4`));
    expect(read4.map(({ text }) => text.includes('Confidential'))).toEqual([true, false, false, false]);
  });

  test.each([
    ['a sum of each page', 4, (page: number) => `Carried forward: ${page * 217}`],
    [
      'a source of each page',
      4,
      (page: number) => `Source: survey of ${['Oslo', 'Rome', 'Bonn', 'Kiel'][page - 1]}`,
    ],
    ['the same words of two pages', 2, () => 'IBAN DE00 1234'],
  ])('does not include %s', (_, count, text) => {
    const all = read(...pages(count, text));
    expect(all.map((page, index) => page.text.includes(text(index + 1)))).toEqual(Array(count).fill(true));
  });

  test('does not include the same words at another height', () => {
    const glyphs = [60, 90, 800].map((y) => [...body(120, 40), ...typed('River council', 50, y)]);
    expect(read(...glyphs).every(({ text }) => text.includes('River council'))).toBe(true);
  });

  test('may run across the page', () => {
    const read3 = read(...[1, 2, 3].map(() => [...body(100, 30), ...turned]));
    expect(read3.map(({ text }) => text.includes('Page margin: kept in the archive'))).toEqual([
      true,
      false,
      false,
    ]);
  });

  test.each([
    ['Arabic', (page: number) => String(page + 40)],
    ['Roman', (page: number) => ['iii', 'iv', 'v'][page - 1] ?? ''],
  ])('is left out and named if it is a bare number: %s', (_, number) => {
    const read3 = read(...pages(3, number));
    expect(read3.map(({ pageNumber }) => pageNumber)).toEqual([1, 2, 3].map(number));
    expect(
      read3.every(({ text, repeated }) => !/\n(?:\d+|[iv]+)\n/.test(text) && repeated.length === 0),
    ).toBe(true);
  });
});
