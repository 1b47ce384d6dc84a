import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  codeBlock,
  codeSpan,
  escapeCell,
  escapeText,
  headingBlock,
  imageMark,
  linkTo,
  listBlock,
  markdownOf,
  marked,
  paragraphBlock,
  quoteBlock,
  safeUrl,
  tableBlock,
  writeRuns,
} from '../../src/document/index.ts';

describe('the start of a paragraph', () => {
  it.each([
    ['---', '\\---'],
    ['--', '\\--'],
    ['-', '\\-'],
    ['- - -', '\\- - -'],
    ['***', '\\***'],
    ['**', '**'],
    ['_ _ _', '\\_ _ _'],
    ['__', '__'],
    ['+++', '+++'],
    ['===', '\\==='],
    ['= =', '= ='],
    ['```', '\\```'],
    ['``` a', '\\``` a'],
    ['``` `a`', '``` `a`'],
    ['--- x', '--- x'],
  ])('%s becomes %s', (text, expected) => {
    expect(markdownOf(paragraphBlock(text))).toBe(`${expected}\n`);
  });

  it.each(['-', '- ', '=', '_', '*', '`', '#', '1', '[', '~', '>', '+'])(
    'is escaped in linear time and bounded stack: %o',
    (unit) => {
      for (const end of ['', 'x'])
        expect(markdownOf(paragraphBlock(unit.repeat(5_000_000) + end)).length).toBeGreaterThan(4_000_000);
    },
  );
});

describe('escapeText', () => {
  it.each([
    ['plain words, 3 < 4, AT&T, C:\\temp', 'plain words, 3 < 4, AT&T, C:\\temp'],
    ['a *b* c', 'a \\*b\\* c'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['price* only once', 'price* only once'],
    ['snake_case_name', 'snake_case_name'],
    ['__init__', '\\_\\_init\\_\\_'],
    ['`x` and `y`', '\\`x\\` and \\`y\\`'],
    ['<b> &amp; </b>', '\\<b> \\&amp; \\</b>'],
    ['[a](b) and [1]', '\\[a](b) and [1]'],
    ['see [^1]', 'see \\[^1]'],
    ['\\[x\\]', '\\\\[x\\\\]'],
    ['a\u0000b\u0007c\r\nd', 'abc\nd'],
  ])('keeps %j as text', (text, expected) => {
    expect(escapeText(text)).toBe(expected);
  });

  it('takes linear time on runs of marks', () => {
    for (const unit of ['*', '_', '`', '[', '](', '&', '<', '\\'])
      expect(escapeText(unit.repeat(200_000)).length).toBeGreaterThanOrEqual(200_000);
  });
});

describe('paragraphBlock', () => {
  it.each([
    ['# no heading', '\\# no heading\n'],
    ['#tag', '#tag\n'],
    ['- no list', '\\- no list\n'],
    ['-5 degrees', '-5 degrees\n'],
    ['1. no list', '1\\. no list\n'],
    ['1.5 litres', '1.5 litres\n'],
    ['> no quote', '\\> no quote\n'],
    ['a\n---\nb', 'a\n\\---\nb\n'],
    ['a\n===', 'a\n\\===\n'],
    ['***', '\\***\n'],
    ['```js', '\\```js\n'],
    ['~~~', '\\~~~\n'],
    ['    four spaces', 'four spaces\n'],
    ['a\n\n\nb', 'a\nb\n'],
    [' \n ', ''],
  ])('keeps %j a paragraph', (text, expected) => {
    expect(markdownOf(paragraphBlock(text))).toBe(expected);
  });
});

describe('writeRuns', () => {
  it('keeps spaces outside of marks and marks open over runs that share them', () => {
    expect(
      writeRuns([
        { text: 'one ' },
        { text: 'two ', bold: true },
        { text: 'three', bold: true, italic: true },
        { text: ' four', strike: true },
      ]),
    ).toBe('one **two *three*** ~~four~~');
  });

  it('joins neighbours of one style', () => {
    expect(
      writeRuns([
        { text: 'a', bold: true },
        { text: 'b', bold: true },
      ]),
    ).toBe('**ab**');
  });

  it('writes links, code, indices and line breaks', () => {
    expect(
      writeRuns([
        { text: 'H' },
        { text: '2', subscript: true },
        { text: 'O\nis ' },
        { text: 'wet', href: 'https://example.org/a b' },
        { text: ' `x`', code: true },
      ]),
    ).toBe('H<sub>2</sub>O  \nis [wet](https://example.org/a%20b)`` `x` ``'.replace('`` `', '``  `'));
  });

  it('omits bold if all of it is bold, as in a heading', () => {
    expect(writeRuns([{ text: 'Title', bold: true }], { plain: true })).toBe('Title');
  });

  it('escapes a mark inside of a marked run', () => {
    expect(writeRuns([{ text: '*root', italic: true }])).toBe('*\\*root*');
  });
});

describe('links and pictures', () => {
  it.each([
    ['https://example.org', 'https://example.org'],
    ['#part', '#part'],
    ['../a/b.html', '../a/b.html'],
    ['mailto:a@example.org', 'mailto:a@example.org'],
    ['javascript:alert(1)', undefined],
    [' java\nscript:alert(1)', undefined],
    ['JAVASCRIPT:x', undefined],
    ['data:text/html,x', undefined],
    ['file:///etc/passwd', undefined],
    ['C:\\file', undefined],
    ['', undefined],
  ])('safeUrl %j', (url, expected) => {
    expect(safeUrl(url)).toBe(expected);
  });

  it('keeps the text of a link without a safe target', () => {
    expect(linkTo('here', 'javascript:x')).toBe('here');
  });

  it('balances brackets', () => {
    expect(linkTo(' a]b ', 'http://x/(')).toBe(' [a\\]b](http://x/%28) ');
    expect(linkTo('[1]', '#n')).toBe('[[1]](#n)');
  });

  it('names a picture, never with its bytes', () => {
    expect(imageMark('a [b]', 'my pic.png')).toBe('![a \\[b\\]](my%20pic.png)');
    expect(imageMark('x', 'data:image/png;base64,AAAA')).toBe('![x]()');
    expect(imageMark('', '')).toBe('');
  });
});

describe('tableBlock', () => {
  it('escapes bars, turns line breaks into <br> and fills short rows', () => {
    expect(markdownOf(tableBlock([['a|b', 'c\nd'], ['e']]))).toBe(
      '| a\\|b | c<br>d |\n| --- | --- |\n| e |  |\n',
    );
  });

  it('is empty without cells', () => {
    expect(markdownOf(tableBlock([]))).toBe('');
    expect(markdownOf(tableBlock([[], []]))).toBe('');
  });

  it('never lets a cell break its row', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.string(), { minLength: 1, maxLength: 4 }), { minLength: 1 }),
        (rows) => {
          const lines = markdownOf(tableBlock(rows.map((row) => row.map((cell) => escapeText(cell)))))
            .trimEnd()
            .split('\n');
          expect(lines).toHaveLength(rows.length + 1);
          const columns = Math.max(...rows.map((row) => row.length));
          for (const line of lines) expect(line.replace(/\\./g, '').split('|')).toHaveLength(columns + 2);
        },
      ),
    );
  });

  it('does not escape a bar twice', () => {
    expect(escapeCell('a \\| b | c \\\\| d')).toBe('a \\| b \\| c \\\\\\| d');
  });
});

