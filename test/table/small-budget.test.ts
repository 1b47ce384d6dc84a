// Wide tables in small budgets: the names of the columns come before more rows, and columns that are left out are told.

import { describe, expect, test } from 'vitest';
import { createReader } from '../../src/index.ts';

const reader = createReader({ environment: {}, cache: false });
const csv = (columns: number, cell: (row: number, column: number) => string): string =>
  Array.from({ length: 901 }, (_, row) =>
    Array.from({ length: columns }, (_, column) => (row === 0 ? `name${column}` : cell(row, column))).join(
      ',',
    ),
  ).join('\n');
async function read(text: string, maxTokens: number): Promise<string> {
  const result = await reader.read({ name: 'a.csv', bytes: new TextEncoder().encode(text) }, { maxTokens });
  return result.success ? result.text : result.error.code;
}

describe('a table in a small budget', () => {
  test('shows all columns with cells cut short before it leaves columns out', async () => {
    const text = await read(
      csv(8, (row, column) => (column === 2 ? 'many words '.repeat(30) : `${row}`)),
      110,
    );
    expect(text).toContain('name0,name1,name2,name3,name4,name5,name6,name7\n');
  });

  test('says which columns are shown where they are not all', async () => {
    const text = await read(
      csv(300, (row, column) => `${row * column}`),
      120,
    );
    expect(text).toMatch(/columns 1-\d+ of 300/);
    expect(text).toMatch(/Continue with rows/);
  });
});
