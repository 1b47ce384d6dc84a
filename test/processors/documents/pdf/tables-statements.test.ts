import { describe, expect, test } from 'vitest';
import { learnProfile } from '../../../../processors/documents/pdf/layout/profile.ts';
import { namelessTable, tailOf, underNames } from '../../../../processors/documents/pdf/tables/continued.ts';
import { findTables } from '../../../../processors/documents/pdf/tables/find-tables.ts';
import { tableBlock } from '../../../../processors/documents/pdf/tables/table-block.ts';
import { markdownOf } from '../../../../src/document/index.ts';
import { inkOf } from './layout-ink.ts';
import { across, band, columns, down, lines, pipes, typed, written } from './tables-ink.ts';

/** A text that ends at `right`; a letter is half as wide as high. */
const ending = (text: string, right: number, y: number) =>
  typed(text, right - text.split(' ').reduce((sum, word) => sum + word.length * 5 + 3, -3), y);

/** Rows of a label and numbers that end at `rights`. */
const statement = (rows: readonly (readonly string[])[], rights: readonly number[], y: number, step = 14) =>
  rows.flatMap(([label = '', ...numbers], index) => [
    ...typed(label, 60, y + index * step),
    ...numbers.flatMap((number, column) =>
      number === '' ? [] : ending(number, rights[column] ?? 0, y + index * step),
    ),
  ]);

const INCOME = [
  ['', '2023', '2022'],
  ['Net sales of the harbour', '8,120', '7,904'],
  ['Cost of sales', '5,002', '4,871'],
  ['Gross profit', '3,118', '3,033'],
  ['Wages', '1,040', '(998)'],
  ['Rents', '210', '—'],
  ['Profit of the year', '1,868', '1,837'],
];

describe('a row of a statement', () => {
  test.each([
    ['under the numbers only', [118, 146, 188].flatMap((y) => [across(y, 240, 300), across(y, 320, 380)])],
    ['under sums only', [146, 202].flatMap((y) => [across(y, 240, 300), across(y, 320, 380)])],
    ['joined under the numbers', [118, 146, 202].map((y) => across(y, 240, 380))],
    ['nowhere', []],
  ])('has its label and its values with rules %s', (_, rules) => {
    expect(written(inkOf(statement(INCOME, [300, 380], 112), { rules }))).toEqual([pipes(INCOME)]);
  });

  test('has each value in a cell of its own, where labels of sums cross the white between them', () => {
    const items = [
      ['Bolts', '12', 'kg', '7.50', '90.00'],
      ['Paint', '3', 'l', '12.00', '36.00'],
      ['Pipe', '25', 'm', '4.10', '102.50'],
      ['Gloves', '6', 'pcs', '2.05', '12.30'],
      ['Cable', '40', 'm', '1.15', '46.00'],
    ];
    const xs = [60, 200, 240, 270, 320];
    const glyphs = [
      ...columns([['Item', 'Qty', 'Unit', 'Price', 'Amount'], ...items], xs, 112),
      ...typed('Subtotal', 250, 196),
      ...typed('286.80', 320, 196),
      ...typed('Total due', 248, 210),
      ...typed('344.16', 320, 210),
    ];
    const [block = ''] = written(inkOf(glyphs));
    for (const row of items) expect(block).toContain(`| ${row.join(' | ')} |`);
  });

  test('has its values apart though they stand close, in a grid that rules one column for both', () => {
    const rows = ['1,087,948 1,022,490', '987,115 954,020', '802,331 799,114', '95,240 90,118'];
    const labels = ['North', 'South', 'East', 'West'];
    const glyphs = rows.flatMap((row, index) => {
      const y = 112 + 16 * index;
      const [first = '', second = ''] = row.split(' ');
      return [...typed(labels[index] ?? '', 64, y), ...ending(first, 240, y), ...ending(second, 290, y)];
    });
    const xs = [60, 190, 300];
    const rules = [
      ...[100, 116, 132, 148, 164].map((y) => across(y, 60, 300)),
      ...xs.map((x) => down(x, 100, 164)),
    ];
    const [block = ''] = written(inkOf(glyphs, { rules }));
    rows.forEach((row, index) => {
      expect(block).toContain(`| ${labels[index]} | ${row.replace(' ', ' | ')} |`);
    });
  });

  test('keeps a currency sign that follows its number', () => {
    const rows = ['12.599 13.004', '172.520 (2.967)', '5.024 8.873', '715.958 346.060', '88.120 90.330'];
    const glyphs = rows.flatMap((row, index) => {
      const y = 112 + 14 * index;
      const [first = '', second = ''] = row.split(' ');
      const signed = index % 2 === 0;
      return [
        ...typed(`Posten ${'ABCDE'[index]}`, 60, y),
        ...ending(signed ? `${first} €` : first, 240, y),
        ...ending(signed ? `${second} €` : second, 300, y),
      ];
    });
    const [block = ''] = written(inkOf(glyphs));
    expect(block).toContain('12.599 € | 13.004 € |');
    expect(block).toContain('172.520 | (2.967) |');
  });

  test('is whole when its label is wrapped onto many lines, its values on the first or the last', () => {
    const label = [
      'Changes in assets and',
      'liabilities, net of the',
      'effects of purchases',
      'and of sales',
    ];
    const last = [
      ...statement(
        [
          ['Post', '2023', '2022'],
          ['Fees', '120', '130'],
          ['Rents', '80', '85'],
        ],
        [300, 380],
        112,
      ),
      ...lines(label, 60, 154),
      ...ending('41', 300, 190),
      ...ending('39', 380, 190),
      ...statement(
        [
          ['Wages', '90', '95'],
          ['Interest', '12', '11'],
        ],
        [300, 380],
        204,
      ),
    ];
    const first = [
      ...statement(
        [
          ['Post', '2023', '2022'],
          ['Fees', '120', '130'],
          ['Rents', '80', '85'],
        ],
        [300, 380],
        112,
      ),
      ...lines(label, 60, 154),
      ...ending('41', 300, 154),
      ...ending('39', 380, 154),
      ...statement(
        [
          ['Wages', '90', '95'],
          ['Interest', '12', '11'],
        ],
        [300, 380],
        204,
      ),
    ];
    for (const glyphs of [last, first])
      expect(written(inkOf(glyphs))).toEqual([
        pipes([
          ['Post', '2023', '2022'],
          ['Fees', '120', '130'],
          ['Rents', '80', '85'],
          [label.join(' '), '41', '39'],
          ['Wages', '90', '95'],
          ['Interest', '12', '11'],
        ]),
      ]);
  });

  test('is a row in a grid that rules only the columns, interrupted where a heading spans', () => {
    const rows = [
      ['Post', '2023', '2022'],
      ['Income', '', ''],
      ['Fees', '120 €', '130 €'],
      ['Rents', '80 €', '– €'],
      ['Costs', '', ''],
      ['Wages', '90 €', '95 €'],
      ['Power', '12 €', '11 €'],
    ];
    const edges = [100, 116, 130, 158, 172, 200];
    const rules = [
      ...[100, 116, 200].map((y) => across(y, 55, 390)),
      ...[55, 390].map((x) => down(x, 100, 200)),
      ...[220, 310].flatMap((x) => [
        down(x, edges[0] ?? 0, edges[1] ?? 0),
        down(x, edges[2] ?? 0, edges[3] ?? 0),
        down(x, edges[4] ?? 0, edges[5] ?? 0),
      ]),
    ];
    expect(written(inkOf(statement(rows, [300, 380], 112), { rules }))).toEqual([pipes(rows)]);
  });
});

