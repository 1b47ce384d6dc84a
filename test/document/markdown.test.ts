import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bareText,
  cleanText,
  codeBlock,
  codeSpan,
  escapeCell,
  formulaSpan,
  headingBlock,
  imageMark,
  inlineMarkdown,
  jsonLineOf,
  linesOf,
  linkTo,
  listBlock,
  markdownOf,
  noteBlock,
  noteMark,
  paragraphBlock,
  plainText,
  quoteBlock,
  respanned,
  safeUrl,
  splitInline,
  tableBlock,
  targetsIn,
  titleOf,
  wordsOfData,
  writeRuns,
} from '../../src/document/index.ts';

const escaped = (text: string): string => inlineMarkdown(cleanText(text));
const markdownRuns = (...given: Parameters<typeof writeRuns>): string => inlineMarkdown(writeRuns(...given));

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
    ['```', '\\`\\`\\`'],
    ['``` a', '\\`\\`\\` a'],
    ['``` `a`', '\\`\\`\\` \\`a\\`'],
    ['--- x', '--- x'],
  ])('%s becomes %s', (text, expected) => {
    expect(markdownOf(paragraphBlock(text))).toBe(`${expected}\n`);
  });

  it.each(['-', '- ', '=', '_', '*', '`', '#', '1', '[', '~', '>', '+'])(
    'is escaped in linear time and bounded stack: %o',
    (unit) => {
      for (const end of ['', 'x'])
        expect(markdownOf(paragraphBlock(unit.repeat(1_000_000) + end)).length).toBeGreaterThan(800_000);
    },
  );
});

