import { describe, expect, test } from 'vitest';
import type { Glyph } from '../../../../processors/documents/pdf/ink/ink.ts';
import { findTables } from '../../../../processors/documents/pdf/tables/find-tables.ts';
import { BOLD, inkOf, MONO, typed as typedWide } from './layout-ink.ts';
import { across, band, columns, down, lines, pipes, typed, written } from './tables-ink.ts';

const GAUGES = [
  ['Gauge', 'Low', 'High'],
  ['Upper lock', '1.20', '3.75'],
  ['Lower lock', '0.95', '3.10'],
  ['Weir', '1.05', '2.80'],
  ['Harbour', '2.10', '4.40'],
];
const XS = [60, 200, 300];
const PROSE = 'the water of the canal stands higher than that of the river and is let down by night';

describe('columns parted by white', () => {
  test.each([
    [
      'between rules',
      inkOf(columns(GAUGES, XS, 112), { rules: [100, 116, 174].map((y) => across(y, 55, 340)) }),
    ],
    ['under a shaded header', inkOf(columns(GAUGES, XS, 112), { fills: [band(55, 101, 340, 117)] })],
    ['by their figures alone', inkOf(columns(GAUGES, XS, 112))],
    [
      'right-aligned, under prose and over a note',
      inkOf([
        ...lines([PROSE, PROSE, PROSE], 60, 40),
        ...columns(GAUGES, XS, 112),
        ...typed('Note: levels above the sill, measured at noon by the keeper of the lock', 60, 186),
      ]),
    ],
    [
      'with leaders',
      inkOf([
        ...columns(GAUGES, XS, 112),
        ...[126, 140, 154, 168].flatMap((y) => typed('. . . . . . . . .', 115, y)),
      ]),
    ],
  ])('are found: %s', (_, ink) => {
    expect(written(ink)).toEqual([pipes(GAUGES)]);
    expect(findTables(ink)[0]?.kind).toBe('borderless');
  });

  test('short values with marks and units are values, and a name beside its values is their name', () => {
    const rows = [
      ['1', '*8 ml', '*6 ml', '0 ml'],
      ['2', '*12 ml', '0 ml', '*2 ml'],
      ['3', '*6 ml', '*6 ml', '*2 ml'],
    ];
    const names = ['Test tube', 'Water', 'Sugar', 'Yeast'];
    const glyphs = [
      ...columns([names], [85, 205, 305, 405], 112),
      ...columns(rows, [60, 200, 300, 400], 126),
    ];
    expect(written(inkOf(glyphs))).toEqual([pipes([names, ...rows])]);
  });

  test('cells centred on each other are one row, each with its lines', () => {
    const glyphs = [
      ...columns([['Lock', 'Levels', 'Keeper']], [60, 150, 300], 100),
      ...[116, 150, 184].flatMap((y) => [
        ...typed('Weir', 60, y + 6),
        ...lines(['high by day and', 'low by night'], 150, y),
        ...typed('Ada Pole', 300, y + 6),
      ]),
      ...columns([['Sluice', 'steady', 'Jon Reed']], [60, 150, 300], 218),
    ];
    expect(written(inkOf(glyphs))).toEqual([
      pipes([
        ['Lock', 'Levels', 'Keeper'],
        ...[1, 2, 3].map(() => ['Weir', 'high by day and low by night', 'Ada Pole']),
        ['Sluice', 'steady', 'Jon Reed'],
      ]),
    ]);
  });

  test('centred words do not wrap into empty cells below them', () => {
    const rows = ['1', '2', '3', '4'].map((number) => [
      number === '1' ? 'A1' : '',
      ...['B', 'C', 'D'].map((name) => name + number),
    ]);
    const glyphs = [
      ...columns([['Outer', 'Longer', 'Wider', 'Higher']], [60, 160, 262.5, 360], 112, 14, { font: BOLD }),
      ...columns(rows, [67.5, 170, 270, 370], 126),
    ];
    expect(written(inkOf(glyphs))).toEqual([pipes([['Outer', 'Longer', 'Wider', 'Higher'], ...rows])]);
  });

  test('a cell that begins anew below a wrapped one starts a row', () => {
    const rows = ['lock', 'weir', 'harbour'].map((name) => [name, `example.org/of/the/${name}-log`]);
    const glyphs = [
      ...columns([['Place', 'Address']], [60, 200], 112),
      ...rows.flatMap(([name = '', address = ''], index) => [
        ...columns([[name, address.slice(0, 19)]], [60, 200], 130 + 24 * index),
        ...typed(address.slice(19), 200, 142 + 24 * index),
      ]),
    ];
    const rules = [across(116, 55, 300)];
    expect(written(inkOf(glyphs, { rules }))).toEqual([pipes([['Place', 'Address'], ...rows])]);
  });

  test('labels in the middle of their lines name the row between two rules', () => {
    const text = 'the water of the canal stands higher than the river';
    const rows = [0, 1, 2].map((row) => [
      ...typed(`${row + 1}.1`, 60, 142 + 50 * row),
      ...lines([text, text, text, text], 100, 130 + 50 * row, 11),
      ...typed('high', 420, 142 + 50 * row),
    ]);
    const glyphs = [
      ...columns([['No', 'Rule', 'Level']], [60, 100, 420], 112, 14, { font: BOLD }),
      ...rows.flat(),
    ];
    const rules = [98, 117, 167, 217, 267].map((y) => across(y, 55, 450));
    const cell = [text, text, text, text].join(' ');
    expect(written(inkOf(glyphs, { rules }))).toEqual([
      pipes([['No', 'Rule', 'Level'], ...['1.1', '2.1', '3.1'].map((label) => [label, cell, 'high'])]),
    ]);
  });

  test('rules part rows with labels in the middle: two rows, and rows below the rest of one', () => {
    const long = ['water stands high', 'above the sill', 'in spring floods'];
    const row = (label: string, kind: string, y: number): Glyph[] => [
      ...lines(long, 280, y),
      ...typed(label, 60, y + 12),
      ...typed(kind, 200, y + 12),
    ];
    const head = columns([['Name', 'Kind', 'Meaning']], [60, 200, 280], 112, 14, { font: BOLD });
    const names = ['Name', 'Kind', 'Meaning'];
    const text = long.join(' ');
    const two = inkOf([...head, ...row('upper.level', 'metres', 130), ...row('lower.level', 'metres', 174)], {
      rules: [102, 118, 162, 206].map((y) => across(y, 55, 400)),
    });
    expect(written(two)).toEqual([
      pipes([names, ['upper.level', 'metres', text], ['lower.level', 'metres', text]]),
    ]);
    const glyphs = [...head, ...lines(['of the year', 'before'], 280, 130)];
    const labels = ['upper.level', 'lower.level', 'third.level'];
    for (const [index, label] of labels.entries()) glyphs.push(...row(label, 'metres', 162 + 44 * index));
    const rules = [102, 118, 150, 194, 238, 282].map((y) => across(y, 55, 400));
    expect(written(inkOf(glyphs, { rules }))).toEqual([
      pipes([names, ['', '', 'of the year before'], ...labels.map((label) => [label, 'metres', text])]),
    ]);
  });

  test('one row of long cells is a table between rules, under bold names', () => {
    const head = columns([['Name', 'Kind', 'Meaning']], [60, 140, 290], 112, 14, { font: BOLD });
    const prose = [
      'the water of the canal stands higher',
      'than the river and is let down later',
      'by night to the weir while a keeper',
      'of the lock reads the gauge at noon',
    ];
    const glyphs = [
      ...head,
      ...columns([['level', 'metres above the sill']], [60, 140], 130),
      ...lines(prose, 290, 130),
    ];
    const rules = [102, 118, 172].map((y) => across(y, 55, 480));
    expect(written(inkOf(glyphs, { rules }))).toEqual([
      pipes([
        ['Name', 'Kind', 'Meaning'],
        ['level', 'metres above the sill', prose.join(' ')],
      ]),
    ]);
  });

  test('cells keep their links, in one piece over a line end, beside punctuation', () => {
    const glyphs = [
      ...columns([['Name', 'Source', 'Kind']], [60, 200, 340], 112),
      ...columns([['level', '(gauge book', 'float']], [60, 200, 340], 130),
      ...typed('of the lock).', 200, 142),
    ];
    const url = 'https://harbour.org/gauges';
    const links = [
      { left: 205, top: 122, right: 262, bottom: 132, url },
      { left: 200, top: 134, right: 251, bottom: 144, url },
    ];
    const rules = [102, 118, 148].map((y) => across(y, 55, 400));
    expect(written(inkOf(glyphs, { rules, links }))).toEqual([
      pipes([
        ['Name', 'Source', 'Kind'],
        ['level', `([gauge book of the lock](${url})).`, 'float'],
      ]),
    ]);
  });

  test('labels need no name under a rule below the names of the other columns', () => {
    const cell = ['the water of', 'the canal is', 'higher than', 'by night'];
    const glyphs = columns([['', 'Gauge', 'Float', 'Weir']], [60, 130, 250, 370], 112);
    for (const [row, label] of ['Cost', 'Range', 'Upkeep'].entries()) {
      const y = 130 + 54 * row;
      glyphs.push(...typed(label, 60, y), ...[130, 250, 370].flatMap((x) => lines(cell, x, y)));
    }
    const text = cell.join(' ');
    expect(written(inkOf(glyphs, { rules: [across(118, 55, 480)] }))).toEqual([
      pipes([
        ['', 'Gauge', 'Float', 'Weir'],
        ...['Cost', 'Range', 'Upkeep'].map((label) => [label, text, text, text]),
      ]),
    ]);
  });

  test('boxes around signs are no axes', () => {
    const prose = [
      'the water of the canal stands',
      'higher than the river and is',
      'let down by night to the weir',
    ];
    const glyphs = columns([['Name', 'Sign', 'Meaning', 'Note']], [60, 150, 200, 390], 112, 14, {
      font: BOLD,
    });
    const rules = [102, 118];
    const boxes = [];
    for (let index = 0; index < 4; index += 1) {
      const y = 130 + 44 * index;
      glyphs.push(
        ...lines(prose, 200, y),
        ...typed(`level${index}`, 60, y + 12),
        ...typed('noon', 390, y + 12),
      );
      boxes.push(down(155, y + 4, y + 15), down(175, y + 4, y + 15));
      rules.push(y + 32);
    }
    const ink = inkOf(glyphs, { rules: [...rules.map((y) => across(y, 55, 560)), ...boxes] });
    expect(written(ink)).toEqual([
      pipes([
        ['Name', 'Sign', 'Meaning', 'Note'],
        ...[0, 1, 2, 3].map((index) => [`level${index}`, '', prose.join(' '), 'noon']),
      ]),
    ]);
  });

  test('cells keep the hyphens of names and addresses that are broken at them', () => {
    const glyphs = [
      ...columns([['Name', 'Address', 'Kind']], [60, 200, 340], 112, 14, { font: BOLD }),
      ...[0, 1, 2].flatMap((row) => [
        ...lines(['CIP-', 'made'], 60, 130 + 30 * row),
        ...lines([`https://a.org/open-`, 'water/sill'], 200, 130 + 30 * row),
        ...lines(['hand-', 'written'], 340, 130 + 30 * row),
      ]),
    ];
    const rules = [102, 118, 148, 178, 208].map((y) => across(y, 55, 400));
    const row = ['CIP-made', 'https://a.org/open-water/sill', 'handwritten'];
    expect(written(inkOf(glyphs, { rules }))).toEqual([pipes([['Name', 'Address', 'Kind'], row, row, row])]);
  });

  test('one row between three rules is a table, and one row alone is not', () => {
    const rows = [
      ['Sample', 'Source', 'Try it'],
      ['Quick start', 'on the server', 'in a browser'],
    ];
    const glyphs = columns(rows, [60, 200, 340], 112);
    const rules = [100, 116, 131].map((y) => across(y, 55, 450));
    expect(written(inkOf(glyphs, { rules }))).toEqual([pipes(rows)]);
    expect(written(inkOf(glyphs))).toEqual([]);
  });

  test('short cells with room beside them do not wrap', () => {
    const rows = [
      ['Lock', 'Built', 'Gates', 'Keeper'],
      ['A1', 'B1', 'C1', 'D1'],
      ['', 'B2', 'C2', ''],
      ['', 'B3', 'C3', ''],
    ];
    const xs = [60, 160, 260, 360];
    const glyphs = [
      ...columns(rows.slice(0, 1), xs, 112, 14, { font: BOLD }),
      ...columns(rows.slice(1), xs, 126),
    ];
    expect(written(inkOf(glyphs))).toEqual([pipes(rows)]);
  });

  test('wrapped cells side by side, with white between the rows, are no columns of prose', () => {
    const cells = ['The upper gates were painted by', 'The keeper of the lower lock was asked to'];
    const more = ['the men of the harbour office', 'let the water down before the frost'];
    const glyphs = Array.from({ length: 6 }, (_, row) => [
      ...columns([[...cells, 'Locks', `${row + 3}/2026`], more], [60, 240, 460, 520], 112 + 34 * row, 12),
    ]).flat();
    const rules = [across(100, 55, 570), across(310, 55, 570)];
    const [table] = findTables(inkOf(glyphs, { rules }));
    expect(table).toMatchObject({ columns: 4 });
  });

  test('leaders belong to the table, their dots to no cell', () => {
    const dots = typed('. . . . . . . . .', 115, 126);
    const [table] = findTables(inkOf([...columns(GAUGES, XS, 112), ...dots]));
    expect(dots.every((dot) => table?.glyphs.has(dot))).toBe(true);
  });

  test('a name over several columns stands in the first of them, on a row of its own', () => {
    const glyphs = [
      ...typed('Water level in metres', 200, 112),
      ...columns([['Gauge', 'Low', 'High'], ...GAUGES.slice(1)], XS, 126),
    ];
    const rules = [across(100, 55, 340), across(116, 195, 340), across(130, 55, 340), across(190, 55, 340)];
    expect(written(inkOf(glyphs, { rules }))).toEqual([
      pipes([['', 'Water level in metres', ''], ['Gauge', 'Low', 'High'], ...GAUGES.slice(1)]),
    ]);
  });

  test('names of columns too close to each other to stand out are found over their columns', () => {
    const rows = [
      ['', 'Emden Ost', 'Leer Sued', 'Norden'],
      ['1996', '3.7', '1.6', '1.7'],
      ['2000', '5.0', '3.9', '3.9'],
      ['2005', '1.5', '1.5', '1.6'],
      ['2006', '3.5', '2.0', '2.1'],
    ];
    const glyphs = [
      ...columns(rows.slice(0, 1), [60, 120, 172, 224], 98),
      ...columns(rows.slice(1), [60, 150, 202, 239], 112),
    ];
    expect(written(inkOf(glyphs))).toEqual([pipes(rows)]);
  });

  test('a label that is wrapped is one row with its values', () => {
    const rows = [
      ['Gauge', 'Low', 'High'],
      ['Upper lock at the old', '', ''],
      ['bridge', '1.20', '3.75'],
      ['Lower lock', '0.95', '3.10'],
      ['Weir', '1.05', '2.80'],
    ];
    expect(written(inkOf(columns(rows, XS, 112)))).toEqual([
      pipes([
        ['Gauge', 'Low', 'High'],
        ['Upper lock at the old bridge', '1.20', '3.75'],
        ['Lower lock', '0.95', '3.10'],
        ['Weir', '1.05', '2.80'],
      ]),
    ]);
  });

  test('a heading of a group of rows stays a row', () => {
    const rows = [
      ['Post', '1990', '1991'],
      ['Income', '', ''],
      ['Fees', '120', '130'],
      ['Rents', '80', '85'],
      ['Costs', '', ''],
      ['Wages', '90', '95'],
    ];
    expect(written(inkOf(columns(rows, XS, 112)))).toEqual([pipes(rows)]);
  });

  test('rows of a group are as far from their heading as from each other', () => {
    const lines: [string, number, string, string][] = [
      ['Gauge', 60, 'Low', 'High'],
      ['Income', 60, '', ''],
      ['Fees', 66, '120', '130'],
      ['Liabilities towards', 66, '', ''],
      ['Banks and Insurers', 71, '80', '85'],
      ['Rents', 66, '40', '42'],
      ['Payments received', 66, '', ''],
      ['Harbour Office', 71, '20', '25'],
      ['Wages of all keepers', 66, '90', '95'],
    ];
    const glyphs = lines.flatMap(([label, left, low, high], index) =>
      columns([[label, low, high]], [left, 200, 300], 100 + 12 * index),
    );
    const rows = lines.map(([label, , low, high]) => [label, low, high]);
    expect(written(inkOf(glyphs))).toEqual([pipes(rows)]);
  });

  test('headings of single rows stay rows where the labels are narrow', () => {
    const rows = [
      ['', '2023', '2022'],
      ['Assets', '', ''],
      ['Cash', '1,204', '1,101'],
      ['Liabilities', '', ''],
      ['Loans', '40', '50'],
      ['Equity', '', ''],
      ['Capital', '60', '70'],
      ['Reserves', '', ''],
      ['Legal', '4', '5'],
      ['Free', '1', '2'],
    ];
    const glyphs = rows.flatMap((row, index) =>
      columns([row], [row[1] === '' || index === 0 ? 60 : 66, 130, 190], 112 + 14 * index),
    );
    expect(written(inkOf(glyphs))).toEqual([pipes(rows)]);
  });

  test('a heading as wide as the table stays among its rows', () => {
    const rows = [
      ['', '1990', '1991'],
      ['Income of the harbour from fees and rents of boats', '', ''],
      ['Fees', '120', '130'],
      ['Rents', '80', '75'],
      ['Costs of the harbour for wages and repair of locks', '', ''],
      ['Wages', '90', '95'],
      ['Repair', '40', '35'],
    ];
    expect(written(inkOf(columns(rows, XS, 112)))).toEqual([pipes(rows)]);
  });

  test('whole numbers that rise beside other values do not make a table of contents', () => {
    const rows = [
      ['Item', 'Price', 'Count'],
      ['Nuts', '1.20', '4'],
      ['Bolts', '4.20', '6'],
      ['Screws', '3.10', '9'],
    ];
    expect(written(inkOf(columns(rows, XS, 112)))).toEqual([pipes(rows)]);
  });

  test('a currency sign is no column of its own', () => {
    const rows = GAUGES.slice(1).map(([name = '', low = '', high = '']) => [name, '$', low, '$', high]);
    const glyphs = [
      ...columns([['Gauge', '', 'Low', '', 'High']], [60, 180, 200, 280, 300], 112),
      ...columns(rows, [60, 180, 200, 280, 300], 126),
    ];
    expect(written(inkOf(glyphs))).toEqual([
      pipes([
        ['Gauge', 'Low', 'High'],
        ...GAUGES.slice(1).map(([name = '', low, high]) => [name, `$ ${low}`, `$ ${high}`]),
      ]),
    ]);
  });

  test('a share in parentheses stays with its number', () => {
    const rows = ['Sciences', 'Humanities', 'Languages', 'Law'].map((name) => [
      name,
      '38 (24.7%)',
      '672 (24.8%)',
    ]);
    const glyphs = [...columns([['Faculty', 'Sample', 'Population']], XS, 112), ...columns(rows, XS, 126)];
    expect(written(inkOf(glyphs))).toEqual([pipes([['Faculty', 'Sample', 'Population'], ...rows])]);
  });

  test('a sign far from its number joins it under a name between them', () => {
    const rows = ['Harbour', 'Old bridge', 'New bridge'].map((name, index) => [
      name,
      ...(index === 0 ? ['EUR', '535', 'EUR', '943'] : ['', '18', '', '203']),
    ]);
    const glyphs = [
      ...columns([['Amounts in EUR', '2017', '2016']], [60, 230, 350], 112),
      ...columns(rows, [60, 180, 280, 310, 400], 126),
    ];
    expect(written(inkOf(glyphs))).toEqual([
      pipes([
        ['Amounts in EUR', '2017', '2016'],
        ['Harbour', 'EUR 535', 'EUR 943'],
        ['Old bridge', '18', '203'],
        ['New bridge', '18', '203'],
      ]),
    ]);
  });

  test('a name beside its numbers is over them where most columns are words', () => {
    const rows = GAUGES.slice(1).map(([name = '', low = '']) => [name, 'north', 'metre', low]);
    const glyphs = [
      ...columns([['Gauge', 'Bank', 'Unit', 'Water level']], [60, 160, 260, 340], 112),
      ...columns(rows, [60, 160, 260, 440], 126),
    ];
    const rules = [100, 116, 174].map((y) => across(y, 55, 470));
    expect(written(inkOf(glyphs, { rules }))).toEqual([
      pipes([['Gauge', 'Bank', 'Unit', 'Water level'], ...rows]),
    ]);
  });

  test('the last cell keeps its wrapped lines where baselines are rounded to pixels', () => {
    const rows = GAUGES.slice(1).map(([name = '', low = '', high = '']) => [name, low, high]);
    const glyphs = [
      ...columns(GAUGES.slice(0, 1), XS, 100),
      ...rows.flatMap((row, index) => [
        ...columns([row], XS, 117 + 26 * index),
        ...typed('at the old bridge', 60, 117 + 26 * index + (index === rows.length - 1 ? 9.75 : 9)),
      ]),
    ];
    expect(written(inkOf(glyphs))).toEqual([
      pipes([
        ...GAUGES.slice(0, 1),
        ...rows.map(([name = '', ...values]) => [`${name} at the old bridge`, ...values]),
      ]),
    ]);
  });

  test('tables of one width with prose between them are two', () => {
    const glyphs = [
      ...columns(GAUGES, XS, 112),
      ...lines(
        [PROSE, PROSE, PROSE].map((line) => line.slice(0, 56)),
        60,
        200,
      ),
      ...columns(GAUGES, XS, 262),
    ];
    const rules = [100, 116, 174, 250, 266, 324].map((y) => across(y, 55, 340));
    expect(written(inkOf(glyphs, { rules }))).toEqual([pipes(GAUGES), pipes(GAUGES)]);
  });

  test('a line of text across unchanged columns does not split a table', () => {
    const glyphs = [
      ...columns(GAUGES, [60, 200, 500], 112),
      ...typed('The gauges of the old harbour by night', 60, 182),
      ...columns(GAUGES.slice(1), [60, 200, 500], 196),
    ];
    expect(findTables(inkOf(glyphs)).map((table) => table.columns)).toEqual([3]);
  });

  test('a rule under the names of columns makes a table of rows however high', () => {
    const tall = (y: number, name: string): Glyph[] => [
      ...typed(name, 60, y),
      ...typed('2', 400, y),
      ...lines(
        Array.from({ length: 15 }, (_, index) => `north gate ${index}`),
        150,
        y,
      ),
    ];
    const glyphs = [
      ...columns([['Gauge', 'Note', 'Year']], [60, 150, 400], 100),
      ...tall(116, 'A.1'),
      ...tall(300, 'A.2'),
      ...tall(484, 'A.3'),
    ];
    const [table] = findTables(inkOf(glyphs, { rules: [across(105, 55, 430)] }));
    expect(table).toMatchObject({ columns: 3, headerRows: 1 });
    expect(table?.rows.length).toBe(4);
  });

  test('a line in larger type ends a table', () => {
    const glyphs = [
      ...columns(GAUGES, XS, 100),
      ...typed('Weirs', 60, 176, { size: 14 }),
      ...columns(GAUGES.slice(1), XS, 200),
    ];
    expect(findTables(inkOf(glyphs)).map((table) => table.rows.length)).toEqual([5, 4]);
  });

  test('contents with numbers of chapters and sections are not a table', () => {
    const rows = [
      ['1', '', 'Of rivers', '3'],
      ['', '1.1', 'Of old rivers', '3'],
      ['', '1.2', 'Of new rivers', '4'],
      ['2', '', 'Of locks', '6'],
      ['', '2.1', 'Of lock keepers', '7'],
      ['', '2.2', 'Of gates', '9'],
    ];
    const glyphs = [...typed('Contents', 60, 70, { size: 16 }), ...columns(rows, [60, 90, 130, 500], 100)];
    expect(findTables(inkOf(glyphs))).toEqual([]);
  });

  test('names of columns that are repeated begin a table of their own, under a title that belongs to none', () => {
    const glyphs = [
      ...columns(GAUGES, [60, 200, 500], 112),
      ...typed('Harbour at night', 60, 182),
      ...columns(GAUGES, [60, 200, 500], 196),
    ];
    expect(findTables(inkOf(glyphs)).map((table) => table.rows.length)).toEqual([
      GAUGES.length,
      GAUGES.length,
    ]);
  });

  test('columns of a monospaced font are parted by two spaces', () => {
    const rows = [
      ['Gauge', 'Mean low level', 'Mean high level'],
      ['Lock at the old bridge', '1.20', '3.75'],
      ['Lock at the new bridge', '0.95', '3.10'],
      ['Lock in the city park', '0.90', '3.20'],
      ['Weir', '1.05', '2.80'],
      ['Port', '1.15', '2.90'],
    ];
    const glyphs = rows.flatMap(([name = '', low = '', high = ''], index) =>
      typedWide(`${name.padEnd(24)}${low.padEnd(16)}${high}`, 60, 100 + 14 * index, { font: MONO }),
    );
    expect(written(inkOf(glyphs))).toEqual([pipes(rows)]);
  });

  test('long names over the columns are not taken for columns of prose', () => {
    const at = [60, 190, 320, 450];
    const names = ['Levels of the old', 'gauges at the lock', 'as noted by hand'];
    const rows = GAUGES.slice(1).map(([, low = '', high = '']) => [low, high, low, high]);
    const glyphs = [
      ...columns(
        names.map((name) => at.map(() => name)),
        at,
        100,
        12,
      ),
      ...columns(rows, at, 140),
    ];
    expect(findTables(inkOf(glyphs)).map((table) => table.columns)).toEqual([4]);
  });

  test('labels under a shaded header as high as two rows of names keep their values', () => {
    const table = (y: number, step: number) => {
      const at = [60, 130, 180, ...[0, 1, 2, 3].map((column) => 230 + step * column)];
      const names = ['Upper lock', 'Lower lock', 'Weir', 'Harbour'];
      const rows = names.map((name) => [name, 'm', '25', '1.20', '3.75', '0.95', '3.10']);
      return [
        ...columns([['', '', '', 'North', '', 'South', '']], at, y),
        ...columns([['Gauge', 'Unit', 'Depth']], at, y + 7),
        ...columns([['', '', '', 'Low', 'High', 'Low', 'High']], at, y + 14),
        ...columns(rows, at, y + 28),
      ];
    };
    const head = (y: number, step: number) => [
      band(55, y - 11, 222, y + 18),
      band(222, y - 11, 260 + 3 * step, y + 4),
    ];
    const glyphs = [...table(112, 50), ...typed('Gauges of the old harbour', 60, 206), ...table(232, 65)];
    const tables = findTables(inkOf(glyphs, { fills: [...head(112, 50), ...head(232, 65)] }));
    expect(tables.map((found) => found.columns)).toEqual([7, 7]);
  });

  test('a table beside prose is found in its own column', () => {
    const glyphs = [
      ...lines(
        Array.from({ length: 14 }, () => 'let down by night and drawn up by day'),
        40,
        60,
        13,
      ),
      ...columns(GAUGES, [320, 440, 510], 92),
      ...lines(['the keeper notes them in a book', 'and reads them out to the town'], 320, 62, 13),
      ...lines(
        Array.from({ length: 5 }, () => 'the keeper notes them in a book'),
        320,
        172,
        13,
      ),
    ];
    expect(written(inkOf(glyphs))).toEqual([pipes(GAUGES)]);
  });
});

