import { describe, expect, test } from 'vitest';
import { formatNumber } from '../../../processors/documents/docx/number-format.ts';
import { list, p, r, word } from './word-file.ts';

const level = (ilvl: number, format: string, text: string, more = ''): string =>
  `<w:lvl w:ilvl="${ilvl}"><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/>${more}</w:lvl>`;
const abstract = (id: number, inside: string): string =>
  `<w:abstractNum w:abstractNumId="${id}">${inside}</w:abstractNum>`;
const num = (id: number, abstractId: number, inside = ''): string =>
  `<w:num w:numId="${id}"><w:abstractNumId w:val="${abstractId}"/>${inside}</w:num>`;
const start = (ilvl: number, at: number): string =>
  `<w:lvlOverride w:ilvl="${ilvl}"><w:startOverride w:val="${at}"/></w:lvlOverride>`;

const NUMBERING =
  abstract(0, level(0, 'decimal', '%1.') + level(1, 'lowerLetter', '%2)') + level(2, 'lowerRoman', '(%3)')) +
  abstract(1, level(0, 'bullet', '\uf0b7') + level(1, 'bullet', 'o')) +
  abstract(
    2,
    level(0, 'decimal', '%1', '<w:start w:val="3"/>') +
      level(1, 'decimal', '%1.%2') +
      level(2, 'upperRoman', '%1.%2.%3', '<w:isLgl/>'),
  ) +
  abstract(3, level(0, 'decimal', '%1.') + level(1, 'decimal', '%1.%2.', '<w:lvlRestart w:val="0"/>')) +
  abstract(4, '<w:numStyleLink w:val="Linked"/>') +
  abstract(5, '<w:numStyleLink w:val="Circle"/>') +
  abstract(6, level(0, 'decimal', '%1.') + level(1, 'decimal', '%1.%2', '<w:pStyle w:val="L2"/>')) +
  num(9, 6) +
  num(1, 0) +
  num(2, 1) +
  num(3, 2) +
  num(4, 0, start(0, 7)) +
  num(5, 3) +
  num(6, 4) +
  num(7, 5) +
  num(8, 0, `<w:lvlOverride w:ilvl="0">${level(0, 'upperLetter', 'Part %1')}</w:lvlOverride>`);
const STYLES =
  '<w:style w:type="paragraph" w:styleId="L1"><w:name w:val="L1"/><w:pPr><w:numPr><w:numId w:val="9"/></w:numPr></w:pPr></w:style>' +
  '<w:style w:type="paragraph" w:styleId="L2"><w:name w:val="L2"/><w:basedOn w:val="L1"/></w:style>' +
  '<w:style w:type="numbering" w:styleId="Linked"><w:name w:val="Linked"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>' +
  '<w:style w:type="numbering" w:styleId="Circle"><w:name w:val="Circle"/><w:pPr><w:numPr><w:numId w:val="7"/></w:numPr></w:pPr></w:style>' +
  '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>' +
  '<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/><w:basedOn w:val="H1"/><w:pPr><w:outlineLvl w:val="1"/><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr></w:style>' +
  '<w:style w:type="paragraph" w:styleId="LB2"><w:name w:val="List Bullet 2"/></w:style>' +
  '<w:style w:type="paragraph" w:styleId="LN"><w:name w:val="List Number"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>' +
  '<w:style w:type="paragraph" w:styleId="LN2"><w:name w:val="List Number 2"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>';
const items = (...pairs: readonly (readonly [numId: number, level: number])[]): string =>
  pairs.map(([numId, ilvl]) => p('x', list(numId, ilvl))).join('');

describe('lists', () => {
  test.each<readonly [string, string, string]>([
    [
      'numbers and letters',
      items([1, 0], [1, 1], [1, 1], [1, 2], [1, 0]),
      '1. x\n   - a) x\n   - b) x\n     - (i) x\n2. x\n',
    ],
    [
      'styles of deeper levels, each with a list of its own',
      ['LN', 'LN2', 'LN2', 'LN'].map((id) => p('x', `<w:pStyle w:val="${id}"/>`)).join(''),
      '1. x\n   3. x\n   4. x\n2. x\n',
    ],
    ['bullets', items([2, 0], [2, 1], [2, 0]), '- x\n  - x\n- x\n'],
    [
      'numbers of several levels',
      items([3, 0], [3, 1], [3, 1], [3, 2]),
      '3. x\n   - 3.1 x\n   - 3.2 x\n     - 3.2.1 x\n',
    ],
    ['a list that goes on after another', items([1, 0], [2, 0], [1, 0]), '1. x\n\n- x\n\n2. x\n'],
    ['a list that starts anew', items([1, 0], [4, 0], [4, 0], [1, 0]), '1. x\n\n7. x\n8. x\n\n9. x\n'],
    [
      'a level that never restarts',
      items([5, 0], [5, 1], [5, 0], [5, 1]),
      '1. x\n   - 1.1. x\n2. x\n   - 2.2. x\n',
    ],
    ['a numbering style', items([6, 0]), '1. x\n'],
    ['a numbering style in a circle', items([7, 0]), '- x\n'],
    ['a level of its own', items([8, 0], [8, 0]), '- Part A x\n- Part B x\n'],
    ['a list that is not there', items([99, 0]), 'x\n'],
    ['no list', p('x', list(0)), 'x\n'],
    ['an absurd level', p('x', list(1, 4_000_000)), '- x\n'],
    [
      'numbered headings',
      p('a', '<w:pStyle w:val="H1"/>') + p('b', '<w:pStyle w:val="H2"/>') + p('c', '<w:pStyle w:val="H2"/>'),
      '# 3 a\n\n## 3.1 b\n\n## 3.2 c\n',
    ],
    [
      'a level that belongs to a style',
      p('a', '<w:pStyle w:val="L1"/>') + p('b', '<w:pStyle w:val="L2"/>'),
      '1. a\n   - 1.1 b\n',
    ],
    ['empty items count', p(r(''), list(1)) + p('x', list(1)), '2. x\n'],
    [
      'a text box counts for itself',
      p(`${r('x')}<w:r><w:pict><w:txbxContent>${p('y', list(1))}</w:txbxContent></w:pict></w:r>`, list(1)),
      '2. x\n1. y\n',
    ],
    ['a list by its style alone', p('x', '<w:pStyle w:val="LB2"/>'), '- x\n'],
  ])('writes %s', async (_, body, expected) => {
    expect((await word({ body, numbering: NUMBERING, styles: STYLES })).text).toBe(expected);
  });

  test.each([
    [4, 'lowerRoman', 'iv'],
    [1994, 'upperRoman', 'MCMXCIV'],
    [5000, 'upperRoman', '5000'],
    [27, 'lowerLetter', 'aa'],
    [999_999, 'lowerLetter', '999999'],
    [0, 'upperLetter', '0'],
    [7, 'decimalZero', '07'],
    [22, 'ordinal', '22nd'],
    [112, 'ordinal', '112th'],
    [12, 'chineseCounting', '十二'],
    [105, 'chineseCountingThousand', '一百〇五'],
    [3, 'decimalEnclosedCircle', '③'],
    [2, 'russianLower', 'б'],
    [5, 'unheardOf', '5'],
  ])('%i as %s', (value, format, expected) => {
    expect(formatNumber(value, format)).toBe(expected);
  });
});

