// Finds columns of text that mislead a query: those that hold numbers, as in `1.234,56` and `12 €`, which sort and compare
// as text, and those that hold both NULL and '', which a test for one of them misses. Gives the SQL that reads them.

import { answersOf } from './column-types.ts';
import { type Connection, literal } from './duckdb.ts';
import type { NamedColumns } from './names.ts';
import type { TableSchema } from './schema.ts';

/** What a note says of a column. */
export interface Doubt {
  readonly code: 'NUMBERS_AS_TEXT' | 'NULL_AND_EMPTY';
  readonly message: string;
}

/** Rows that tell which columns are worth a look at all rows. */
const SAMPLE = 1000;
const MAX_COLUMNS = 5;

const SPACE = '[ \\x{a0}\\x{202f}]';
const SYMBOL = '[\\p{Sc}%]';
/** A number whose decimals follow `mark`, with groups of three digits or none, and a currency or percent sign. */
const number = (mark: string): string =>
  `${SPACE}*\\(?[-+]?(?:${SYMBOL}${SPACE}*)?[-+]?(?:0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:[.,'’ \\x{a0}\\x{202f}][0-9]{3})+)(?:${mark}[0-9]+)?${SPACE}*${SYMBOL}?\\)?${SPACE}*`;

interface ReadTable {
  readonly name: string;
  readonly schema: TableSchema;
}

/** What is doubtful about columns of `tables`, as the query uses them. */
export async function doubtsOf(
  db: Connection,
  tables: readonly ReadTable[],
  columns: NamedColumns,
): Promise<readonly Doubt[]> {
  return [...(await numbersAsText(db, tables, columns)), ...(await nullAndEmpty(db, tables, columns))];
}

async function numbersAsText(
  db: Connection,
  tables: readonly ReadTable[],
  { ordered, read }: NamedColumns,
): Promise<readonly Doubt[]> {
  const found: string[] = [];
  for (const { name, schema } of tables) {
    const columns = textsOf(schema, (key) => (ordered === 'all' || ordered.has(key)) && !read.has(key));
    const likely = await numeric(db, columns, `SELECT ${columns.join(', ')} FROM ${name} LIMIT ${SAMPLE}`);
    const certain = await numeric(
      db,
      likely.map(({ column }) => column),
      `FROM ${name}`,
    );
    for (const { column, facts } of certain) found.push(`${column} with ${expressionOf(column, facts)}`);
  }
  if (found.length === 0) return [];
  const message = `Numbers stored as text, which sort and compare as text; read ${listed(found)}.`;
  return [{ code: 'NUMBERS_AS_TEXT', message }];
}

async function nullAndEmpty(
  db: Connection,
  tables: readonly ReadTable[],
  { nulls, empties }: NamedColumns,
): Promise<readonly Doubt[]> {
  const found: string[] = [];
  for (const { name, schema } of tables) {
    const columns = textsOf(schema, (key) => nulls.has(key) !== empties.has(key));
    const answers = await answersOf(
      db,
      `FROM ${name}`,
      columns.map((column) => ({ both: `bool_or(${column} IS NULL) AND bool_or(${column} = '')` })),
    );
    found.push(...columns.filter((_, at) => answers[at]?.['both'] === true));
  }
  const [first] = found;
  if (first === undefined) return [];
  const message = `Both NULL and '' are in ${listed(found)}; NULLIF(${first}, '') IS NULL finds both.`;
  return [{ code: 'NULL_AND_EMPTY', message }];
}

/** The columns of text that are wanted by their name in lower case, as they are written in SQL. */
const textsOf = ({ columns }: TableSchema, isWanted: (key: string) => boolean): string[] =>
  columns.flatMap(({ name, type }) => {
    const key = name
      .replace(/^"(.*)"$/s, '$1')
      .replaceAll('""', '"')
      .toLowerCase();
    return type === 'VARCHAR' && isWanted(key) ? [name] : [];
  });

function listed(found: readonly string[]): string {
  const more = found.length > MAX_COLUMNS ? ` and ${found.length - MAX_COLUMNS} more` : '';
  return `${found.slice(0, MAX_COLUMNS).join(', ')}${more}`;
}

type Facts = Readonly<Record<string, unknown>>;

async function numeric(
  db: Connection,
  columns: readonly string[],
  rows: string,
): Promise<readonly { readonly column: string; readonly facts: Facts }[]> {
  const answers = await answersOf(
    db,
    rows,
    columns.map((text) => {
      const reads = (mark: string): string =>
        `bool_and(regexp_full_match(${text}, ${literal(number(mark))}) OR NOT regexp_matches(${text}, '[0-9]'))`;
      return {
        some: `bool_or(regexp_matches(${text}, '[0-9]'))`,
        point: reads('[.]'),
        comma: reads(','),
        bracket: `bool_or(contains(${text}, '('))`,
        sign: `bool_or(regexp_matches(${text}, '[^0-9.,+()-]'))`,
        points: `bool_or(contains(${text}, '.'))`,
        commas: `max(length(${text}) - length(replace(${text}, ',', '')))`,
      };
    }),
  );
  return columns.flatMap((column, at) => {
    const facts = answers[at] ?? {};
    const isNumber = facts['some'] === true && (facts['point'] === true || facts['comma'] === true);
    return isNumber ? [{ column, facts }] : [];
  });
}

/** The SQL that reads a column, in no more steps than its values need. */
function expressionOf(column: string, { point, bracket, sign, points, commas }: Facts): string {
  let sql = column;
  if (bracket === true) sql = `regexp_replace(${sql}, '^\\((.*)\\)$', '-\\1')`;
  if (sign === true) sql = `regexp_replace(${sql}, '[^0-9.,+-]', '', 'g')`;
  // Without a value that only a decimal comma explains, a comma groups digits.
  const isPoint = point === true;
  if (!isPoint && points === true) sql = `replace(${sql}, '.', '')`;
  if (!isPoint && Number(commas) > 1) sql = `regexp_replace(${sql}, ',([0-9]+)$', '.\\1')`;
  if (Number(commas) > 0) sql = `replace(${sql}, ',', ${isPoint || Number(commas) > 1 ? "''" : "'.'"})`;
  return `TRY_CAST(${sql} AS DOUBLE)`;
}
