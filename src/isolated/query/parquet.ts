// Writes the rows of an answer as Parquet: by DuckDB itself, in row groups, to a file that the asking process opened.

import { ReaderError } from '../../contract/index.ts';
import { type Connection, identifier, literal } from './duckdb.ts';
import type { Written } from './output.ts';
import { pathOf } from './tables.ts';

const VIEW = '"rows to save"';
/** Types that Parquet has. DuckDB would write longer integers as rounded numbers. */
const KEPT =
  /^(?:BOOLEAN|U?(?:TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(\d+,\d+\)|VARCHAR|BLOB|UUID|DATE|TIME|TIMESTAMP(?:_S|_MS|_NS| WITH TIME ZONE)?)$/;
/** Lists, arrays, structs and maps. */
const NESTED = /\]$|^(?:STRUCT|MAP)\(/;
const ROWS_PER_GROUP = 20_480;

/** Runs `sql`, whose rows were `written`, again. Throws errors of the query. */
export async function writeParquet(
  db: Connection,
  sql: string,
  { columns }: Pick<Written, 'columns'>,
  descriptor: number,
): Promise<void> {
  // The same query gives the same rows.
  await db.run('SELECT setseed(0.5)');
  const names = columns.map(({ name }) => identifier(name));
  // It was prepared as one `SELECT` before, so that nothing in it can end the statement and start another.
  try {
    await db.run(`CREATE TEMP VIEW ${VIEW}(${names.join(', ')}) AS ${sql}`);
  } catch (error) {
    throw new ReaderError(
      'BAD_INPUT',
      'The answer to this statement cannot be written as Parquet.',
      'Write it as `SELECT * FROM (DESCRIBE ...)`, or save the rows as CSV.',
      error,
    );
  }
  const shown = columns.map(({ type }, at) => {
    const name = names[at] ?? '';
    if (KEPT.test(type)) return name;
    return `CAST(${NESTED.test(type) ? `to_json(${name})` : name} AS VARCHAR) AS ${name}`;
  });
  await db.run(
    `COPY (SELECT ${shown.join(', ')} FROM ${VIEW}) TO ${literal(pathOf(descriptor))} (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE ${ROWS_PER_GROUP}, USE_TMP_FILE false)`,
  );
}
