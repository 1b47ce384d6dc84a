// `DESCRIBE`: the columns of a table, or the tables of a file with several, whose name stands for none of them.

import { plural, quoted, ReaderError } from '../../contract/index.ts';
import { literal } from './duckdb.ts';
import { type TableSchema, tablesHint } from './schema.ts';

/** A file with several tables, such as a workbook. */
export interface TableGroup {
  readonly names: readonly string[];
  /** First name of each table, with its address, and its number of rows if it is known. */
  readonly tables: readonly { readonly name: string; readonly address: string; readonly rows?: number }[];
}

const DESCRIBE = /^\s*(?:describe|desc|show)\s+(?:table\s+)?(?:"(?:[^"]|"")+"|'(?:[^']|'')+'|[\w.]+)[\s;]*$/i;

/** More columns than this are listed by type. */
const MAX_COLUMNS = 20;

type Columns = TableSchema['columns'];

/** The statement to run in place of `sql`: of a table that is described, names and types; a view has nothing else. */
export const columnsOf = (sql: string): string =>
  /^\s*desc/i.test(sql) && DESCRIBE.test(sql)
    ? `SELECT column_name, column_type FROM (${sql.replaceAll(';', ' ')})`
    : sql;

/**
 * The statement to run in place of `sql`, which names `group`: a list of its tables for `DESCRIBE`.
 * @throws {ReaderError} BAD_INPUT for a query of the file as if it were one table
 */
export function listingOf(group: TableGroup, sql: string, schemas: ReadonlyMap<string, TableSchema>): string {
  const { names, tables } = group;
  if (!DESCRIBE.test(sql)) {
    const listed = tables.map(({ name, address, rows }) => ({
      name: `"${address}"${rows === undefined ? '' : ` ${plural(rows, 'row')} `}`,
      columns: columnsIn(schemas, name),
    }));
    throw new ReaderError(
      'BAD_INPUT',
      `${quoted(names.at(-1) ?? '')} has ${plural(tables.length, 'table')}; a query names one of them.`,
      `Write for example \`${exampleOf(group, sql)}\`. ${tablesHint(listed)}`,
    );
  }
  const rows = tables.map(
    ({ name, address }) =>
      `(${literal(address)}, ${literal(columnsText(columnsIn(schemas, name)).join('; '))})`,
  );
  return `SELECT * FROM (VALUES ${rows.join(', ')}) t("table", "columns")`;
}

/** `sql` with the first table of `group` in place of its file, if it names that in quotes. */
function exampleOf({ names, tables }: TableGroup, sql: string): string {
  const table = `"${tables[0]?.address ?? ''}"`;
  const named = names.map((name) => `"${name}"`).find((name) => sql.includes(name));
  return named === undefined ? `SELECT * FROM ${table}` : sql.trim().replace(named, () => table);
}

/** What `DESCRIBE` of `group` or of one table says, for a reader; undefined for any other statement. */
export function descriptionOf(
  sql: string,
  group: TableGroup | undefined,
  only: TableSchema | undefined,
  schemas: ReadonlyMap<string, TableSchema>,
): string | undefined {
  if (!/^\s*desc/i.test(sql) || !DESCRIBE.test(sql)) return undefined;
  if (!group) return only && `${columnsText(only.columns).join('\n')}\n`;
  const line = ({ name, address }: TableGroup['tables'][number]): string =>
    `"${address}": ${columnsText(columnsIn(schemas, name)).join('; ')}\n`;
  return group.tables.map(line).join('');
}

const columnsIn = (schemas: ReadonlyMap<string, TableSchema>, name: string): Columns =>
  schemas.get(name)?.columns ?? [];

/** `id BIGINT, city VARCHAR`, or of many columns `BIGINT: id, year` and so on for each type. */
function columnsText(columns: Columns): string[] {
  if (columns.length <= MAX_COLUMNS) return [columns.map(({ name, type }) => `${name} ${type}`).join(', ')];
  const types = new Map<string, string[]>();
  for (const { name, type } of columns) {
    const names = types.get(type);
    if (names) names.push(name);
    else types.set(type, [name]);
  }
  return [...types].map(([type, names]) => `${type}: ${names.join(', ')}`);
}
