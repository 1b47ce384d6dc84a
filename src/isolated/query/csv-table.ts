// Reads a delimited file: DuckDB infers the types of its columns once, and each must hold every value exactly.

import { type Connection, identifier, literal } from './duckdb.ts';

/** The dialect, as the reader detected it. */
export interface CsvContent {
  readonly kind: 'csv';
  readonly delimiter: string;
  readonly quote: string;
  readonly header: boolean;
  /** How a missing value is written, besides as an empty field. */
  readonly nullText?: string;
}

interface Column {
  readonly name: string;
  readonly type: string;
}

const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MIN_LINE_BYTES = 64 * 1024;
/** Integers of this many digits and more are not exact as DOUBLE. */
const INEXACT_DIGITS = 16;
/** HUGEINT holds every integer of this many digits. */
const HUGEINT_DIGITS = 38;

/**
 * The table as SQL, with the columns written out so that a query does not infer them again. `sample`: rows to infer
 * types from, -1 for all. `bytes`: size of the file, for buffers: every scan in a query has its own.
 */
export async function csvSource(
  db: Connection,
  path: string,
  { delimiter, quote, header, nullText }: CsvContent,
  { bytes, sample }: { readonly bytes: number; readonly sample: number },
): Promise<string> {
  const line = Math.min(MAX_LINE_BYTES, Math.max(MIN_LINE_BYTES, bytes + 1));
  const nulls = nullText === undefined ? '' : `, nullstr=['', ${literal(nullText)}]`;
  const dialect = `delim=${literal(delimiter)}, quote=${literal(quote)}, escape=${literal(quote)}, header=${header}, null_padding=true, parallel=false, max_line_size=${line}, buffer_size=${2 * line}${nulls}`;
  const [found = {}] = (
    await db.runAndReadAll(`FROM sniff_csv(${path}, ${dialect}, sample_size=${sample})`)
  ).getRowObjects();
  const columns = columnsOf(found['Columns']);
  const formats = (['DateFormat', 'TimestampFormat'] as const)
    .filter((name) => typeof found[name] === 'string')
    .map((name) => `, ${name.toLowerCase()}=${literal(String(found[name]))}`);
  const source = (typed: readonly Column[]): string =>
    `FROM read_csv(${path}, ${dialect}, auto_detect=false, skip=${Number(found['SkipRows'] ?? 0)}${formats.join('')}, columns={${typed
      .map(({ name, type }) => `${literal(name)}: ${literal(type)}`)
      .join(', ')}})`;
  const asText = source(columns.map(({ name }) => ({ name, type: 'VARCHAR' })));
  return source(await withoutLoss(db, columns, `${asText}${sample < 0 ? '' : ` LIMIT ${sample}`}`));
}

/** Long integers are inferred as DOUBLE, which would change their last digits. */
async function withoutLoss(
  db: Connection,
  columns: readonly Column[],
  asText: string,
): Promise<readonly Column[]> {
  const doubles = columns.filter(({ type }) => type === 'DOUBLE');
  if (doubles.length === 0) return columns;
  const checks = doubles.flatMap(({ name }, at) => {
    const digits = (range: string): string =>
      `regexp_full_match(${identifier(name)}, '\\s*[+-]?\\d{${range}}\\s*')`;
    return [
      `bool_or(${digits(`${INEXACT_DIGITS},`)}) AS long_${at}`,
      `bool_and(${digits(`1,${HUGEINT_DIGITS}`)}) AS integers_${at}`,
    ];
  });
  const [checked = {}] = (
    await db.runAndReadAll(`SELECT ${checks.join(', ')} FROM (${asText})`)
  ).getRowObjects();
  return columns.map((column) => {
    const at = doubles.indexOf(column);
    if (at < 0 || checked[`long_${at}`] !== true) return column;
    return { ...column, type: checked[`integers_${at}`] === true ? 'HUGEINT' : 'VARCHAR' };
  });
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