const cell = (text: string, properties = ''): string =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${text.startsWith('<') ? text : p(text)}</w:tc>`;
const row = (cells: string, properties = ''): string => `<w:tr><w:trPr>${properties}</w:trPr>${cells}</w:tr>`;
const table = (...rows: readonly string[]): string => `<w:tbl><w:tblPr/>${rows.join('')}</w:tbl>`;
const span = (columns: number): string => `<w:gridSpan w:val="${columns}"/>`;

describe('tables', () => {
  test.each<readonly [string, string, string]>([
    [
      'rows and cells',
      table(row(cell('a') + cell('b')), row(cell('c') + cell('d|e'))),
      '| a | b |\n| --- | --- |\n| c | d\\|e |\n',
    ],
    [
      'spans',
      table(row(cell('a', span(2)) + cell('b')), row(cell('c') + cell('d') + cell('e'))),
      '| a | a | b |\n| --- | --- | --- |\n| c | d | e |\n',
    ],
    [
      'cells merged downwards',
      table(
        row(cell('a') + cell('b')),
        row(cell('c', '<w:vMerge w:val="restart"/>') + cell('d')),
        row(cell('', '<w:vMerge/>') + cell('e')),
      ),
      '| a | b |\n| --- | --- |\n| c | d |\n| c | e |\n',
    ],
    [
      'rows that start late',
      table(row(cell('a') + cell('b')), row(cell('c'), '<w:gridBefore w:val="1"/>')),
      '| a | b |\n| --- | --- |\n|  | c |\n',
    ],
    [
      'several paragraphs in a cell',
      table(row(cell('a') + cell(p('b') + p('c')))),
      '| a | b<br>c |\n| --- | --- |\n',
    ],
    [
      'a table in a cell',
      table(row(cell('a') + cell(table(row(cell('b') + cell('c')), row(cell('d') + cell('e'))) + p('f')))),
      '| a | b / c<br>d / e<br>f |\n| --- | --- |\n',
    ],
    ['a frame of one cell', table(row(cell(p('a', '<w:outlineLvl w:val="0"/>') + p('b')))), '# a\n\nb\n'],
    [
      'a frame around tables',
      table(row(cell(table(row(cell('a') + cell('b')))) + cell('')), row(cell('c'))),
      '| a | b |\n| --- | --- |\n\nc\n',
    ],
    [
      'no emphasis in the header',
      table(row(cell(p(r('a', '<w:b/>')))), row(cell(p(r('b', '<w:b/>'))))),
      '| a |\n| --- |\n| **b** |\n',
    ],
    [
      'rows in content controls',
      table(`<w:sdt><w:sdtContent>${row(cell('a') + cell('b'))}</w:sdtContent></w:sdt>`),
      '| a | b |\n| --- | --- |\n',
    ],
    [
      'a deleted row',
      table(row(cell('a') + cell('b')), row(cell('c') + cell('d'), '<w:del/>')),
      '| a | b |\n| --- | --- |\n',
    ],
    [
      'absurd spans',
      table(row(cell('a', span(-3)) + cell('b', '<w:gridSpan w:val="x"/>'))),
      '| a | b |\n| --- | --- |\n',
    ],
  ])('writes %s', async (_, body, expected) => {
    expect((await word(body)).text).toBe(expected);
  });

  test('long text is not repeated in the cells it spans', async () => {
    const long = 'word '.repeat(30).trim();
    const { text } = await word(table(row(cell('a') + cell('b')), row(cell(long, span(2)))));
    expect(text).toBe(`| a | b |\n| --- | --- |\n| ${long} |  |\n`);
  });
});