describe('plain text', () => {
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
    expect(escaped(text)).toBe(expected);
  });

  it('takes linear time on runs of marks', () => {
    for (const unit of ['*', '_', '`', '[', '](', '&', '<', '\\'])
      expect(escaped(unit.repeat(200_000)).length).toBeGreaterThanOrEqual(200_000);
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
    ['```js', '\\`\\`\\`js\n'],
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
      markdownRuns([
        { text: 'one ' },
        { text: 'two ', bold: true },
        { text: 'three', bold: true, italic: true },
        { text: ' four', strike: true },
      ]),
    ).toBe('one **two *three*** ~~four~~');
  });

  it('joins neighbours of one style', () => {
    expect(
      markdownRuns([
        { text: 'a', bold: true },
        { text: 'b', bold: true },
      ]),
    ).toBe('**ab**');
  });

  it('writes links, code, indices and line breaks', () => {
    expect(
      markdownRuns([
        { text: 'H' },
        { text: '2', subscript: true },
        { text: 'O\nis ' },
        { text: 'wet', href: 'https://example.org/a b' },
        { text: ' `x`', code: true },
      ]),
    ).toBe('H<sub>2</sub>O  \nis [wet](https://example.org/a%20b)`` `x` ``'.replace('`` `', '``  `'));
  });

  it('omits bold if all of it is bold, as in a heading', () => {
    expect(markdownRuns([{ text: 'Title', bold: true }], { plain: true })).toBe('Title');
  });

  it('escapes a mark inside of a marked run', () => {
    expect(markdownRuns([{ text: '*root', italic: true }])).toBe('*\\*root*');
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

  it('writes links in a link behind it, which Markdown would lose', () => {
    const inner = `a ${linkTo('b', 'http://b/')} c ${linkTo('d', 'http://d/')}`;
    expect(inlineMarkdown(`${linkTo(inner, 'http://a/')} e`)).toBe(
      '[a b c d](http://a/) [b](http://b/) [d](http://d/) e',
    );
    expect(inlineMarkdown(linkTo(imageMark('p', 'p.png'), 'http://a/'))).toMatch(
      /^\[!\[p\]\(.+\)\]\(http:\/\/a\/\)$/,
    );
  });

  it('gives each run of links in a link the innermost target as data', () => {
    const block = paragraphBlock(linkTo(`a ${linkTo('b', 'http://b/')} c`, 'http://a/'));
    expect(JSON.parse(jsonLineOf(block, { block: 1 }, 'x.html')).text).toEqual([
      { text: 'a ', href: 'http://a/' },
      { text: 'b', href: 'http://b/' },
      { text: ' c', href: 'http://a/' },
    ]);
  });

  it('keeps code from pairing with a backtick beside it', () => {
    expect(inlineMarkdown(`a \` b ${codeSpan('c')} d`)).toBe('a \\` b `c` d');
    expect(escaped('a ` b')).toBe('a ` b');
  });

  it('balances brackets', () => {
    expect(inlineMarkdown(linkTo(' a]b ', 'http://x/('))).toBe(' [a\\]b](http://x/%28) ');
    expect(inlineMarkdown(linkTo('[1]', '#n'))).toBe('[[1]](#n)');
  });

  it('names a picture, never with its bytes', () => {
    expect(inlineMarkdown(imageMark('a [b]', 'my pic.png'))).toBe('![a \\[b\\]](my%20pic.png)');
    expect(inlineMarkdown(imageMark('x', 'data:image/png;base64,AAAA'))).toBe('![x]()');
    expect(inlineMarkdown(imageMark('', ''))).toBe('');
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
          const lines = markdownOf(tableBlock(rows.map((row) => row.map((cell) => cleanText(cell)))))
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

  it('writes code between as many backticks as needed', () => {
    expect(inlineMarkdown(codeSpan('a`b'))).toBe('``a`b``');
  });
});

describe('inline content', () => {
  const content = writeRuns([
    { text: 'Total', bold: true },
    { text: ' 3*4*5 ' },
    { text: 'see', href: 'https://example.org/a_b' },
    { text: noteMark('1'), raw: true },
    { text: imageMark('a quay', 'quay.png'), raw: true },
    { text: ' x=1', code: true },
  ]);

  it('is escaped when it is written, and not before', () => {
    expect(inlineMarkdown(content)).toBe(
      '**Total** 3\\*4\\*5 [see](https://example.org/a_b)[^1]![a quay](quay.png)` x=1`',
    );
  });

  it('has its words, its targets and its title', () => {
    expect(plainText(content)).toBe('Total 3*4*5 see[^1]a quay x=1');
    expect(plainText(content, { notes: false, pictures: false })).toBe('Total 3*4*5 see x=1');
    expect(titleOf(content)).toBe('Total 3*4*5 seea quay x=1');
    expect(targetsIn(content)).toEqual(['https://example.org/a_b', 'quay.png']);
  });

  it('is data in JSON: plain text, or runs', () => {
    const line = jsonLineOf(tableBlock([['a*b', content]]), { block: 1 }, 'x.docx');
    expect(JSON.parse(line)).toEqual({
      at: { block: 1 },
      kind: 'table',
      rows: [
        [
          'a*b',
          [
            { text: 'Total', marks: ['bold'] },
            { text: ' 3*4*5 ' },
            { text: 'see', href: 'https://example.org/a_b' },
            { text: '1', kind: 'note' },
            { text: 'a quay', kind: 'picture', source: 'quay.png' },
            { text: ' x=1', kind: 'code' },
          ],
        ],
      ],
    });
  });

  it('has the same words as data', () => {
    const odd = writeRuns([{ text: '12' }, { text: noteMark('1'), raw: true }]) + formulaSpan('x', true);
    for (const one of [content, odd, 'a*b*', '']) {
      const { text } = JSON.parse(jsonLineOf(paragraphBlock(one), { block: 1 }, 'x.docx'));
      expect(wordsOfData(text)).toBe(plainText(one).replace('$$x$$', '$x$'));
    }
  });

  it('keeps its spans when words of it are replaced', () => {
    const bare = bareText(content);
    expect(bare.startsWith('Total 3*4*5 ')).toBe(true);
    expect(respanned(bare, content)).toBe(content);
    expect(inlineMarkdown(respanned(bare.replace('Total', 'XXXXX'), content))).toMatch(/^\*\*XXXXX\*\* 3/);
  });

  it('is cut into lines with its spans in each', () => {
    const [bold, link] = splitInline(
      writeRuns([
        { text: 'one\n', bold: true },
        { text: 'two', bold: true },
        { text: '\n' },
        { text: imageMark('', 'a.png'), raw: true },
      ]),
    ).map(inlineMarkdown);
    expect([bold, link]).toEqual(['**one**', '**two**']);
    const note = markdownOf(noteBlock('1', [writeRuns([{ text: 'a\n# b', italic: true }]), '# c']));
    expect(note).toBe('[^1]: *a*\n    *# b*\n    \\# c\n');
    expect(splitInline(imageMark('', 'a.png'))).toHaveLength(1);
    expect(splitInline(`x\n${imageMark('', 'a.png')}`).map(inlineMarkdown)).toEqual(['x', '![](a.png)']);
  });

  it('has no code, table or heading of Markdown in the lines of a cell', () => {
    const written = (block: Parameters<typeof linesOf>[0]): string[] => linesOf(block).map(inlineMarkdown);
    expect(written(quoteBlock([codeBlock('a*b*\n`c`')]))).toEqual(['> ```', '> a*b*', '> `c`', '> ```']);
    expect(written(tableBlock([['a|b', 'c\nd']]))[0]).toBe('| a|b | c d |');
    expect(written(headingBlock(1, 'C #'))).toEqual(['# C #']);
  });

  it('never gives a meaning to text before or after a span', () => {
    const link = { text: 'l', href: 'u' };
    expect(markdownRuns([{ text: 'wow!' }, link])).toBe('wow\\![l](u)');
    expect(markdownRuns([{ text: 'C:\\' }, { text: 'x', bold: true }])).toBe('C:\\\\**x**');
    expect(markdownRuns([{ text: '[' }, { text: 'x', bold: true }, { text: '](javascript:x)' }])).toBe(
      '[**x**\\](javascript:x)',
    );
    expect(inlineMarkdown(formulaSpan('a$ b'))).toBe('$a\\$ b$');
    expect(inlineMarkdown(formulaSpan('a') + formulaSpan('b'))).toBe('$a$ $b$');
  });

  it('finds a secret that a mark of style parts', () => {
    const parted = writeRuns([{ text: 'key: ab' }, { text: 'cd', bold: true }, { text: 'ef' }]);
    expect(bareText(parted)).toBe('key: abcdef');
    expect(inlineMarkdown(respanned('key: XXXXXX', parted))).toBe('key: XX**XX**XX');
  });

  it('takes linear time on many formulas', () => {
    const many = writeRuns(
      Array.from({ length: 100_000 }, (_, at) =>
        at % 2 === 0 ? { text: formulaSpan('x'), raw: true } : { text: ' t ' },
      ),
    );
    expect(inlineMarkdown(many)).toHaveLength(300_000);
  });

  it('stays safe if a text brings marks of spans of its own', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('\u000e', '\u000f', '\u0010', 'l', 'p', 'b', 'javascript:x', ' a ')),
        (pieces) => {
          const hostile = pieces.join('');
          expect(inlineMarkdown(hostile)).not.toMatch(/\]\(javascript/);
          expect(() => [plainText(hostile), targetsIn(hostile), titleOf(hostile)]).not.toThrow();
        },
      ),
    );
    expect(cleanText('a\u000eb\u000fc')).toBe('abc');
  });

  it('takes linear time on spans in spans', () => {
    const deep = `${'\u000eb'.repeat(200_000)}a${'\u000f'.repeat(200_000)}`;
    expect(plainText(deep)).toBe('a');
    expect(inlineMarkdown(deep)).toHaveLength(800_001);
    expect(inlineMarkdown('\u000eljavascript:x\u0010a\u000f')).toBe('a');
  });
});
