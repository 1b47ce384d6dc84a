import { describe, expect, test } from 'vitest';
import type { Glyph, Ink } from '../../../../processors/documents/pdf/ink/ink.ts';
import { layOut } from '../../../../processors/documents/pdf/layout/layout.ts';
import { learnProfile } from '../../../../processors/documents/pdf/layout/profile.ts';
import { BOLD, ITALIC, inkOf, lines, PLAIN, typed } from './layout-ink.ts';

const SENTENCE = 'words of plain running text that go on to the right margin of this page';
const body = (from: number, count: number): Glyph[] =>
  lines(
    Array.from({ length: count }, (_, index) => `${index + 10} ${SENTENCE}`),
    50,
    from,
  );

function read(ink: Ink): { text: string; left: readonly string[] } {
  const profile = learnProfile([ink]);
  return {
    text: layOut(ink, profile, [])
      .map(({ block }) => block)
      .join(''),
    left: profile.furniture.texts,
  };
}

describe('margins of a single page', () => {
  test.each([
    ['small, near the foot', 'Northfield Press, series four', 300, 815, { size: 7 }],
    ['in another face, near the head', 'Annals of the river council', 200, 30, { font: ITALIC }],
    ['a long stamp', 'Printed for a reader of the town library', 50, 825, { size: 6 }],
    ['a number of pages', 'Page 3 of 9', 280, 818, {}],
  ])('leaves out %s', (_, text, x, y, style) => {
    const { text: read1, left } = read(inkOf([...body(100, 30), ...typed(text, x, y, style)]));
    expect(read1).not.toContain(text);
    expect(left).toEqual([text]);
  });

  test('leaves out a line in three parts, and one with a number at its end', () => {
    const parts = [
      ...typed('Edition 4', 50, 30),
      ...typed('River council', 260, 30),
      ...typed('7 June', 480, 30),
    ];
    expect(read(inkOf([...parts, ...body(100, 30)])).left).toEqual(['Edition 4 River council 7 June']);
    const numbered = [...typed('River council', 50, 30), ...typed('47', 520, 30)];
    expect(read(inkOf([...numbered, ...body(100, 30)])).left).toEqual(['River council 47']);
  });

  test('leaves out what the file marks as an artifact', () => {
    const head = typed('River council', 50, 70).map((glyph) => ({ ...glyph, artifact: true }));
    expect(read(inkOf([...head, ...body(110, 30)])).left).toEqual(['River council']);
  });

  test('leaves out text turned in the margin, and large slanted text', () => {
    const side = typed('kept in the archive', 20, 200, { angle: 90 });
    expect(read(inkOf([...side, ...body(100, 30)])).left).toEqual(['kept in the archive']);
    const across = typed('DRAFT', 200, 400, { angle: 45, size: 60 });
    expect(read(inkOf([...across, ...body(100, 30)])).left).toHaveLength(5);
  });

  test.each([
    ['a title', 'Annals of the river', 50, 60, { size: 18, font: BOLD }],
    ['a bold title in the size of the text', 'Annals of the river', 50, 70, { font: BOLD }],
    ['the last line of a paragraph', 'and so it ends.', 50, 700, { font: PLAIN }],
    ['the last line of a bill, far from the text and near the edge', 'Total due: 1,234.50 EUR', 50, 815, {}],
    ['a note', '1 Measured again in the spring of the year.', 50, 770, { size: 8 }],
  ])('keeps %s', (_, text, x, y, style) => {
    expect(read(inkOf([...body(100, 50), ...typed(text, x, y, style)])).left).toEqual([]);
  });

  test('keeps the lines of a form, whose page has little text', () => {
    const ink = inkOf([
      ...typed('Name', 50, 40, { size: 8 }),
      ...lines(['Street', 'Town', 'Date'], 50, 200, 40),
    ]);
    expect(read(ink).left).toEqual([]);
  });

  test('keeps the title of a table at the head of the page', () => {
    const cells = lines(['one', 'two', 'three'], 60, 60, 30);
    const ink = inkOf([...typed('Table 7', 50, 40, { size: 8, font: ITALIC }), ...cells, ...body(200, 40)]);
    const table = { box: { left: 50, top: 45, right: 400, bottom: 130 }, glyphs: new Set(cells), block: '' };
    const text = layOut(ink, learnProfile([ink]), [table]).map(({ block }) => block);
    expect(text[0]).toContain('Table 7');
  });
});

describe('margins of many pages', () => {
  test('a line in the same place is left out, though its text changes from page to page', () => {
    const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
    const pages = names.map((name, index) =>
      inkOf([...typed(`On the ${name}`, 200, 40, { size: 8 }), ...body(100, 40)], { page: index + 1 }),
    );
    const profile = learnProfile(pages);
    const blocks = pages.flatMap((ink) => layOut(ink, profile, [])).map(({ block }) => block);
    expect(blocks.join('')).not.toContain('On the');
  });

  test('titles in the same place on every page are kept', () => {
    const pages = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'].map((name, index) =>
      inkOf([...typed(`On the ${name}`, 50, 60, { size: 24 }), ...body(120, 20)], { page: index + 1 }),
    );
    const profile = learnProfile(pages);
    const blocks = pages.flatMap((ink) => layOut(ink, profile, [])).map(({ block }) => block);
    expect(blocks.filter((block) => block.startsWith('# On the'))).toHaveLength(5);
  });
});