describe('blocks', () => {
  it('nests lists by the width of the markers', () => {
    expect(
      markdownOf(
        listBlock([
          { level: 0, marker: '-', text: 'a\n# b' },
          { level: 1, marker: '10.', text: 'c' },
          { level: 5, marker: '-', text: 'd' },
          { level: 0, marker: '-', text: 'e' },
        ]),
      ),
    ).toBe('- a\n  \\# b\n  10. c\n      - d\n- e\n');
  });

  it('continues an item with blocks, and after the list inside of it', () => {
    const blocks = [codeBlock('b'), quoteBlock([paragraphBlock('c')])];
    expect(
      markdownOf(
        listBlock([
          { level: 0, marker: '[^12]:', text: 'a', blocks },
          { level: 1, marker: '-', text: '', blocks: [headingBlock(2, 'd')] },
          { level: 0, marker: '', text: 'e' },
        ]),
      ),
    ).toBe('[^12]: a\n    ```\n    b\n    ```\n\n    > c\n    - ## d\n\n    e\n');
  });

  it('uses a fence longer than any in the code', () => {
    expect(markdownOf(codeBlock('a\n\n```\nb', 'js'))).toBe('````js\na\n\n```\nb\n````\n');
    expect(markdownOf(codeBlock('x', 'not a language!'))).toBe('```notalanguage\nx\n```\n');
  });

  it('keeps a heading on one line and its level in range', () => {
    expect(markdownOf(headingBlock(9, ' a\nb '))).toBe('###### a b\n');
    expect(markdownOf(headingBlock(0, 'C #'))).toBe('# C \\#\n');
    expect(markdownOf(headingBlock(2, ' '))).toBe('');
  });

  it('quotes every line, and joins blocks by an empty quoted line', () => {
    expect(markdownOf(quoteBlock([paragraphBlock('a\nb'), paragraphBlock(''), codeBlock('x\n\ny')]))).toBe(
      '> a\n> b\n>\n> ```\n> x\n>\n> y\n> ```\n',
    );
    expect(markdownOf(quoteBlock([]))).toBe('');
  });

  it('marks words, not spaces', () => {
    expect(marked(' a ', '**')).toBe(' **a** ');
    expect(marked(' ', '**')).toBe(' ');
    expect(codeSpan('a`b')).toBe('``a`b``');
  });
});
