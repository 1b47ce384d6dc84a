import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findTables } from '../../../../processors/documents/pdf/tables/find-tables.ts';
import { draws } from '../../../support/draws.ts';
import { inkOf } from './layout-ink.ts';
import { across, columns, down, lattice, lines, pipes, typed, written } from './tables-ink.ts';

const XS = [50, 150, 250, 350];
const TEXTS = [55, 155, 255];

describe('grids', () => {
  test('a grid drawn cell by cell is one table, empty cells in their places', () => {
    const rows = [
      ['Sluice', 'Gates', 'Built'],
      ['Upper', '2', '1871'],
      ['Lower', '', '1902'],
      ['Side', '1', ''],
    ];
    const ink = inkOf(columns(rows, TEXTS, 113, 20), { rules: lattice(XS, [100, 120, 140, 160, 180]) });
    expect(written(ink)).toEqual([pipes(rows)]);
    const [table] = findTables(ink);
    expect(table).toMatchObject({ kind: 'ruled', columns: 3, headerRows: 1 });
    expect(table?.glyphs.size).toBe(ink.glyphs.length);
  });

  test('cells without a rule between them are one cell, its text in the first', () => {
    const rules = lattice(XS, [100, 120, 140, 160, 180]).filter(
      (rule) =>
        !(!rule.horizontal && rule.at === 250 && rule.from === 100) &&
        !(rule.horizontal && rule.from === 50 && (rule.at === 120 || rule.at === 160)),
    );
    const glyphs = [
      ...columns(
        [
          ['', 'Water, m', ''],
          ['', 'Low', 'High'],
        ],
        TEXTS,
        113,
        20,
      ),
      ...columns(
        [
          ['', '1', '4'],
          ['', '2', '5'],
        ],
        TEXTS,
        153,
        20,
      ),
      ...typed('Gauge', 55, 113),
      ...typed('Weir', 55, 153),
    ];
    expect(written(inkOf(glyphs, { rules }))).toEqual([
      pipes([
        ['Gauge', 'Water, m', ''],
        ['', 'Low', 'High'],
        ['Weir', '1', '4'],
        ['', '2', '5'],
      ]),
    ]);
    const [table] = findTables(inkOf(glyphs, { rules }));
    expect(table?.rows[0]?.map((cell) => [cell.rowSpan, cell.colSpan])).toEqual([
      [2, 1],
      [1, 2],
    ]);
    expect(table?.rows[2]?.[0]).toMatchObject({ rowSpan: 2, colSpan: 1 });
  });

  test('lines of one cell are one text, a word broken at their end put together, bars escaped', () => {
    const glyphs = [
      ...columns([['Name', 'Note']], TEXTS, 112, 20),
      ...lines(['a long bro-', 'ken word'], 155, 130),
      ...typed('a|b', 55, 130),
    ];
    const ink = inkOf(glyphs, { rules: lattice([50, 150, 250], [100, 118, 148]) });
    expect(written(ink)).toEqual([
      pipes([
        ['Name', 'Note'],
        ['a\\|b', 'a long broken word'],
      ]),
    ]);
  });

  test('values of a chart in boxes, each in a column of its own, are no table', () => {
    const values = [
      ['', '', '78'],
      ['', '66', ''],
      ['61', '', ''],
    ];
    const ink = inkOf(columns(values, TEXTS, 113, 20), { rules: lattice(XS, [100, 120, 140, 160]) });
    expect(written(ink)).toEqual([]);
  });

  test('two grids under each other are two tables', () => {
    const rows = [
      ['A', 'B', 'C'],
      ['1', '2', '3'],
    ];
    const glyphs = [...columns(rows, TEXTS, 113, 20), ...columns(rows, TEXTS, 213, 20)];
    const rules = [...lattice(XS, [100, 120, 140]), ...lattice(XS, [200, 220, 240])];
    expect(written(inkOf(glyphs, { rules }))).toEqual([pipes(rows), pipes(rows)]);
  });

  test('rows that only columns rule are taken apart at their figures', () => {
    const rows = [
      ['Year', 'Ships', 'Tons'],
      ['1990', '12', '300'],
      ['1991', '14', '420'],
      ['1992', '9', '210'],
    ];
    const ink = inkOf(columns(rows, TEXTS, 113, 14), { rules: lattice(XS, [100, 118, 165]) });
    expect(written(ink)).toEqual([pipes(rows)]);
  });

  test('columns that only the header rules are found again in the rows below', () => {
    const rows = [
      ['Port', 'In', 'Out'],
      ['Emden', '12', '31'],
      ['Leer', '4', '8'],
      ['Papenburg', '7', '9'],
    ];
    const rules = [
      ...[100, 120, 140, 160, 180].map((y) => across(y, 50, 350)),
      ...XS.slice(1, 3).map((x) => down(x, 100, 120)),
    ];
    expect(written(inkOf(columns(rows, TEXTS, 113, 20), { rules }))).toEqual([pipes(rows)]);
  });

  test('figures set high stay apart from the number they stand at', () => {
    const glyphs = [
      ...columns(
        [
          ['Place', 'Level'],
          ['Weir', '30.8'],
        ],
        [55, 155],
        113,
        20,
      ),
      ...typed('1', 175, 129, { size: 6 }),
    ];
    const ink = inkOf(glyphs, { rules: lattice([50, 150, 250], [100, 120, 140]) });
    expect(written(ink)).toEqual([
      pipes([
        ['Place', 'Level'],
        ['Weir', '30.8¹'],
      ]),
    ]);
  });

  test('a table printed sideways reads as one printed upright', () => {
    const rows = [
      ['Lock', 'Length of chamber', 'Width of chamber'],
      ['Oldersum', 'one hundred metres', 'eleven metres'],
      ['Borssum', 'sixty-five metres', 'eight metres'],
      ['Kesselschleuse', 'thirty-three metres', 'nine metres'],
    ];
    const glyphs = rows.flatMap((row, index) =>
      row.flatMap((text, column) => typed(text, 500 - index * 20, 55 + column * 120, { angle: 90 })),
    );
    const rules = [
      ...[515, 495, 475, 455, 435].map((x) => down(x, 50, 410)),
      ...[50, 170, 290, 410].map((y) => across(y, 435, 515)),
    ];
    const ink = inkOf(glyphs, { rules });
    expect(written(ink)).toEqual([pipes(rows)]);
    const [table] = findTables(ink);
    expect(table?.box).toEqual({ left: 435, right: 515, top: 50, bottom: 410 });
    expect([...(table?.glyphs ?? [])].every((glyph) => ink.glyphs.includes(glyph))).toBe(true);
  });
});

