// Sheets in Markdown: each rectangle of cells is a table of its own, with its range.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { xlsx } from '../../../processors/tabular/xlsx.ts';
import { columnLetters } from '../../../src/contract/index.ts';
import { memorySource, type Outcome, run, type TestOptions } from '../../support/context.ts';
import { draws } from '../../support/draws.ts';
import { workbookOf } from '../../support/workbook.ts';

/** A sheet from text: one line per row, cells separated by `|`. */
function sheet(...lines: readonly string[]): string {
  return lines
    .map((line, row) => {
      const cells = line.split('|').map((value, column) => {
        const place = `${columnLetters(column + 1)}${row + 1}`;
        return value === '' ? '' : `<c r="${place}" t="inlineStr"><is><t>${value}</t></is></c>`;
      });
      return `<row r="${row + 1}">${cells.join('')}</row>`;
    })
    .join('');
}

const read = (sheets: readonly string[], selection: TestOptions['selection'] = {}): Promise<Outcome> =>
  run(xlsx, memorySource(workbookOf({ sheets }), 'book.xlsx'), {
    selection: { format: 'markdown', ...selection },
  });

const all = async (...lines: readonly string[]): Promise<string> =>
  (await read([sheet(...lines)], { all: true })).view;

describe('a sheet in Markdown', () => {
  it('is one table under its name, without a range, when it fills its grid', async () => {
    expect(await all('City|Rain', 'Oslo|12', 'Rome|7')).toBe(
      '## Sheet1\n\n| City | Rain |\n| --- | --- |\n| Oslo | 12 |\n| Rome | 7 |\n',
    );
  });

  it('leaves out blank rows and columns around a table', async () => {
    expect(await all('', '', '|City|Rain', '|Oslo|12')).toBe(
      '## Sheet1\n\nB3:C4\n\n| City | Rain |\n| --- | --- |\n| Oslo | 12 |\n',
    );
  });

  it('shows each table with its range', async () => {
    expect(await all('City|Rain|||Sun', 'Oslo|12|||3', 'Rome|7', '', 'Total|19', 'Mean|9.5')).toBe(
      [
        '## Sheet1\n\nA1:B3\n\n| City | Rain |\n| --- | --- |\n| Oslo | 12 |\n| Rome | 7 |\n',
        'E1:E2\n\n| Sun |\n| --- |\n| 3 |\n',
        'A5:B6\n\n| A | B |\n| --- | --- |\n| Total | 19 |\n| Mean | 9.5 |\n',
      ].join('\n'),
    );
  });

  it('parts titles from the table below them', async () => {
    expect(await all('Weather of May', 'City|Rain', 'Oslo|12', 'Rome|7')).toContain(
      'A1\n\n| Weather of May |\n| --- |\n\nA2:B4\n\n| City | Rain |\n',
    );
  });

  it('keeps a table together that has blank cells', async () => {
    expect(await all('City|Note|Rain', 'Oslo||12', 'Rome||', 'Bern||5', 'Nice|dry|')).toContain(
      '| Bern |  | 5 |\n| Nice | dry |  |\n',
    );
  });

  it('keeps labels and numbers together across a blank column', async () => {
    expect(await all('Item||2023||2024', 'Sales||10||12', 'Costs||8||9')).toContain(
      '| Sales |  | 10 |  | 12 |\n',
    );
  });

  it('takes tables that share only a corner for two', async () => {
    expect(await all('a|b', 'c|d', '||e|f', '||g|h')).toContain('C3:D4\n\n| e | f |\n');
  });

  it('reads one table by its range, with its own row numbers', async () => {
    const outcome = await read([sheet('', '|City|Rain', '|Oslo|12', '|Rome|7')], {
      sheet: 'Sheet1!B2:C4',
      rows: { from: 3, to: 3 },
    });
    expect(outcome.view).toContain('| Rome | 7 |\n');
    expect(outcome.view).not.toContain('Oslo');
  });

  it('reads rows of the grid when the request names no table', async () => {
    const outcome = await read([sheet('', '|City|Rain', '|Oslo|12')], {
      sheet: 'Sheet1',
      rows: { from: 3, to: 3 },
    });
    expect(outcome.view).toContain('|  | Oslo | 12 |\n');
  });

  it('names the tables there are when a range is wrong', async () => {
    await expect(
      read([sheet('', '|City|Rain', '|Oslo|12')], { sheet: 'Sheet1!A1:B2' }),
    ).rejects.toMatchObject({ code: 'BAD_INPUT', hint: 'Use one of its tables: B2:C3.' });
  });

  it('shows every cell with text exactly once', async () => {
    const grid = fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(grid, async (rows) => {
        const names = rows.map((row, at) => row.map((filled, column) => (filled ? `t${at}x${column}t` : '')));
        const text = await all(...names.map((row) => row.join('|')));
        for (const name of names.flat().filter(Boolean)) expect(text.split(name)).toHaveLength(2);
      }),
      { numRuns: draws(300) },
    );
  });
});