describe('what only looks like columns', () => {
  const left = Array.from({ length: 12 }, (_, index) => `the water stands high and row ${index}`);
  const right = Array.from({ length: 12 }, (_, index) => `is let down in year ${1900 + index} again`);
  const chapters = ['Of locks', 'Of weirs', 'Of sluices', 'Of gauges', 'Of tides'];
  test.each([
    ['prose in two columns', inkOf([...lines(left, 60, 60), ...lines(right, 320, 60)])],
    [
      'prose in two columns between rules',
      inkOf([...lines(left, 60, 60), ...lines(right, 320, 60)], {
        rules: [45, 210].map((y) => across(y, 55, 500)),
      }),
    ],
    [
      'a table of contents',
      inkOf([
        ...typed('Contents', 60, 80),
        ...chapters.flatMap((text, index) => [
          ...typed(`${text} ${'.'.repeat(40 - text.length)}`, 60, 110 + 14 * index),
          ...typed(String(3 + 12 * index), 400, 110 + 14 * index),
        ]),
      ]),
    ],
    [
      'a table of contents without dots',
      inkOf([
        ...typed('Table of contents', 60, 80),
        ...chapters.flatMap((text, index) => [
          ...typed(text, 60, 110 + 14 * index),
          ...typed(String(3 + 11 * index + index * index), 400, 110 + 14 * index),
        ]),
      ]),
    ],
    [
      'a table of contents between rules',
      inkOf(
        [
          ...typed('Contents', 60, 80),
          ...chapters.flatMap((text, index) => [
            ...typed(text, 60, 110 + 14 * index),
            ...typed(String(3 + 11 * index + index * index), 400, 110 + 14 * index),
          ]),
        ],
        { rules: chapters.map((_, index) => across(114 + 14 * index, 55, 420)) },
      ),
    ],
    [
      'a list with its marks set apart',
      inkOf(
        chapters.flatMap((text, index) => [
          ...typed(`${index + 1}.`, 60, 110 + 14 * index),
          ...typed(`${text} and what else belongs to them`, 90, 110 + 14 * index),
        ]),
      ),
    ],
    [
      'code',
      inkOf(
        columns(
          Array.from({ length: 6 }, (_, index) => [`let a${index}`, `= open(${index});`, '// why']),
          XS,
          100,
          12,
          { font: MONO },
        ),
      ),
    ],
    [
      'names and places side by side, with nothing that speaks for a table',
      inkOf(
        columns(
          [
            ['Anna Berg', 'Bernd Claas', 'Carla Dirks'],
            ['Emden', 'Leer', 'Aurich'],
            ['anna@b.example', 'bernd@c.example', 'carla@d.example'],
          ],
          [60, 220, 380],
          100,
        ),
      ),
    ],
    [
      'the axes of two charts side by side',
      inkOf(
        columns(
          ['400', '300', '200', '100', '0', '-100'].map((tick, index) => [
            tick,
            index === 1 ? 'Spread' : '',
            tick,
            index === 2 ? 'Yield' : '',
          ]),
          [60, 120, 300, 360],
          100,
        ),
      ),
    ],
    [
      'labels of a chart',
      inkOf(columns(GAUGES, XS, 112), { rules: [70, 90, 210, 230, 315].map((x) => down(x, 100, 180)) }),
    ],
  ])('is left as text: %s', (_, ink) => {
    expect(written(ink)).toEqual([]);
  });

  test('but words in three full columns are a table without anything else', () => {
    const rows = [
      ['Lock', 'Keeper', 'Town'],
      ['Upper lock', 'Berg', 'Emden'],
      ['Lower lock', 'Claas', 'Leer'],
      ['Side lock', 'Dirks', 'Aurich'],
    ];
    expect(written(inkOf(columns(rows, XS, 112)))).toEqual([pipes(rows)]);
  });

  test('but a caption makes a list of years a table', () => {
    const rows = [
      ['Year', 'Event', 'Town'],
      ...['Founding', 'Regatta', 'Jubilee', 'New roof'].map((event, index) => [
        `${2015 + index}`,
        event,
        'Leer',
      ]),
    ];
    const table = columns(rows, XS, 112);
    expect(written(inkOf([...typed('Table 1: Events', 60, 96), ...table]))).toEqual([pipes(rows)]);
  });

  test('but a bold header between rules makes words a table', () => {
    const rows = [
      ['Lock', 'Keeper', 'Town'],
      ['Upper', 'Berg', 'Emden'],
      ['Lower', 'Claas', 'Leer'],
      ['Side', 'Dirks', 'Aurich'],
    ];
    const glyphs = [
      ...columns(rows.slice(0, 1), XS, 112, 14, { font: BOLD }),
      ...columns(rows.slice(1), XS, 126),
    ];
    expect(written(inkOf(glyphs, { rules: [across(116, 55, 340)] }))).toEqual([pipes(rows)]);
  });
});

test.each([
  [
    'glyphs in a raster',
    inkOf(
      Array.from({ length: 30_000 }, (_, index) =>
        typed('1', (index % 100) * 12, Math.floor(index / 100) * 12),
      ).flat(),
      { width: 1200, height: 3600 },
    ),
  ],
  [
    'rules of many widths',
    inkOf(
      columns(
        Array.from({ length: 400 }, () => ['1', '2', '3']),
        XS,
        10,
        2,
      ),
      {
        rules: Array.from({ length: 2000 }, (_, index) =>
          across(index / 2, index % 50, 300 + 8 * (index % 50)),
        ),
      },
    ),
  ],
  [
    'lines across columns',
    inkOf(
      Array.from({ length: 1800 }, (_, index) =>
        index % 3 === 2
          ? typed('over the old harbour by night', 60, 40 + 2 * index, { size: 2 })
          : columns([['a', '1.5', '2.5']], [60, 66 + (index % 7), 90], 40 + 2 * index, 2, { size: 2 }),
      ).flat(),
      { height: 4000 },
    ),
  ],
])('a page full of %s ends', (_, ink) => {
  expect(Array.isArray(findTables(ink))).toBe(true);
});
