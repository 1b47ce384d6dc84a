// What the first answer about a table shows, which columns a request names, and the outline. The walk has its own test.

import { describe, expect, test } from 'vitest';
import { type ProcessContext, ReaderError } from '../../src/contract/index.ts';
import { Columns } from '../../src/table/columns.ts';
import { cellType, columnType, tableOutline } from '../../src/table/outline.ts';
import { decodePosition, encodePosition, PHASE } from '../../src/table/position.ts';
import type { Table } from '../../src/table/table.ts';
import { testContext } from '../support/context.ts';
import { extent, memoryTable, page, walk } from './memory-table.ts';

const grid = (rows: number, columns: number): string[][] =>
  Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => `r${row + 1}c${column + 1}`),
  );
const header = (columns: number): string[] =>
  Array.from({ length: columns }, (_, column) => `h${column + 1}`);

describe('the first answer', () => {
  test('is valid CSV from 50 tokens up, whatever its cells cost', async () => {
    const table = memoryTable({ header: ['"鬱"\n'.repeat(30), 'b'], rows: [['"鬱"\n'.repeat(40), 'x']] });
    for (let tokens = 50; tokens < 120; tokens += 5) {
      const { parts } = await page(table, { tokens });
      expect(parts.length).toBeGreaterThan(0);
      for (const part of parts) expect(part.text.split('"').length % 2).toBe(1);
    }
  });

  test('is the whole table when the limits and the budget hold it', async () => {
    const { text, next, parts } = await page(memoryTable({ header: ['a', 'b'], rows: grid(30, 2) }));
    expect(text.split('\n')).toHaveLength(32);
    expect(next).toBeUndefined();
    expect(parts).toHaveLength(1);
    expect(parts[0]?.shown).toEqual([
      { unit: 'row', from: 1, to: 30, of: 30 },
      { unit: 'column', from: 1, to: 2, of: 2 },
    ]);
  });

  test('is head and tail of a longer one, and goes on with the gap', async () => {
    const { parts, next } = await page(memoryTable({ header: ['a', 'b'], rows: grid(31, 2) }));
    expect(parts.map((part) => extent(part, 'row'))).toEqual([
      { unit: 'row', from: 1, to: 20, of: 31 },
      { unit: 'row', from: 22, to: 31, of: 31 },
    ]);
    expect(next?.request).toEqual({ rows: '21-21' });
  });

  test('repeats the header in the view of a later page alone', async () => {
    const [first, second] = await walk(memoryTable({ header: ['a', 'b'], rows: grid(40, 2) }));
    expect(first?.text.startsWith('a,b\nr1c1,')).toBe(true);
    expect(second?.text.startsWith('r21c1,')).toBe(true);
    expect(second?.view.startsWith('a,b\nr21c1,')).toBe(true);
  });

  test('loses rows from the middle when the budget is short, two of the head for one of the tail', async () => {
    const { parts, context } = await page(memoryTable({ header: ['a', 'b'], rows: grid(1000, 2) }), {
      tokens: 220,
    });
    const [head, tail] = parts.map((part) => extent(part, 'row'));
    const above = head?.to ?? 0;
    const below = 1000 - (tail?.from ?? 0) + 1;
    expect(above).toBeGreaterThan(4);
    expect(above).toBeLessThan(20);
    expect(Math.abs(above - 2 * below)).toBeLessThanOrEqual(2);
    expect(context.budget.tokens).toBe(220);
  });

  test('then loses columns, then the ends of cells', async () => {
    const wide = memoryTable({ header: header(60), rows: grid(100, 60) });
    const all = await page(wide, { tokens: 600 });
    expect(extent(all.parts[0], 'column')?.to).toBe(50);
    const fewer = await page(wide, { tokens: 250 });
    expect(extent(fewer.parts[0], 'column')?.to).toBeLessThan(50);
    expect(extent(fewer.parts[0], 'row')?.to).toBeGreaterThanOrEqual(3);
    const long = memoryTable({
      header: ['a', 'b'],
      rows: grid(100, 2).map((row) => row.map((cell) => `${cell} `.repeat(80))),
    });
    const shorter = await page(long, { tokens: 400 });
    expect(shorter.parts[0]?.cellsCut).toBeGreaterThan(0);
    expect(shorter.text).toContain('…');
  });

  test('cuts cells to the limit, mark included, and no character in two', async () => {
    const rows = [['x'.repeat(501)], ['😀'.repeat(300)], ['y'.repeat(500)]];
    const { text, parts } = await page(memoryTable({ header: ['a'], rows }));
    const [, first = '', second = '', third] = text.split('\n');
    expect(first).toBe(`${'x'.repeat(499)}…`);
    expect(second).toBe(`${'😀'.repeat(249)}…`);
    expect(third).toBe('y'.repeat(500));
    expect(parts[0]?.cellsCut).toBe(2);
  });

  test('of rows asked for has the header in its content and goes on behind them', async () => {
    const { text, next } = await page(memoryTable({ header: ['a'], rows: grid(100, 1) }), {
      selection: { rows: { from: 21, to: 23 } },
    });
    expect(text).toBe('a\nr21c1\nr22c1\nr23c1\n');
    expect(next?.request).toEqual({ rows: '24-100' });
  });

  test('of a sheet counts its header among the rows, names the sheet and shows its heading', async () => {
    const rows = [['a', 'b'], ...grid(50, 2)];
    const table = memoryTable({ headerRow: 1, rows, name: 'Data', heading: 'Sheet "Data": 51 rows' });
    const { text, view, parts, context } = await page(table);
    expect(text.startsWith('a,b\nr1c1,')).toBe(true);
    expect(view.startsWith('Sheet "Data": 51 rows\na,b\n')).toBe(true);
    expect(parts[0]?.shown[0]).toEqual({ unit: 'row', from: 1, to: 20, of: 51, name: 'Data' });
    expect(parts.at(-1)?.next?.request).toEqual({ rows: '21-41', sheet: 'Data' });
    expect(context.wholes).toContainEqual({ unit: 'row', of: 51, name: 'Data' });
    const later = await page(table, { selection: { rows: { from: 30, to: 31 } } });
    expect(later.text).toBe('r29c1,r29c2\nr30c1,r30c2\n');
    expect(later.view).toContain('a,b\nr29c1');
  });

  test('is nothing for a budget of nothing, but the wholes are told', async () => {
    const { parts, context } = await page(memoryTable({ header: ['a'], rows: grid(5, 1) }), { tokens: 0 });
    expect(parts).toEqual([]);
    expect(context.wholes).toEqual([
      { unit: 'row', of: 5 },
      { unit: 'column', of: 1 },
    ]);
  });

  test('of everything streams whole rows and cells', async () => {
    const rows = grid(3000, 3).map((row) => row.map((cell) => cell.repeat(20)));
    const { parts, text } = await page(memoryTable({ header: header(3), rows }), {
      selection: { all: true },
      limits: { maxColumns: 1, maxCellLength: 10 },
    });
    expect(parts.length).toBeGreaterThan(5);
    expect(text).toBe(`h1,h2,h3\n${rows.map((row) => `${row.join(',')}\n`).join('')}`);
    expect(parts.at(-1)?.next).toBeUndefined();
  });
});

