// `DESCRIBE`: the columns of a table, or the tables of a file with several, whose name stands for none of them.

import { plural, quoted, ReaderError } from '../../contract/index.ts';
import { literal } from './duckdb.ts';
import { type TableSchema, tablesHint } from './schema.ts';

/** A file with several tables, such as a workbook. */
export interface TableGroup {
  readonly names: readonly string[];
  /** First name of each table, with its address. */
  readonly tables: readonly { readonly name: string; readonly address: string }[];
}

const DESCRIBE = /^\s*(?:describe|desc|show)\s+(?:table\s+)?(?:"(?:[^"]|"")+"|'(?:[^']|'')+'|[\w.]+)[\s;]*$/i;

/** The statement to run in place of `sql`: of a table that is described, names and types; a view has nothing else. */
export const columnsOf = (sql: string): string =>
  /^\s*desc/i.test(sql) && DESCRIBE.test(sql)
    ? `SELECT column_name, column_type FROM (${sql.replaceAll(';', ' ')})`
    : sql;

/**
 * The statement to run in place of `sql`, which names `group`: a list of its tables for `DESCRIBE`.
 * @throws {ReaderError} BAD_INPUT for a query of the file as if it were one table
 */
export function listingOf(
  { names, tables }: TableGroup,
  sql: string,
  schemas: ReadonlyMap<string, TableSchema>,
): string {
  const listed = tables.map(({ name, address }) => ({
    name: `"${address}"`,
    columns: schemas.get(name)?.columns ?? [],
  }));
  if (!DESCRIBE.test(sql))
    throw new ReaderError(
      'BAD_INPUT',
      `${quoted(names.at(-1) ?? '')} has ${plural(tables.length, 'table')}; a query names one of them.`,
      tablesHint(listed),
    );
  const rows = listed.map(
    ({ columns }, at) =>
      `(${literal(tables[at]?.address ?? '')}, ${literal(columns.map(({ name, type }) => `${name} ${type}`).join(', '))})`,
  );
  return `SELECT * FROM (VALUES ${rows.join(', ')}) t("table", "columns")`;
}