describe('names above the columns', () => {
  test('are those above the heading of the first group of rows', () => {
    const rows = [
      ['Post', '2023', '2022'],
      ['Income of the harbour', '', ''],
      ['Fees', '120', '130'],
      ['Rents', '80', '85'],
      ['Wages', '90', '95'],
    ];
    const rules = [116, 130, 144, 158, 172].map((y) => across(y, 55, 390));
    expect(written(inkOf(statement(rows, [300, 380], 112), { rules }))).toEqual([pipes(rows)]);
  });

  test('are put above the part of a table on the next page', () => {
    const head = INCOME.slice(0, 1);
    const before = inkOf(statement(INCOME, [300, 380], 112), { page: 1 });
    const after = inkOf(statement(INCOME.slice(1), [300, 380], 60), { page: 2 });
    const tail = tailOf(findTables(before), before);
    const table = namelessTable(findTables(after), after);
    expect(tail).toBeDefined();
    expect(table).toBeDefined();
    const joined = tail && table && underNames(table, tail);
    expect(joined && markdownOf(tableBlock(joined, { ...after, profile: learnProfile([after]) }))).toBe(
      pipes([...head, ...INCOME.slice(1)]),
    );
  });

  test('are not those of a table that ends before the page does, or has other columns', () => {
    const before = inkOf([
      ...statement(INCOME, [300, 380], 112),
      ...lines(['The harbour was dredged.', 'It was deep.', 'Ships came.', 'They went.'], 60, 300),
    ]);
    expect(tailOf(findTables(before), before)).toBeUndefined();
    const full = inkOf(statement(INCOME, [300, 380], 112));
    const other = inkOf(
      statement(
        INCOME.slice(1).map((row) => [...row, '7']),
        [250, 320, 380],
        60,
      ),
    );
    const tail = tailOf(findTables(full), full);
    const table = namelessTable(findTables(other), other);
    expect(tail && table && underNames(table, tail)).toBeUndefined();
  });
});

test('a register with long text is a table, its rows whole', () => {
  const text = ['Survey of the bank between', 'the weir and the old bridge', 'with samples of the soil'];
  const numbers = ['1.1', '1.2', '2.1', '2.2', '3.1'];
  const glyphs = [
    ...columns([['No.', 'Measure', 'Description', 'Office', 'Due']], [60, 90, 180, 330, 400], 100),
    ...numbers.flatMap((number, index) => [
      ...columns(
        [[number, 'Bank of the canal', '', 'Works', `${index + 1}/2024`]],
        [60, 90, 180, 330, 400],
        120 + 44 * index,
      ),
      ...lines(text, 180, 120 + 44 * index, 12),
    ]),
  ];
  expect(written(inkOf(glyphs))).toEqual([
    pipes([
      ['No.', 'Measure', 'Description', 'Office', 'Due'],
      ...numbers.map((number, index) => [
        number,
        'Bank of the canal',
        text.join(' '),
        'Works',
        `${index + 1}/2024`,
      ]),
    ]),
  ]);
});

test('a shaded row of many lines is a row among others', () => {
  const rows = [
    ['Post', '2023', '2022'],
    ['Fees', '120', '130'],
    ['Rents', '80', '85'],
  ];
  const label = ['Changes in assets', 'and liabilities, net', 'of the effects of', 'all purchases'];
  const glyphs = [
    ...statement(rows, [300, 380], 112),
    ...lines(label, 60, 154),
    ...ending('41', 300, 154),
    ...ending('39', 380, 154),
    ...statement([['Wages', '90', '95']], [300, 380], 204),
  ];
  const fills = [band(55, 118, 390, 130), band(55, 145, 390, 194)];
  expect(written(inkOf(glyphs, { fills }))).toEqual([
    pipes([...rows, [label.join(' '), '41', '39'], ['Wages', '90', '95']]),
  ]);
});