describe('formats', () => {
  const table = memoryTable({ header: ['a|b', '', ''], rows: [['x|y', 'line\r\nbreak', '"q"']] });

  test('markdown', async () => {
    const { text } = await page(table, { selection: { format: 'markdown' } });
    expect(text).toBe('| a\\|b |  |  |\n| --- | --- | --- |\n| x\\|y | line<br>break | "q" |\n');
  });

  test('json', async () => {
    const { text } = await page(table, { selection: { format: 'json' } });
    expect(JSON.parse(text)).toEqual([{ 'a|b': 'x|y', column_2: 'line\r\nbreak', column_3: '"q"' }]);
  });

  test.each([true, false])('json of everything is one array: %s', async (filled) => {
    const { text } = await page(memoryTable({ header: ['a'], rows: filled ? grid(9000, 1) : [] }), {
      selection: { all: true, format: 'json' },
    });
    expect(JSON.parse(text)).toHaveLength(filled ? 9000 : 0);
    if (!filled) expect(text).toBe('[]\n');
  });

  test('csv quotes what has to be quoted', async () => {
    const rows = [[' a', 'b ', 'c,d', 'e"f', 'g\nh', 'i\rj', "k'l", '']];
    const { text } = await page(memoryTable({ header: header(8), rows }));
    expect(text).toBe(`${header(8).join(',')}\n" a","b ","c,d","e""f","g\nh","i\rj",k'l,\n`);
  });
});

describe('columns', () => {
  const table = memoryTable({ header: ['id', 'name', 'a,b', '2', 'id'], rows: grid(2, 5) });

  test.each([
    ['id', [1]],
    ['id,name', [1, 2]],
    ['name, id', [2, 1]],
    ['a,b', [3]],
    ['"a,b",1', [3, 1]],
    ['2', [4]],
    ['3', [3]],
    ['3-9', [3, 4, 5]],
    ['A-C', [1, 2, 3]],
    ['e', [5]],
    ['1,1,id', [1]],
  ])('selects %s', (selection, chosen) => {
    expect(new Columns(table, selection).chosen).toEqual(chosen);
  });

  test.each(['nme', '0', '9', 'F', '5-3', '', ','])('%j is refused with the names there are', (selection) => {
    let error: unknown;
    try {
      new Columns(table, selection);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ReaderError);
    expect(error).toMatchObject({ code: 'BAD_INPUT' });
    if (selection === 'nme') expect(error).toMatchObject({ hint: 'Did you mean `name`?' });
  });

  test('are shown in the order asked for, beyond the limit, and the walk stays inside them', async () => {
    const rows = grid(40, 70);
    const options = { selection: { columns: '70,1' }, limits: { maxColumns: 1 } };
    const pages = await walk(memoryTable({ header: header(70), rows }), options);
    expect(pages[0]?.text.startsWith('h70,h1\nr1c70,r1c1\n')).toBe(true);
    expect(pages[0]?.parts[0]?.shown.slice(1)).toEqual([
      { unit: 'column', from: 70, to: 70, of: 70 },
      { unit: 'column', from: 1, to: 1, of: 70 },
    ]);
    expect(pages).toHaveLength(2);
    expect(pages[1]?.text).toBe(
      rows
        .slice(20, 30)
        .map((row) => `${row[69]},${row[0]}\n`)
        .join(''),
    );
  });
});

