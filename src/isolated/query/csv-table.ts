// Reads a delimited file: DuckDB infers the types of its columns once, and each must hold every value exactly.

import { type CheckedColumn, type Column, typesThatKeep } from './column-types.ts';
import { type Connection, identifier, literal } from './duckdb.ts';

/** The dialect, as the reader detected it. */
export interface CsvContent {
  readonly kind: 'csv';
  readonly delimiter: string;
  readonly quote: string;
  readonly header: boolean;
  /** How a missing value is written, besides as an empty field. */
  readonly nullText?: string;
  /** Its columns, if they are known; inferred otherwise. */
  readonly columns?: readonly Column[];
}

const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MIN_LINE_BYTES = 64 * 1024;

/**
 * The table as SQL, with the columns written out so that a query does not infer them again. `sample`: rows to infer
 * types from, -1 for all; what is inferred is checked against all rows. `bytes`: size of the file, for buffers: every
 * scan in a query has its own.
 */
export async function csvSource(
  db: Connection,
  path: string,
  { delimiter, quote, header, nullText, columns: known }: CsvContent,
  { bytes, sample }: { readonly bytes: number; readonly sample: number },
): Promise<string> {
  const line = Math.min(MAX_LINE_BYTES, Math.max(MIN_LINE_BYTES, bytes + 1));
  const dialect = `delim=${literal(delimiter)}, quote=${literal(quote)}, escape=${literal(quote)}, header=${header}, null_padding=true, parallel=false, max_line_size=${line}, buffer_size=${2 * line}, nullstr=${literal(nullText ?? '')}`;
  // An empty field is missing, and quotes with nothing between them are an empty text.
  const source = (typed: readonly Column[]): string =>
    `FROM read_csv(${path}, ${dialect}, allow_quoted_nulls=false, auto_detect=false, skip=0, columns={${typed
      .map(({ name, type }) => `${literal(name)}: ${literal(type)}`)
      .join(', ')}})`;
  if (known) return source(known);
  const [found = {}] = (
    await db.runAndReadAll(`FROM sniff_csv(${path}, ${dialect}, sample_size=${sample})`)
  ).getRowObjects();
  // Named as the reader names them.
  const columns = columnsOf(found['Columns']).map((column, at) =>
    header ? column : { ...column, name: `column_${at + 1}` },
  );
  const asText = source(columns.map(({ name }) => ({ name, type: 'VARCHAR' })));
  const { DateFormat: date, TimestampFormat: timestamp } = found;
  const checked = await typesThatKeep(db, columns, asText, {
    ...(typeof date === 'string' && { date }),
    ...(typeof timestamp === 'string' && { timestamp }),
  });
  const casts = checked.flatMap((column) => castOf(column) ?? []);
  const read = checked.map((column) =>
    castOf(column) === undefined ? column : { name: column.name, type: 'VARCHAR' },
  );
  return casts.length === 0 ? source(read) : `SELECT * REPLACE (${casts.join(', ')}) ${source(read)}`;
}

/** A column that is read as text and cast, because the reader of the file would refuse its empty texts or its dates. */
function castOf({ name, type, format, hasEmpty }: CheckedColumn): string | undefined {
  if (type === 'VARCHAR' || (!hasEmpty && format === undefined)) return undefined;
  const text = `NULLIF(${identifier(name)}, '')`;
  const value = format === undefined ? text : `strptime(${text}, ${literal(format)})`;
  return `CAST(${value} AS ${type}) AS ${identifier(name)}`;
}

/** The list of structs in a row of `sniff_csv`. */
function columnsOf(value: unknown): Column[] {
  const items: unknown = typeof value === 'object' && value !== null && 'items' in value ? value.items : [];
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown) => {
    const entries: unknown = typeof item === 'object' && item !== null && 'entries' in item && item.entries;
    return typeof entries === 'object' && entries !== null && 'name' in entries && 'type' in entries
      ? [{ name: String(entries.name), type: String(entries.type) }]
      : [];
  });
}