describe('what is no table', () => {
  const prose = lines(
    Array.from({ length: 8 }, () => 'the water of the canal stands higher than that of the river'),
    60,
    115,
  );
  const bars = [120, 170, 220, 270].flatMap((x, index) => [
    down(x, 400 - 40 * index, 500),
    down(x + 20, 400 - 40 * index, 500),
    across(400 - 40 * index, x, x + 20),
  ]);
  test.each([
    ['a frame around text', inkOf(prose, { rules: lattice([50, 400], [100, 215]) })],
    [
      'a frame of one row',
      inkOf(columns([['Left', 'Right']], [60, 210], 113), { rules: lattice([50, 200, 350], [100, 130]) }),
    ],
    ['a border around the page', inkOf(prose, { rules: lattice([2, 300, 593], [2, 400, 840]) })],
    ['a grid without text', inkOf([], { rules: lattice([50, 100, 150, 200], [100, 150, 200]) })],
    [
      'a chart',
      inkOf(
        [
          ...[100, 150, 200, 250, 300, 350, 400, 450].flatMap((y, index) =>
            typed(String(index * 10), 80, y + 3),
          ),
          ...typed('spring', 122, 515),
          ...typed('neap', 222, 515),
        ],
        {
          rules: [
            ...[100, 150, 200, 250, 300, 350, 400, 450, 500].map((y) => across(y, 100, 400)),
            down(100, 100, 500),
            ...bars,
          ],
        },
      ),
    ],
  ])('is left as lines: %s', (_, ink) => {
    expect(findTables(ink)).toEqual([]);
  });
});

test('whatever lies on a page, tables end soon and hold each glyph at most once', () => {
  const at = fc.double({ min: -50, max: 900, noNaN: true });
  const rule = fc
    .tuple(fc.boolean(), at, at, fc.double({ min: 0, max: 400, noNaN: true }))
    .map(([horizontal, place, from, length]) => ({
      horizontal,
      at: place,
      from,
      to: from + length,
      thickness: 1,
    }));
  const glyph = fc
    .tuple(
      fc.constantFrom('a', '1', '.', ' ', '|', '中'),
      at,
      at,
      fc.constantFrom(0, 90, -90, -45),
      fc.double({ min: 0, max: 30, noNaN: true }),
    )
    .map(([text, x, y, angle, size]) => ({ ...typedOne(text, x, y), angle, size }));
  fc.assert(
    fc.property(fc.array(glyph, { maxLength: 120 }), fc.array(rule, { maxLength: 60 }), (glyphs, rules) => {
      const seen = new Set();
      for (const table of findTables(inkOf(glyphs, { rules })))
        for (const each of table.glyphs) {
          expect(seen.has(each)).toBe(false);
          expect(glyphs).toContain(each);
          seen.add(each);
        }
    }),
    { numRuns: draws(60) },
  );
});

function typedOne(text: string, x: number, y: number) {
  return { text, x, y, width: 5, size: 10, font: 0, angle: 0, color: 0, mcid: -1, artifact: false };
}