describe('positions', () => {
  const table = memoryTable({ header: ['a'], rows: grid(10, 1) });
  const position = {
    phase: PHASE.rows,
    row: 3,
    column: 0,
    character: 0,
    from: 1,
    to: 2,
    tailFrom: 9,
    tailTo: table.rows,
    columns: 1,
    cellLength: 500,
    wider: false,
    cut: true,
  };

  test('come back as they went', () => {
    expect(decodePosition(encodePosition(position, table), table)).toEqual(position);
  });

  test('of a table that may grow say where it ended, and are stale once its rows are told apart otherwise', () => {
    const before = { ...table, form: '44h' };
    const encoded = encodePosition(position, before);
    expect(encodePosition({ ...position, phase: PHASE.cells }, before)).toHaveLength(11);
    const longer = { ...before, rows: before.rows + 5 };
    expect(decodePosition(encoded, longer)).toEqual(position);
    const open = encodePosition({ ...position, tailFrom: before.rows + 1 }, before);
    expect(decodePosition(open, longer)).toMatchObject({ tailFrom: longer.rows + 1, tailTo: longer.rows });
    for (const changed of [{ ...before, form: '59h' }, { ...before, rows: before.rows - 1 }, table])
      expect(() => decodePosition(encoded, changed)).toThrow(
        expect.objectContaining({ code: 'STALE_CURSOR' }),
      );
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7])('number %i is checked', (place) => {
    for (const value of [-1, 0.5, Number.NaN, 2 ** 52, 'x', Number.POSITIVE_INFINITY]) {
      const encoded = encodePosition(position, table).map((kept, at) => (at === place ? value : kept));
      expect(() => decodePosition(encoded, table)).toThrow(expect.objectContaining({ code: 'STALE_CURSOR' }));
    }
    expect(() => decodePosition([1, 2], table)).toThrow(ReaderError);
  });

  test('inside the table but beside the truth neither throw nor hang', async () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const draw = (n: number): number => (seed * 7919 * (n + 3) + n) % 12;
      const resume = [
        draw(0) % 3,
        draw(1),
        draw(2),
        draw(3) * 9,
        draw(4),
        draw(5),
        draw(6),
        draw(7),
        draw(8),
        draw(9) % 2,
        draw(10) % 2,
      ];
      try {
        await page(table, { selection: { resume }, tokens: 40 });
      } catch (error) {
        expect(error).toMatchObject({ code: 'STALE_CURSOR' });
      }
    }
  });
});

describe('the outline', () => {
  async function outlineText(table: Table, context: ProcessContext): Promise<string> {
    let text = '';
    for await (const line of tableOutline(table, context)) text += `${line.text}\n`;
    return text;
  }

  test('names every column with its number and type', async () => {
    const table = memoryTable({
      header: ['id', 'day', '', 'note', 'mail', 'share', 'flag'],
      rows: [
        ['1', '2024-01-02', '', 'x', 'a@b.example', '1.5', 'true'],
        ['2', '2024-01-03', '', '7', 'c@d.example', '2', 'no'],
      ],
    });
    expect(await outlineText(table, testContext())).toBe(
      '2 rows, 7 columns\n1. `id`: integer\n2. `day`: date\n3. (no name): empty\n4. `note`: text\n5. `mail`: address\n6. `share`: number\n7. `flag`: boolean\n',
    );
  });

  test('names chosen columns by their number in the table, and says when types come from a sample', async () => {
    const table = memoryTable({ header: ['a', 'b', 'c'], rows: grid(60, 3) });
    const context = testContext({ selection: { columns: 'B' } });
    expect(await outlineText(table, context)).toBe(
      '60 rows, 3 columns; types of the first 20 rows\n2. `b`: text\n',
    );
  });

  test('types', () => {
    expect(
      ['12', '-1.5e3', '1,234.50', '12%', '2024-01-01T10:00:00Z', '01/02/2024', 'yes', '', 'x1'].map(
        cellType,
      ),
    ).toEqual(['integer', 'number', 'number', 'number', 'date', 'date', 'boolean', 'empty', 'text']);
    expect(columnType(['1', '', '2.5'])).toBe('number');
    expect(columnType(['1', 'x'])).toBe('text');
  });
});
