// Chooses types for columns of text that keep every value: a type that was inferred is checked against all rows.

import { type Connection, identifier, literal } from './duckdb.ts';

/** A column and its type in DuckDB. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

/** How dates may be written that do not begin with the year, for `strptime`. */
export interface DateFormats {
  readonly date?: string;
  readonly timestamp?: string;
}

/** A column whose values all fit its type. */
export interface CheckedColumn extends Column {
  /** How its dates are written, unless they begin with the year. */
  readonly format?: string;
  /** Some values are empty texts, which are not values of the type. */
  readonly hasEmpty: boolean;
}

/** DECIMAL and HUGEINT hold every number of this many digits. */
const MAX_DIGITS = 38;
/** DOUBLE keeps every number of this many characters, BIGINT of this many digits. */
const DOUBLE_CHARACTERS = 15;
const BIGINT_DIGITS = 18;

const NUMERIC = new Set(['BIGINT', 'DOUBLE', 'HUGEINT', 'UBIGINT', 'UHUGEINT']);
const PLAIN = '-?(?:(?:0|[1-9][0-9]*)(?:\\.[0-9]*)?|\\.[0-9]+)';
const INTEGER = ` *-?(?:0|[1-9][0-9]{0,${MAX_DIGITS - 1}}) *`;
const WORD = '(?i) *[+-]?(?:nan|inf|infinity) *';
const CLOCK = '[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]{1,6})?)?';
const ISO_DATE = '[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}';
const OTHER_DATE = '[0-9]{1,2}[-/. ][0-9]{1,2}[-/. ][0-9]{4}';

const matches = (text: string, pattern: string): string => `regexp_full_match(${text}, ${literal(pattern)})`;

/**
 * `columns` with types that keep every value of `rows`, which has them as text. Numbers with leading zeros, and dates
 * whose day and month could be either, stay text.
 */
export async function typesThatKeep(
  db: Connection,
  columns: readonly Column[],
  rows: string,
  formats: DateFormats = {},
): Promise<readonly CheckedColumn[]> {
  const typed = columns.filter(({ type }) => type !== 'VARCHAR');
  const checked = await answersOf(
    db,
    rows,
    typed.map((column) => {
      const filled = `NULLIF(${identifier(column.name)}, '')`;
      const format = formatOf(column, formats);
      return {
        keeps: `bool_and(${keeps(filled, column.type)})`,
        empty: `bool_or(${identifier(column.name)} = '')`,
        ...(format !== undefined && { formatted: isFormatted(filled, format) }),
      };
    }),
  );
  const numbers = typed.filter(({ type }, at) => checked[at]?.['keeps'] === false && NUMERIC.has(type));
  const widened = await numberTypes(
    db,
    numbers.map(({ name }) => name),
    rows,
  );
  return columns.map((column) => {
    const at = typed.indexOf(column);
    const facts = checked[at];
    if (facts === undefined) return { ...column, hasEmpty: false };
    const hasEmpty = facts['empty'] === true;
    if (facts['keeps'] !== false) return { ...column, hasEmpty };
    const format = formatOf(column, formats);
    if (format !== undefined && facts['formatted'] === true) return { ...column, hasEmpty, format };
    return { name: column.name, type: widened[numbers.indexOf(column)] ?? 'VARCHAR', hasEmpty };
  });
}

function formatOf({ type }: Column, { date, timestamp }: DateFormats): string | undefined {
  return type === 'DATE' ? date : type === 'TIMESTAMP' ? timestamp : undefined;
}

/** True in SQL for a text that its type keeps. Numbers for which it is false are looked at again. */
function keeps(text: string, type: string): string {
  switch (type) {
    case 'BIGINT':
      return matches(text, `-?(?:0|[1-9][0-9]{0,${BIGINT_DIGITS - 1}})`);
    case 'DOUBLE':
      return `(strlen(${text}) <= ${DOUBLE_CHARACTERS} AND ${matches(text, PLAIN)})`;
    case 'BOOLEAN':
      return matches(text, '(?i)true|false');
    case 'TIME':
      return `(${matches(text, CLOCK)} AND TRY_CAST(${text} AS TIME) IS NOT NULL)`;
    case 'DATE':
      return `(${matches(text, ISO_DATE)} AND TRY_CAST(${text} AS DATE) IS NOT NULL)`;
    case 'TIMESTAMP':
      return `(${matches(text, `${ISO_DATE}(?:[ T]${CLOCK}Z?)?`)} AND TRY_CAST(${text} AS TIMESTAMP) IS NOT NULL)`;
    case 'TIMESTAMP WITH TIME ZONE':
      return `(NOT regexp_matches(${text}, '[.][0-9]{7}') AND TRY_CAST(${text} AS TIMESTAMPTZ) IS NOT NULL)`;
    default:
      return NUMERIC.has(type) ? `${text} IS NULL` : `TRY_CAST(${text} AS ${type}) IS NOT NULL`;
  }
}

