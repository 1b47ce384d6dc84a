import { describe, expect, test } from 'vitest';
import type { Ink } from '../../../../processors/documents/pdf/ink/ink.ts';
import { layOut } from '../../../../processors/documents/pdf/layout/layout.ts';
import { learnProfile } from '../../../../processors/documents/pdf/layout/profile.ts';
import { markdownOf, tableBlock } from '../../../../src/document/index.ts';
import { inkOf, lines, typed } from './layout-ink.ts';

const read = (ink: Ink): string[] =>
  layOut(ink, learnProfile([ink]), []).blocks.map(({ block }) => markdownOf(block).trimEnd());

/** `count` full lines that name their column and number. */
const column = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name} line ${index + 10} of plain running text here`);

const orderOf = (ink: Ink): string =>
  read(ink)
    .join(' ')
    .match(/\b(?:left|middle|right|wide|top|under|side)\b/gu)
    ?.filter((word, index, all) => word !== all[index - 1])
    .join(' ') ?? '';

describe('reading order', () => {
  test('two columns are read one after the other', () => {
    expect(
      orderOf(inkOf([...lines(column('left', 20), 50, 100), ...lines(column('right', 20), 310, 100)])),
    ).toBe('left right');
  });

  test('columns whose baselines do not meet are columns as well', () => {
    expect(
      orderOf(inkOf([...lines(column('left', 20), 50, 100), ...lines(column('right', 19), 310, 105)])),
    ).toBe('left right');
  });

  test('three columns, drawn row by row', () => {
    const glyphs = Array.from({ length: 20 }, (_, row) =>
      ['left', 'middle', 'right'].flatMap((name, index) =>
        typed(`${name} ${row + 10} some more words`, 40 + index * 180, 100 + row * 12),
      ),
    ).flat();
    expect(orderOf(inkOf(glyphs))).toBe('left middle right');
  });

  test('a title over the columns comes first, a line across them parts them into bands', () => {
    const wide = 'wide words that run across the gutter from the one column into the other one here';
    const ink = inkOf([
      ...typed(wide, 50, 60),
      ...lines(column('left', 10), 50, 100),
      ...lines(column('right', 10), 310, 100),
      ...typed(wide, 50, 260),
      ...lines(column('left', 10), 50, 300),
      ...lines(column('right', 10), 310, 300),
    ]);
    expect(orderOf(ink)).toBe('wide left right wide left right');
  });

  test('a label and its value stay on one line', () => {
    const ink = inkOf([
      ...lines(['Name', 'Street', 'Town', 'Country'], 50, 100, 30),
      ...lines(['Ada Lovelace', 'Main road 5', 'London', 'England'], 200, 100, 30),
    ]);
    expect(read(ink).join(' ')).toContain('Street Main road 5');
  });

  test('gaps between words that happen to lie under each other are no gutter', () => {
    const text = Array.from({ length: 12 }, () => 'abcde fghij klmno pqrst uvwxy abcde fghij klmno');
    expect(read(inkOf(lines(text, 50, 100)))).toEqual([text.join(' ')]);
  });

  test('a table stands between the text above and below it and its glyphs in no paragraph', () => {
    const cells = typed('cell', 60, 200);
    const ink = inkOf([...lines(column('top', 4), 50, 100), ...cells, ...lines(column('under', 4), 50, 300)]);
    const table = {
      box: { left: 50, top: 180, right: 400, bottom: 220 },
      glyphs: new Set(cells),
      block: tableBlock([['cell']]),
    };
    const laid = layOut(ink, learnProfile([ink]), [table]).blocks;
    const blocks = laid.map(({ block }) => markdownOf(block));
    expect(laid[1]?.box).toMatchObject(table.box);
    expect(blocks.map((block) => block.slice(0, 3))).toEqual(['top', '| c', 'und']);
    expect(blocks.join('').match(/cell/gu)).toHaveLength(1);
  });

  test('a picture in one column does not join the columns', () => {
    const ink = inkOf([...lines(column('left', 20), 50, 100), ...lines(column('right', 8), 310, 250)], {
      pictures: [{ left: 310, top: 95, right: 500, bottom: 235, object: 'img_1' }],
    });
    const blocks = read(ink);
    expect(blocks.at(1)).toBe('![](img_1)');
    expect(orderOf(ink)).toBe('left right');
  });

  test('cards in a grid are read row by row', () => {
    const card = (name: string): string[] => [`${name} words of a card`, ...column(name, 3)];
    const ink = inkOf([
      ...lines(card('left'), 50, 100),
      ...lines(card('right'), 310, 100),
      ...lines(card('middle'), 50, 260),
      ...lines(card('under'), 310, 260),
    ]);
    expect(orderOf(ink)).toBe('left right middle under');
  });

  test('a title at the upper right of a page is read before the columns', () => {
    const ink = inkOf([
      ...typed('top title', 400, 60, { size: 12 }),
      ...lines(column('left', 12), 50, 100),
      ...lines(column('right', 12), 310, 100),
    ]);
    expect(orderOf(ink)).toBe('top left right');
  });

  test('entries of an index stay apart', () => {
    const entries = (name: string): string[] =>
      Array.from(
        { length: 16 },
        (_, index) => `${name} ${'along the rivers of it'.slice(0, [5, 9, 16, 22][index % 4])} ${index + 10}`,
      );
    const ink = inkOf([
      ...lines(entries('left side'), 50, 100, 24),
      ...lines(entries('right side'), 310, 100, 24),
    ]);
    expect(read(ink)).toEqual([...entries('left side'), ...entries('right side')]);
  });

  test('turned text comes after the text of the page', () => {
    const ink = inkOf([
      ...typed('title of an axis', 300, 200, { angle: 90 }),
      ...lines(column('top', 5), 50, 100),
    ]);
    expect(read(ink).at(-1)).toBe('title of an axis');
  });

  test('a page whose text is all turned is read in its own direction', () => {
    const ink = inkOf(
      [0, 1, 2].flatMap((row) =>
        typed(`row number ${row} reads downward`, 300 - row * 12, 100, { angle: 90 }),
      ),
    );
    expect(read(ink)).toEqual([
      'row number 0 reads downward row number 1 reads downward row number 2 reads downward',
    ]);
  });

  test.each([
    ['all in one place', () => Array.from({ length: 50_000 }, () => typed('a', 100, 100)).flat()],
    [
      'numbers beyond sense',
      () => [
        ...typed('a', Number.NaN, 1),
        ...typed('b', 1e308, -1e308),
        ...typed('c', 5, 5, { size: 1e300 }),
      ],
    ],
    [
      'thousands of rows',
      () => Array.from({ length: 20_000 }, (_, row) => typed('ab', (row % 7) * 80, row)).flat(),
    ],
  ])('hostile glyphs end: %s', (_, glyphs) => {
    expect(() => read(inkOf(glyphs()))).not.toThrow();
  });
});

describe('drawing order', () => {
  test('short columns of justified text are read one after the other', () => {
    // Wide spaces inside the lines hide the gutter; the second column is drawn after the first.
    const left = ['aaaaaa  bbbb  cccc', 'dddddd   eeee  ff', 'gggggg hhhh   iii', 'jjjjjj   kk  llll'];
    const right = ['mmmmmm  nnnn  ooo', 'pppppp   qqqq  rr', 'ssssss tttt   uuu', 'vvvvvv   ww  xxxx'];
    const text = read(inkOf([...lines(left, 50, 100), ...lines(right, 146, 100)])).join(' ');
    expect(text.indexOf('llll')).toBeLessThan(text.indexOf('mmmm'));
  });

  test('lines of a crooked scan stay apart', () => {
    const crooked = [0, 1, 2, 3, 4, 5].flatMap((line) =>
      typed(`line ${line} ${'of text that falls to the right '.repeat(3).trim()}`, 50, 100 + 12 * line).map(
        (glyph) => ({
          ...glyph,
          y: glyph.y + 0.02 * (glyph.x - 50),
        }),
      ),
    );
    const text = read(inkOf(crooked)).join(' ');
    expect(text.match(/line \d/gu)).toEqual(['line 0', 'line 1', 'line 2', 'line 3', 'line 4', 'line 5']);
    expect(text).toContain('right line 1 of text');
  });
});
