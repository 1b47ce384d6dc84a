import { describe, expect, test } from 'vitest';
import type { Glyph, Ink } from '../../../../processors/documents/pdf/ink/ink.ts';
import { layOut } from '../../../../processors/documents/pdf/layout/layout.ts';
import { learnProfile, type Profile } from '../../../../processors/documents/pdf/layout/profile.ts';
import { headingBlock, markdownOf } from '../../../../src/document/index.ts';
import { BOLD, ITALIC, inkOf, lines, MONO, MONO_BOLD, typed } from './layout-ink.ts';

const BODY = [
  'A line of plain text that runs to the right margin of this',
  'page and then goes on in the next line until it is all over.',
];
const body = (y: number): Glyph[] => lines(BODY, 50, y);
const BODY_TEXT = BODY.join(' ');

const blocksOf = (ink: Ink, profile: Profile): string[] =>
  layOut(ink, profile, []).blocks.map(({ block }) => markdownOf(block));
const read = (ink: Ink): string[] =>
  layOut(ink, learnProfile([ink]), []).blocks.map(({ block }) => markdownOf(block).trimEnd());

describe('blocks', () => {
  test('paragraphs part at wider gaps and at indents', () => {
    const indented = [
      ...typed('Set in after a short line, this starts a new paragraph here', 62, 124),
      ...typed('and goes on at the left margin as all the lines above did.', 50, 136),
    ];
    const short = [...typed(BODY[0] ?? '', 50, 100), ...typed('ends short.', 50, 112)];
    expect(read(inkOf([...short, ...indented, ...body(180)]))).toEqual([
      `${BODY[0]} ends short.`,
      'Set in after a short line, this starts a new paragraph here and goes on at the left margin as all the lines above did.',
      BODY_TEXT,
    ]);
  });

  test('a short line ends a paragraph of a right-to-left script on the left', () => {
    const word = '\u05D0\u05D1\u05D2\u05D3';
    const full = Array.from({ length: 20 }, () => word).join(' ');
    const drawn = (text: string, y: number): Glyph[] =>
      typed([...text].reverse().join(''), 545 - 5 * text.length, y);
    const texts = [full, full, `${word} ${word}.`, full, `${word} ${word}.`];
    expect(read(inkOf(texts.flatMap((text, index) => drawn(text, 100 + 12 * index))))).toEqual([
      texts.slice(0, 3).join(' '),
      texts.slice(3).join(' '),
    ]);
  });

  test('a date or a version in large type is a heading, an amount is not', () => {
    const large = (text: string, y: number): Glyph[] => typed(text, 50, y, { size: 16 });
    const ink = inkOf([
      ...large('[1.4.0] - 2024-11-19', 80),
      ...body(110),
      ...large('1,250,000 €', 180),
      ...body(210),
    ]);
    expect(read(ink)).toEqual(['# [1.4.0] - 2024-11-19', BODY_TEXT, '1,250,000 €', BODY_TEXT]);
  });

  test('a bold term over its indented definition is not a heading', () => {
    const page = (x: number): Ink =>
      inkOf([...body(60), ...typed('Weir', 50, 110, { font: BOLD }), ...lines(BODY, x, 124), ...body(180)]);
    expect(read(page(80))[1]).toBe('Weir');
    expect(read(page(50))).toContain('## Weir');
  });

  test('a line in the size of a heading does not continue the text above', () => {
    const ink = inkOf([...body(100), ...typed('Just large enough', 50, 130, { size: 11.3 }), ...body(150)]);
    expect(read(ink)).toEqual([BODY_TEXT, '# Just large enough', BODY_TEXT]);
  });

  test('a bold line that ends in a colon names what follows', () => {
    const page = (text: string): Ink =>
      inkOf([...body(60), ...typed(text, 50, 110, { font: BOLD }), ...body(126), ...body(180)]);
    expect(read(page('What is needed'))).toContain('## What is needed');
    expect(read(page('What is needed:'))).toContain('What is needed:');
  });

  test('the size of a large heading gives its level, not its number', () => {
    const ink = inkOf([
      ...typed('The title', 50, 60, { size: 20 }),
      ...body(100),
      ...typed('Getting started', 50, 150, { size: 16 }),
      ...body(170),
      ...typed('1. Install the weir', 50, 220, { size: 13 }),
      ...body(240),
    ]);
    expect(read(ink).filter((block) => block.startsWith('#'))).toEqual([
      '# The title',
      '## Getting started',
      '### 1. Install the weir',
    ]);
  });

  test('spaces in code are measured where a character is wider than a letter', () => {
    const code = (text: string, y: number): Glyph[] => typed(text, 50, y, { font: MONO });
    const ink = inkOf([...body(60), ...code('a = "\u6F22\u5B57"  # b', 110), ...code('c = 1', 122)]);
    expect(read(ink)).toContain('```\na = "\u6F22\u5B57"  # b\nc = 1\n```');
  });

  test('headings by size, by weight and by number', () => {
    const ink = inkOf([
      ...typed('The title', 50, 60, { size: 20 }),
      ...body(100),
      ...typed('A large heading', 50, 150, { size: 14 }),
      ...body(175),
      ...typed('A bold heading', 50, 220, { font: BOLD }),
      ...body(235),
      ...typed('2.1 A numbered one', 50, 280, { font: BOLD }),
      ...body(295),
    ]);
    expect(read(ink).filter((block) => block.startsWith('#'))).toEqual([
      '# The title',
      '## A large heading',
      '### A bold heading',
      '### 2.1 A numbered one',
    ]);
  });

  test('a line in a colour of its own is a heading, and one in colour among others in colour is none', () => {
    const green = (glyphs: readonly Glyph[]): Glyph[] =>
      glyphs.map((glyph) => ({ ...glyph, color: 0x008000 }));
    const page = (below: Glyph[]): string[] =>
      read(inkOf([...body(100), ...green(typed('Rationale:', 50, 150)), ...below, ...body(300)])).filter(
        (block) => block.startsWith('#'),
      );
    expect(page(body(165))).toEqual(['## Rationale:']);
    expect(page(green(body(165)))).toEqual([]);
  });

  test('a letter over several lines belongs to the first, however far apart its words are', () => {
    const ink = inkOf([
      ...typed('T', 50, 124, { size: 34 }),
      ...typed('his', 68, 100),
      ...typed('report', 110, 100),
      ...typed('defines', 170, 100),
      ...typed('what the water of the river', 68, 112),
      ...typed('does by night in the old', 68, 124),
      ...typed('harbour and on the canal below.', 50, 136),
    ]);
    expect(read(ink).join('\n')).toMatch(/^This report defines what the water/u);
  });

  test('an entry of contents is no heading, however large', () => {
    const ink = inkOf([
      ...typed('Contents', 50, 60, { size: 18 }),
      ...typed('Introduction 7', 50, 100, { size: 13 }),
      ...body(130),
    ]);
    expect(read(ink).filter((block) => block.startsWith('#'))).toEqual(['# Contents']);
  });

  test('entries of contents are not joined', () => {
    const ink = inkOf([
      ...typed('Contents', 50, 60, { size: 18 }),
      ...lines(
        ['The river and the old harbour by night 4', 'The locks between both 6', 'The sea 11'],
        50,
        100,
      ),
    ]);
    expect(read(ink).slice(1)).toEqual([
      'The river and the old harbour by night 4',
      'The locks between both 6',
      'The sea 11',
    ]);
  });

  test('the outline makes a heading of what looks like none, at its own level', () => {
    const ink = inkOf([...body(100), ...typed('An inconspicuous line', 50, 150), ...body(180)]);
    const blocks = layOut(
      ink,
      learnProfile([ink]),
      [],
      [{ level: 2, title: 'An  inconspicuous line', section: 1 }],
    ).blocks;
    expect(blocks[1]?.block).toEqual(headingBlock(2, 'An inconspicuous line'));
  });

  test('a heading that only the tags of the page tell', () => {
    const tagged = typed('A tagged line', 50, 150).map((glyph) => ({ ...glyph, mcid: 4 }));
    const ink = inkOf([...body(100), ...tagged, ...body(180)], {
      structure: { role: 'Document', children: [{ role: 'H3', children: [4] }] },
    });
    expect(read(ink)[1]).toBe('### A tagged line');
  });

  test.each([
    ['a caption', 'Figure 3: What is seen'],
    ['a sentence', 'This is bold and ends.'],
    ['an address', 'https://example.org/page'],
    ['a number', '12.50 %'],
    ['a formula', 'd \u2202L \u2202L'],
  ])('%s is no heading', (_, text) => {
    expect(
      read(inkOf([...body(100), ...typed(text, 50, 150, { font: BOLD, size: 10 }), ...body(180)])).join('\n'),
    ).not.toMatch(/^#/mu);
  });

  test('lists with hanging lines and nesting', () => {
    const ink = inkOf([
      ...body(60),
      ...typed('\u2022 first item that is long enough to need another line for', 50, 100),
      ...typed('the rest of it', 60, 112),
      ...typed('\u25e6 inner item', 70, 124),
      ...typed('\u2022 second item', 50, 136),
    ]);
    expect(read(ink)[1]).toBe(
      '- first item that is long enough to need another line for the rest of it\n  - inner item\n- second item',
    );
  });

  test('boxes, ticks and crosses are list items that keep them', () => {
    const ink = inkOf([
      ...body(60),
      ...typed('\u2610 Not done yet', 50, 110),
      ...typed('\u2611 Done already', 50, 122),
      ...typed('\u2717 Failed item', 50, 134),
    ]);
    expect(read(ink)[1]).toBe('- \u2610 Not done yet\n- \u2611 Done already\n- \u2717 Failed item');
  });

  test('numbered lists keep their own numbers', () => {
    expect(read(inkOf([...body(60), ...lines(['3. third', '4. fourth'], 50, 100)]))[1]).toBe(
      '3. third\n4. fourth',
    );
  });

  test('a number at the start of a wrapped line is no list', () => {
    const ink = inkOf([
      ...typed('The text that fills the line to its end speaks of chapter', 50, 100),
      ...typed('12. It goes on here with a line that is just as long as it', 50, 112),
    ]);
    expect(read(ink)).toHaveLength(1);
  });

  test.each([
    ['exam-', 'ple goes on', 'example goes on'],
    ['well-', 'Known goes on', 'well-Known goes on'],
    ['self-', 'made goes on', 'self-made goes on'],
    ['2019-', '2020 goes on', '2019-2020 goes on'],
    ['ex\u00ad', 'ample goes on', 'example goes on'],
  ])('%s and %s are joined as %s', (first, second, joined) => {
    const filler = 'Words that fill this line with self-made text and more ';
    expect(read(inkOf([...typed(filler + first, 50, 100), ...typed(second, 50, 112)]))).toEqual([
      filler + joined,
    ]);
  });

  test('bold and italic runs inside a paragraph, not on the whole of it', () => {
    const mixed = [
      ...typed('A ', 50, 100),
      ...typed('bold word', 60, 100, { font: BOLD }),
      ...typed('and', 110, 100),
      ...typed('slanted words', 130, 100, { font: ITALIC }),
      ...typed('here.', 200, 100),
    ];
    expect(read(inkOf([...mixed, ...body(140)]))[0]).toBe('A **bold word** and *slanted words* here.');
    expect(read(inkOf([...lines(BODY, 50, 100, 12, { font: ITALIC }), ...body(150), ...body(190)]))[0]).toBe(
      BODY_TEXT,
    );
  });

  test('links with safe targets', () => {
    const ink = (url: string): Ink =>
      inkOf([...typed('See the register for more.', 50, 100)], {
        links: [{ left: 90, top: 90, right: 130, bottom: 104, url }],
      });
    expect(read(ink('https://example.org/a b'))[0]).toBe(
      'See the [register](https://example.org/a%20b) for more.',
    );
    expect(read(ink('javascript:alert(1)'))[0]).toBe('See the register for more.');
  });

  test('punctuation beside a link is not in it', () => {
    const ink = inkOf(typed('See (the register).', 50, 100), {
      links: [{ left: 75, top: 90, right: 135, bottom: 104, url: 'https://example.org/' }],
    });
    expect(read(ink)[0]).toBe('See ([the register](https://example.org/)).');
  });

  test('lines of one width are code with their indents', () => {
    const code = ['if (a) {', '  b();', '}'].flatMap((line, index) =>
      typed(line, 50, 100 + index * 12, { font: MONO }),
    );
    expect(read(inkOf([...body(60), ...code, ...body(160)]))[1]).toBe('```\nif (a) {\n  b();\n}\n```');
  });

  test('a page of more code than text has code, and the bold name of a function is a heading', () => {
    const code = ['if (gate.isOpen()) {', '  gate.lower(level);', '}'];
    const many = Array.from({ length: 8 }, () => code).flat();
    const ink = inkOf([
      ...body(60),
      ...typed('lower(level = 0)', 50, 110, { size: 9, font: MONO_BOLD }),
      ...body(130),
      ...lines(many, 50, 180, 11, { size: 9, font: MONO }),
      ...body(480),
    ]);
    expect(read(ink)).toEqual([
      BODY_TEXT,
      '## lower(level = 0)',
      BODY_TEXT,
      `\`\`\`\n${many.join('\n')}\n\`\`\``,
      BODY_TEXT,
    ]);
  });

  test('a note whose mark the text has is a footnote; other small text stays text', () => {
    const ink = inkOf([
      ...body(60),
      ...typed('A claim', 50, 100),
      ...typed('7', 85, 96, { size: 6 }),
      ...typed('is made here.', 95, 100),
      ...body(130),
      ...typed('7', 50, 697, { size: 5 }),
      ...typed('Its source.', 56, 700, { size: 8 }),
      ...typed('8 No mark for this.', 50, 720, { size: 8 }),
    ]);
    const blocks = read(ink);
    expect(blocks[1]).toBe('A claim[^7] is made here.');
    expect(blocks).toContain('[^7]: Its source.');
    expect(blocks.at(-1)).toBe('8 No mark for this.');
  });

  test('raised and lowered figures stay with their word', () => {
    expect(
      read(
        inkOf([
          ...typed('H', 50, 100),
          ...typed('2', 55, 102, { size: 6 }),
          ...typed('O is water, 10', 58, 100),
          ...typed('3', 128, 96, { size: 6 }),
          ...typed('grams', 136, 100),
          ...body(140),
        ]),
      )[0],
    ).toBe('H2O is water, 103 grams');
  });

  test('a large first letter begins its line', () => {
    const ink = inkOf([
      ...typed('O', 50, 124, { size: 36 }),
      ...lines(
        [
          'nce there was a line beside a letter',
          'that reaches down over three of them',
          'and this is the last of these lines.',
        ],
        70,
        100,
      ),
      ...typed('After that the text goes on at the margin.', 50, 136),
    ]);
    expect(read(ink).join(' ')).toContain('Once there was a line beside a letter that reaches down');
  });

  test('a table of contents is a list with its page numbers', () => {
    const ink = inkOf([
      ...typed('Opening .................... 3', 50, 100),
      ...typed('Details ............... 12', 62, 112),
      ...typed('Closing .................... 40', 50, 124),
    ]);
    expect(read(ink)).toEqual(['- Opening ... 3\n  - Details ... 12\n- Closing ... 40']);
  });

  test('what would be read as Markdown is escaped', () => {
    expect(read(inkOf([...typed('# 1 and a *star* here', 50, 100), ...body(140)]))[0]).toBe(
      '\\# 1 and a \\*star\\* here',
    );
  });

  test('large pictures leave a mark with the text that the file gives them, small ones none', () => {
    const ink = inkOf(body(60), {
      pictures: [
        { left: 50, top: 100, right: 300, bottom: 300, object: 'img_1' },
        { left: 50, top: 400, right: 60, bottom: 410, object: 'img_2' },
        { left: 0, top: 0, right: 595, bottom: 842, object: 'ground' },
      ],
      structure: { role: 'Root', children: [{ role: 'Figure', alt: 'A bridge', children: [1] }] },
    });
    expect(read(ink)).toEqual([BODY_TEXT, '![A bridge](img_1)']);
  });
});

test('strips of one picture are one', () => {
  const strip = (top: number) => ({ left: 50, right: 400, top, bottom: top + 80, object: `img_${top}` });
  expect(read(inkOf(body(60), { pictures: [strip(200), strip(280), strip(360)] }))).toEqual([
    BODY_TEXT,
    '![](img_200)',
  ]);
});

describe('heads and feet', () => {
  const pages = Array.from({ length: 6 }, (_, index) =>
    inkOf(
      [
        ...typed('Report of the council', 50, 40, { size: 8 }),
        ...body(200),
        ...typed(`Page ${index + 1}`, 280, 810, { size: 8 }),
      ],
      { page: index + 1 },
    ),
  );

  test('a running head is shown on the first page that has it, page numbers never', () => {
    const profile = learnProfile(pages);
    expect(pages.map((ink) => blocksOf(ink, profile).join(''))).toEqual([
      `Page header: Report of the council\n${BODY_TEXT}\n`,
      ...Array.from({ length: 5 }, () => `${BODY_TEXT}\n`),
    ]);
  });

  test('the same page gives the same blocks whichever was laid out before', () => {
    const profile = learnProfile(pages);
    const [first, second] = pages;
    if (first === undefined || second === undefined) throw new Error('no pages');
    const alone = layOut(second, profile, []);
    layOut(first, profile, []);
    expect(layOut(second, profile, [])).toEqual(alone);
  });
});
