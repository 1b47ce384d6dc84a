// Tables inside a document, which a request names by their numbers.

import { plural, ReaderError } from '../contract/index.ts';
import type { Table } from './table.ts';

/** A table in memory whose first row is its header. */
export function tableOf([header = [], ...rows]: readonly (readonly string[])[]): Table {
  return {
    header,
    headerRow: 0,
    rows: rows.length,
    columns: rows.reduce((most, row) => Math.max(most, row.length), header.length),
    async *read(from, to) {
      for (let number = from; number <= Math.min(to, rows.length); number += 1)
        yield { number, cells: rows[number - 1] ?? [] };
    },
  };
}

/** The error for a number that no table has. */
export const noTable = (wanted: number, count: number): ReaderError =>
  new ReaderError(
    'BAD_INPUT',
    `\`table\` is ${wanted}, but the document has ${plural(count, 'table')}.`,
    count === 0 ? 'Omit `table`.' : `Use a number from 1 to ${count}.`,
  );
