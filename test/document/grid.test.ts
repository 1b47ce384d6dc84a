// Tables of every format on one grid: spans, merges and repetitions as files state them, true or not.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { edgeAt, edgesOf, Grid, type GridCell, GridRoom } from '../../src/document/index.ts';

type Stated = Omit<GridCell, 'text'> & { readonly text: string };
type Row = readonly (string | Stated)[];

const cellsOf = (row: Row): GridCell[] =>
  row.map((cell) =>
    typeof cell === 'string' ? { text: () => cell } : { ...cell, text: (): string => cell.text },
  );

function gridOf(covered: 'stated' | 'implied', rows: readonly Row[], room?: GridRoom): Grid {
  const grid = new Grid(covered, room);
  for (const row of rows) grid.add(cellsOf(row));
  return grid;
}

const ALL = Number.POSITIVE_INFINITY;
const left: Stated = { joinsLeft: true, text: '' };
const above: Stated = { joinsAbove: true, rows: ALL, text: 'own' };

describe('a grid', () => {
  it.each<readonly [string, 'stated' | 'implied', readonly Row[], readonly (readonly string[])[]]>([
    [
      'fills the columns a cell spans',
      'stated',
      [
        [{ columns: 2, text: 'a' }, 'b'],
        ['c', 'd', 'e'],
      ],
      [
        ['a', 'a', 'b'],
        ['c', 'd', 'e'],
      ],
    ],
    [
      'fills the rows a cell spans where the file leaves them out',
      'implied',
      [[{ rows: 3, text: 'a' }, { rows: 2, columns: 2, text: 'b' }, 'c'], ['d'], ['e', 'f']],
      [
        ['a', 'b', 'b', 'c'],
        ['a', 'b', 'b', 'd'],
        ['a', 'e', 'f'],
      ],
    ],
    [
      'fills gaps before what reaches down',
      'implied',
      [['a', 'b', { rows: 2, text: 'c' }], ['d']],
      [
        ['a', 'b', 'c'],
        ['d', '', 'c'],
      ],
    ],
    [
      'joins cells to those above, as far as these extend',
      'stated',
      [
        ['x', { rows: ALL, text: 'a' }],
        ['y', above],
        ['z', 'b'],
        ['w', above],
      ],
      [
        ['x', 'a'],
        ['y', 'a'],
        ['z', 'b'],
        ['w', 'own'],
      ],
    ],
    [
      'prefers the cell above to the one on the left',
      'stated',
      [
        [{ rows: 2, text: 'a' }, left, 'b'],
        [{ ...left, joinsAbove: true }, { ...left, joinsAbove: true }, 'c'],
      ],
      [
        ['a', 'a', 'b'],
        ['a', 'a', 'c'],
      ],
    ],
    ['has nothing on the left of the first cell', 'stated', [[left, 'a']], [['', 'a']]],
    [
      'forgets what a shorter row ends',
      'stated',
      [['x', { rows: ALL, text: 'a' }], ['y'], ['z', above]],
      [['x', 'a'], ['y'], ['z', 'own']],
    ],
    [
      'starts cells at their column',
      'stated',
      [['a', 'b', 'c'], [{ column: 1, text: 'd' }]],
      [
        ['a', 'b', 'c'],
        ['', 'd'],
      ],
    ],
    [
      'repeats cells, but not empty ones at the end',
      'stated',
      [[{ times: 2, text: 'a' }, { times: 2, text: '' }, 'b', { times: 900, text: '' }]],
      [['a', 'a', '', '', 'b', '']],
    ],
    [
      'names a heading over all columns once',
      'stated',
      [
        [{ columns: 3, text: 'head' }],
        ['a', 'b', 'c'],
        ['part', left, left],
        [{ columns: 2, text: 'sum' }, 'd'],
      ],
      [
        ['head', '', ''],
        ['a', 'b', 'c'],
        ['part', '', ''],
        ['sum', 'sum', 'd'],
      ],
    ],
    [
      'has no columns that only headings span',
      'implied',
      [[{ columns: 5, text: 'a' }], ['b']],
      [['a'], ['b']],
    ],
  ])('%s', (_, covered, rows, expected) => {
    expect(gridOf(covered, rows).table('nothing').rows).toEqual(expected);
  });

  it('repeats no long text', () => {
    const text = 'x'.repeat(101);
    const rows = [[{ columns: 2, rows: 2, text }, 'a'], ['b']];
    expect(gridOf('implied', rows).table('nothing').rows).toEqual([
      [text, '', 'a'],
      ['', '', 'b'],
    ]);
  });

  it('leaves out what has no text, as far as asked', () => {
    const rows = [['a', '', 'b', ''], [''], ['c', '', '', ''], ['']];
    const shown = (without: 'nothing' | 'table' | 'ends' | 'all', of: readonly Row[] = rows): unknown =>
      gridOf('stated', of).table(without).rows;
    expect(shown('nothing')).toEqual(rows);
    expect(shown('table')).toEqual(rows);
    expect(shown('ends')).toEqual([['a', '', 'b'], [], ['c']]);
    expect(shown('all')).toEqual([
      ['a', 'b'],
      ['c', ''],
    ]);
    expect(shown('table', [['', ''], ['']])).toEqual([]);
    expect(shown('nothing', [['']])).toEqual([['']]);
  });

  it('has the text of more than 1000 columns in the last', () => {
    const cells = Array.from({ length: 1003 }, (_, at) => (at === 1001 ? '' : `${at}`));
    const [row = []] = gridOf('stated', [cells]).table('nothing').rows;
    expect(row).toHaveLength(1000);
    expect(row.slice(-2)).toEqual(['998', '999\n1000\n1002']);
  });

  it('repeats rows, of empty ones only a few', () => {
    const grid = new Grid('stated');
    grid.add(cellsOf(['a']), 2);
    grid.add(cellsOf(['']), 1_000_000);
    grid.add(cellsOf(['b']));
    expect(grid.table('ends').rows).toEqual([['a'], ['a'], ...Array.from({ length: 20 }, () => []), ['b']]);
  });

  it('gives lines with the cells in their places, and without repetition', () => {
    const grid = gridOf('implied', [
      ['', { columns: 2, rows: 2, text: 'a' }, 'b'],
      ['', 'c'],
      ['', 'd', 'f', 'e'],
    ]);
    expect(grid.lines()).toEqual(['a /  / b', ' /  / c', 'd / f / e']);
  });

  it('reads only the text it shows', () => {
    const grid = new Grid('stated');
    grid.add([{ rows: ALL, text: () => 'a' }]);
    grid.add([
      {
        joinsAbove: true,
        text: () => {
          throw new Error('read');
        },
      },
    ]);
    expect(grid.table('nothing').rows).toEqual([['a'], ['a']]);
  });

  it.each(['stated', 'implied'] as const)('stays small if its numbers are absurd (%s)', (covered) => {
    const cell = { columns: 1e9, rows: 1e9, column: 1e9, times: 1e9, text: 'label' };
    const room = new GridRoom();
    const grid = new Grid(covered, room);
    for (let row = 0; row < 3000; row += 1) grid.add(cellsOf([cell, 'own', cell]), 1e9);
    const { rows } = grid.table('nothing');
    expect(room.isSpent).toBe(true);
    expect(rows.reduce((sum, row) => sum + row.length, 0)).toBeLessThan(300_000);
    expect(rows.filter((row) => row.join('\n').includes('own')).length).toBeGreaterThanOrEqual(3000);
  });

  it('shows every text, for any numbers', () => {
    const number = fc.option(fc.oneof(fc.integer({ min: -2, max: 5 }), fc.double(), fc.constant(ALL)), {
      nil: undefined,
    });
    const cell = fc.record({ columns: number, rows: number, column: number, times: number });
    const shown = fc.property(
      fc.constantFrom('stated' as const, 'implied' as const),
      fc.array(fc.array(cell, { maxLength: 5 }), { maxLength: 5 }),
      (covered, stated) => {
        const grid = new Grid(covered);
        for (const [row, cells] of stated.entries())
          grid.add(
            cells.map(({ columns, rows, column, times }, at) => ({
              ...(columns !== undefined && { columns }),
              ...(rows !== undefined && { rows }),
              ...(column !== undefined && { column }),
              ...(times !== undefined && { times }),
              text: () => `${row}-${at}`,
            })),
          );
        const lines = grid.lines().join('\n');
        const { rows } = grid.table('all');
        const texts = new Set(rows.flat().join('\n').split('\n'));
        for (const [row, cells] of stated.entries())
          for (const at of cells.keys()) {
            expect(texts).toContain(`${row}-${at}`);
            expect(lines).toContain(`${row}-${at}`);
          }
      },
    );
    return fc.assert(shown);
  });
});

describe('edges', () => {
  it('are one within the tolerance, and found by place', () => {
    const edges = edgesOf([30, 0, 10, 1, 10], 2);
    expect(edges).toEqual([0, 10, 30]);
    expect([-1, 0, 9, 10, 99].map((place) => edgeAt(edges, place))).toEqual([-1, 0, 0, 1, 2]);
  });

  it('after a fine one are their own', () => {
    expect(edgesOf([0, 1, 2], 2, (edge) => edge === 0)).toEqual([0, 1]);
  });
});
