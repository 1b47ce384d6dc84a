// Reads JSON: DuckDB infers the types of its columns, and those of numbers must hold every value exactly.

import { answersOf, type Column, numberTypes } from './column-types.ts';
import { type Connection, identifier, literal } from './duckdb.ts';

/** How a JSON file is read. */
export interface JsonContent {
  readonly kind: 'json' | 'jsonl';
  /** A part of a file: its columns have single values, or JSON. */
  readonly isPart?: boolean;
}

/** A record of JSON; the default of DuckDB is 16 MiB. */
const MAX_RECORD_BYTES = 128 * 1024 * 1024;
/** More digits than this are not exact in every DOUBLE. */
const EXACT_DIGITS = 15;

/** A struct, map or list. */
const NESTED = /[([]/;

/** The table as SQL. `sample`: records to infer types from, -1 for all. */
export async function jsonSource(
  db: Connection,
  path: string,
  content: JsonContent,
  sample: number,
): Promise<string> {
  const format = content.kind === 'json' ? 'auto' : 'newline_delimited';
  const options = `format='${format}', maximum_object_size=${MAX_RECORD_BYTES}, maximum_depth=${content.isPart ? 2 : 8}`;
  const source = (typed: readonly Column[]): string =>
    `FROM read_json(${path}, ${options}, columns={${typed
      .map(({ name, type }) => `${literal(name)}: ${literal(type)}`)
      .join(', ')}})`;
  const found = `FROM read_json(${path}, ${options}, sample_size=${sample})`;
  const columns = (await db.runAndReadAll(`DESCRIBE ${found}`)).getRowObjects().map((row): Column => {
    const type = String(row['column_type']);
    return { name: String(row['column_name']), type: content.isPart && NESTED.test(type) ? 'JSON' : type };
  });
  const inferred = content.isPart ? source(columns) : found;
  const isUnsure = (type: string): boolean =>
    type.includes('DOUBLE') || (sample >= 0 && /BIGINT|HUGEINT/.test(type));
  const unsure = columns.filter(({ type }) => isUnsure(type));
  if (unsure.length === 0) return inferred;
  const asText = source(
    columns.map((column) => (unsure.includes(column) ? { ...column, type: 'VARCHAR' } : column)),
  );
  const losses = await answersOf(
    db,
    asText,
    unsure.map(({ name, type }) => ({ lost: losesDigits(identifier(name), type) })),
  );
  const lossy = unsure.filter((_, at) => losses[at]?.['lost'] === true);
  if (lossy.length === 0) return inferred;
  // Numbers below the sample differ from those in it.
  if (sample >= 0) return jsonSource(db, path, content, -1);
  const plain = lossy.filter(({ type }) => type === 'DOUBLE');
  const types = await numberTypes(
    db,
    plain.map(({ name }) => name),
    asText,
  );
  const casts = plain.map(
    ({ name }, at) => `CAST(${identifier(name)} AS ${types[at]}) AS ${identifier(name)}`,
  );
  const read = source(
    columns.map((column) => {
      if (plain.includes(column)) return { ...column, type: 'VARCHAR' };
      return lossy.includes(column) ? { ...column, type: 'JSON' } : column;
    }),
  );
  return casts.length === 0 ? read : `SELECT * REPLACE (${casts.join(', ')}) ${read}`;
}

/** True in SQL if a number of the column has more digits than its type keeps; strings around it are left out. */
function losesDigits(text: string, type: string): string {
  const isNested = !/^(?:DOUBLE|U?BIGINT|U?HUGEINT)$/.test(type);
  const numbers = isNested ? `regexp_replace(${text}, '"(?:[^"\\\\]|\\\\.)*"', '', 'g')` : text;
  if (!type.includes('DOUBLE')) return `bool_or(regexp_matches(${numbers}, '[0-9][.eE]|[0-9]{19}'))`;
  return `bool_or(regexp_matches(${numbers}, '(?:^|[^0-9.])[0-9]{${EXACT_DIGITS + 1},}(?:[^0-9.eE]|$)'))`;
}
