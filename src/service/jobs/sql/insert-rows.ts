// Inserts many rows with few statements: a database on another machine answers each after a round trip.

import type { Sql, SqlValue } from '../../database.ts';

/** Rows of one statement. Both databases accept more than 30,000 parameters. */
const ROWS = 200;

/** `insert` ends before `VALUES`. Every row has the same columns. */
export async function insertRows(
  sql: Sql,
  insert: string,
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS) {
    const some = rows.slice(from, from + ROWS);
    const values = some.map((row) => `(${row.map(() => '?').join(', ')})`);
    await sql.run(`${insert} VALUES ${values.join(', ')}`, some.flat());
  }
}