/** True in SQL if all dates have the format and a year of four digits, and one tells the day from the month. */
function isFormatted(text: string, format: string): string {
  const part = (at: number): string =>
    `TRY_CAST(regexp_extract(${text}, '^([0-9]{1,2})[-/. ]([0-9]{1,2})', ${at}) AS INTEGER)`;
  const fits = `${matches(text, `${OTHER_DATE}(?:[^0-9].*)?`)} AND NOT regexp_matches(${text}, '[.][0-9]{7}') AND try_strptime(${text}, ${literal(format)}) IS NOT NULL`;
  return `(bool_and(${fits}) AND bool_or(${part(1)} > 12 OR ${part(2)} > 12))`;
}

/** For each column of numbers, the narrowest of BIGINT, HUGEINT, DOUBLE, DECIMAL and VARCHAR that keeps all. */
export async function numberTypes(
  db: Connection,
  names: readonly string[],
  rows: string,
): Promise<readonly string[]> {
  const found = await answersOf(
    db,
    rows,
    names.map((name) => {
      const text = `NULLIF(${identifier(name)}, '')`;
      const double = `TRY_CAST(${text} AS DOUBLE)`;
      const word = matches(text, WORD);
      const digits = significant(text);
      const trimmed = `ltrim(trim(${text}), '-')`;
      const number = `(${matches(text, ` *\\+?${PLAIN}(?:[eE][+-]?[0-9]{1,3})? *`)} AND NOT ${matches(text, ' *\\+[0-9]+ *')})`;
      const all = `replace(split_part(lower(${trimmed}), 'e', 1), '.', '')`;
      const printed = `printf('%.' || greatest(strlen(ltrim(${all}, '0')) - 1, 0) || 'e', ${double})`;
      return {
        integers: `bool_and(${matches(text, INTEGER)})`,
        short: `bool_and(TRY_CAST(${text} AS BIGINT) IS NOT NULL)`,
        numbers: `bool_and(${number} OR ${word})`,
        some: `bool_or(${number})`,
        plain: `bool_and(${matches(text, ` *${PLAIN} *`)})`,
        whole: `max(strlen(split_part(${trimmed}, '.', 1)))`,
        fraction: `max(strlen(split_part(${trimmed}, '.', 2)))`,
        exact: `bool_and(${word} OR ${digits} = ${significant(`${double}::VARCHAR`)})`,
        printed: `bool_and(${word} OR ${digits} = ${significant(printed)})`,
      };
    }),
  );
  return found.map((facts) => {
    if (facts['integers'] === true) return facts['short'] === true ? 'BIGINT' : 'HUGEINT';
    if (facts['numbers'] !== true || facts['some'] !== true) return 'VARCHAR';
    if (facts['exact'] === true) return 'DOUBLE';
    const scale = Number(facts['fraction']);
    const width = Number(facts['whole']) + scale;
    if (facts['plain'] === true && width <= MAX_DIGITS) return `DECIMAL(${width},${scale})`;
    return facts['printed'] === true ? 'DOUBLE' : 'VARCHAR';
  });
}

/** In SQL, the digits of a number without the zeros around them. */
const significant = (text: string): string =>
  `rtrim(ltrim(replace(split_part(lower(trim(${text})), 'e', 1), '.', ''), '+-0'), '0')`;

/** Aggregates of all rows, in one scan: for each of `questions`, the answers under their names. */
export async function answersOf(
  db: Connection,
  rows: string,
  questions: readonly Readonly<Record<string, string>>[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  if (questions.length === 0) return [];
  const asked = questions.flatMap((one, at) =>
    Object.entries(one).map(([name, sql]) => `${sql} AS ${name}_${at}`),
  );
  const [row = {}] = (await db.runAndReadAll(`SELECT ${asked.join(', ')} FROM (${rows})`)).getRowObjects();
  return questions.map((one, at) =>
    Object.fromEntries(Object.keys(one).map((name) => [name, row[`${name}_${at}`]])),
  );
}
