// Every character of a table comes exactly once over a whole walk, whatever the table, the budget and the limits.

import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import type { TextPart } from '../../src/contract/index.ts';
import { draws } from '../support/draws.ts';
import { extent, memoryTable, type Page, walk } from './memory-table.ts';

const cell = fc.oneof(
  { weight: 6, arbitrary: fc.string({ maxLength: 6 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('', '"', ',', '\n', '\r\n', ' x ', '…', '=cmd|calc', '007', '😀é'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 20, maxLength: 300 }) },
  { weight: 1, arbitrary: fc.stringMatching(/^[ab"\r\n,|]{40,200}$/) },
);
const shape = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 12 }))
  .chain(([columns, rows]) =>
    fc.record({
      header: fc.array(cell, { minLength: columns, maxLength: columns }),
      rows: fc.array(fc.array(cell, { minLength: 1, maxLength: columns }), {
        minLength: rows,
        maxLength: rows,
      }),
    }),
  );
const limits = fc.record({
  rowsHead: fc.integer({ min: 1, max: 4 }),
  rowsTail: fc.integer({ min: 0, max: 3 }),
  maxColumns: fc.integer({ min: 1, max: 10 }),
  maxCellLength: fc.constantFrom(1, 2, 10, 60, 500),
});
const tokens = fc.oneof(fc.integer({ min: 20, max: 120 }), fc.integer({ min: 120, max: 3000 }));

/** The pieces of every cell, by row and column, in order of delivery. */
type Delivered = Map<string, string>;

function parse(text: string): string[][] {
  if (text === '') return [];
  const parsed = Papa.parse<string[]>(text, { delimiter: ',', newline: '\n', header: false });
  const rows = parsed.data;
  if (text.endsWith('\n')) rows.pop();
  return rows;
}

function add(delivered: Delivered, row: number, column: number, text: string): void {
  const key = `${row}:${column}`;
  delivered.set(key, (delivered.get(key) ?? '') + text);
}

function rowNumbers(part: TextPart, count: number): number[] {
  const rows = extent(part, 'row');
  const numbers: number[] = [];
  if (rows) for (let at = rows.from; at <= rows.to; at += 1) numbers.push(at);
  if (numbers.length < count) numbers.unshift(0);
  return numbers;
}

/** Puts a CSV walk together again, by extents alone. */
function collect(pages: readonly Page[], original: (row: number, column: number) => string): Delivered {
  const delivered: Delivered = new Map();
  let open: { readonly key: string; text: string } | undefined;
  for (const { parts } of pages) {
    for (const part of parts) {
      const characters = extent(part, 'character');
      const columns = part.shown.filter((found) => found.unit === 'column');
      if (characters) {
        const place = /(?:row (\d+)|header), column (\d+)$/.exec(characters.name ?? '');
        const [row, column] = [Number(place?.[1] ?? 0), Number(place?.[2])];
        if (columns.length === 0) {
          // What a cut had left out: a record of its own.
          add(delivered, row, column, parse(part.text)[0]?.[0] ?? '');
          continue;
        }
        const key = `${row}:${column}`;
        if (open?.key !== key) open = { key, text: '' };
        open.text += part.text;
        if (characters.to !== characters.of) continue;
        add(delivered, row, column, parse(open.text.replace(/[\n,]$/, '\n'))[0]?.[0] ?? '');
        open = undefined;
        continue;
      }
      const first = columns[0]?.from ?? 1;
      const lines = parse(part.text.endsWith(',') ? `${part.text.slice(0, -1)}\n` : part.text);
      const numbers = rowNumbers(part, lines.length);
      lines.forEach((cells, index) => {
        const row = numbers[index] ?? -1;
        cells.forEach((text, offset) => {
          const whole = original(row, first + offset);
          const cut = text !== whole && text.endsWith('…') && (part.cellsCut ?? 0) > 0;
          add(delivered, row, first + offset, cut ? text.slice(0, -1) : text);
        });
      });
    }
  }
  return delivered;
}

describe('the walk through a table', () => {
  test('delivers every character of every cell exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(shape, limits, tokens, async (table, few, budget) => {
        const cells = [table.header, ...table.rows];
        const pages = await walk(memoryTable(table), { limits: few, tokens: budget });
        const original = (row: number, column: number): string => cells[row]?.[column - 1] ?? '';
        const delivered = collect(pages, original);
        for (const { view, text } of pages) expect(view + text).not.toMatch(/\p{Surrogate}/u);
        for (let row = 0; row < cells.length; row += 1)
          for (let column = 1; column <= table.header.length; column += 1)
            expect([row, column, delivered.get(`${row}:${column}`)]).toEqual([
              row,
              column,
              original(row, column),
            ]);
        expect(delivered.size).toBe(cells.length * table.header.length);
      }),
      { numRuns: draws(150) },
    );
  });

  test('rebuilds the CSV when rows are asked for and nothing is over a limit', async () => {
    await fc.assert(
      fc.asyncProperty(shape, tokens, async (table, budget) => {
        const whole = await walk(memoryTable(table), { selection: { all: true } });
        const rows = table.rows.length > 0 ? { rows: { from: 1, to: Number.POSITIVE_INFINITY } } : {};
        const pages = await walk(memoryTable(table), {
          limits: { maxColumns: 1, maxCellLength: 1 },
          tokens: 20,
          selection: rows,
        });
        const wide = await walk(memoryTable(table), {
          limits: { maxColumns: 100, maxCellLength: 100_000, rowsHead: 100 },
          tokens: budget,
          selection: rows,
        });
        const sampled = wide[0]?.parts.some(
          (part) => part.cellsCut || (extent(part, 'column')?.to ?? 0) < table.header.length,
        );
        if (!sampled || wide.length === 1)
          expect(wide.map((shown) => shown.text).join('')).toBe(whole[0]?.text);
        expect(pages.length).toBeGreaterThan(0);
      }),
      { numRuns: draws(150) },
    );
  });

  test.each(['csv', 'markdown', 'json'] as const)(
    'as %s keeps every page within its budget',
    async (format) => {
      await fc.assert(
        fc.asyncProperty(shape, limits, tokens, async (table, few, budget) => {
          const pages = await walk(memoryTable(table), {
            limits: few,
            tokens: budget,
            selection: { format },
          });
          for (const { view, context, next } of pages) {
            const whole = pages.length === 1 && next === undefined;
            const most = whole ? context.budget.tokens : context.budget.tokensBesideNotes;
            expect(context.budget.count(view)).toBeLessThanOrEqual(most);
          }
        }),
        { numRuns: draws(150) },
      );
    },
  );

  test('as markdown delivers the names of the columns that the first answer left out', async () => {
    const header = Array.from({ length: 12 }, (_, i) => `name${i}`);
    const rows = Array.from({ length: 6 }, (_, row) => header.map((_, i) => `cell${row}.${i}`));
    for (const maxColumns of [1, 3, 12]) {
      const pages = await walk(memoryTable({ header, rows }), {
        limits: { maxColumns },
        tokens: 120,
        selection: { format: 'markdown' },
      });
      const text = pages.map((page) => page.text).join('');
      for (const name of [...header, ...rows.flat()]) expect(text.split(`| ${name} |`)).toHaveLength(2);
    }
  });

  test('as json delivers every cell under its own key, and every page is valid', async () => {
    await fc.assert(
      fc.asyncProperty(shape, fc.integer({ min: 200, max: 3000 }), async (table, budget) => {
        const pages = await walk(memoryTable(table), { tokens: budget, selection: { format: 'json' } });
        for (const { parts } of pages)
          for (const part of parts) expect(Array.isArray(JSON.parse(part.text))).toBe(true);
        const rows = pages.flatMap(({ parts }) => parts.flatMap((part) => JSON.parse(part.text) as object[]));
        expect(rows.length).toBeGreaterThanOrEqual(table.rows.length);
      }),
      { numRuns: draws(150) },
    );
  });
});
