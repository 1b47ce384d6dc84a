// Checks which functions and tables a statement names, in its syntax tree: a query reads its tables, not files, settings
// or the catalog of the database, which hold paths of the host. The database refuses files itself; this comes first.

import { quoted, ReaderError } from '../../contract/index.ts';
import { type Connection, literal } from './duckdb.ts';
import { type TableSchema, tablesHint } from './schema.ts';

/** Functions in `FROM` that compute rows from their arguments. */
const TABLE_FUNCTIONS = new Set([
  'range',
  'generate_series',
  'unnest',
  'json_each',
  'json_tree',
  'repeat',
  'repeat_row',
]);
/** Functions that read settings, files or the environment, or run a query of their own. */
const REFUSED_FUNCTION =
  /^(?:duckdb_|pragma_|pg_|read_|write_|parquet_|current_setting|set_config|getenv|getvariable|query|json_execute|json_serialize|json_deserialize|in_search_path|current_(?:database|schema|catalog|user|role)|sleep|nextval|setseed)/;
/** Tables of the catalog. */
const REFUSED_TABLE = /^(?:duckdb_|pragma_|pg_|sqlite_)/;
const REFUSED_SCHEMAS = new Set(['information_schema', 'pg_catalog', 'system', 'temp']);

type Tree = Readonly<Record<string, unknown>>;

/** @throws {ReaderError} BAD_INPUT for a name that a query cannot use */
export async function checkNames(
  db: Connection,
  sql: string,
  names: ReadonlySet<string>,
  tables: readonly TableSchema[],
): Promise<void> {
  const statements = await statementsOf(db, sql);
  if (statements === undefined)
    throw new ReaderError(
      'BAD_INPUT',
      'The statement is not a plain `SELECT`.',
      'Write a `SELECT`, `WITH ... SELECT`, `VALUES`, `DESCRIBE` or `SUMMARIZE` statement.',
    );
  for (const node of nodesOf(statements)) {
    const refused = refusedIn(node, names);
    if (refused !== undefined)
      throw new ReaderError(
        'BAD_INPUT',
        `A query cannot use ${quoted(refused)}; it reads only its tables.`,
        tablesHint(tables),
      );
  }
}

/** The tables that a statement names, in lower case, and its common table expressions; none if it is not a plain `SELECT`. */
export async function tablesNamedIn(db: Connection, sql: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  // What is wrong with a statement is said when it is answered.
  const statements = await statementsOf(db, sql).catch(() => undefined);
  for (const node of nodesOf(statements))
    if (node['type'] === 'BASE_TABLE') found.add(wordOf(node['table_name']));
  return found;
}

/** Columns in lower case, by what a statement does with them. */
export interface NamedColumns {
  /** Compared, ordered, cast or computed with, so that it matters whether they are numbers. */
  readonly ordered: ReadonlySet<string> | 'all';
  /** Those whose text it rewrites. */
  readonly read: ReadonlySet<string>;
  /** Tested for NULL, or counted. */
  readonly nulls: ReadonlySet<string>;
  /** Compared with an empty text. */
  readonly empties: ReadonlySet<string>;
}

const REWRITES = /^(?:replace|regexp_replace|regexp_extract|translate)$/;
/** Aggregates and operators whose result depends on the order or the value of numbers. */
const COMPUTES =
  /^(?:[-+*/%]|\/\/|\*\*|sum|fsum|avg|mean|min|max|median|mode|arg_min|arg_max|min_by|max_by|quantile\w*|std\w*|var\w*|corr|round|abs|greatest|least|histogram)$/;

const NULL_TESTS = /^OPERATOR_(?:IS_NULL|IS_NOT_NULL|COALESCE)$/;

/** `SUMMARIZE` orders all. */
export async function columnsNamedIn(db: Connection, sql: string): Promise<NamedColumns> {
  const all = new Set<string>();
  const ordered = new Set<string>();
  const read = new Set<string>();
  const nulls = new Set<string>();
  const empties = new Set<string>();
  const aliases = new Map<string, readonly string[]>();
  let isAll = false;
  let byNumber = false;
  const addAll = (into: Set<string>, from: unknown): void => {
    for (const name of columnsIn(from)) into.add(name);
  };
  for (const node of nodesOf(await statementsOf(db, sql))) {
    const { type, class: kind, children, alias } = node;
    const called = wordOf(node['function_name']);
    isAll ||= type === 'SHOW_REF' && node['show_type'] === 'SUMMARY';
    const column = columnOf(node);
    if (column !== undefined) all.add(column);
    if (typeof alias === 'string' && alias !== '') aliases.set(alias.toLowerCase(), columnsIn(node));
    if (REWRITES.test(called)) addAll(read, children);
    if (kind === 'COMPARISON') {
      const sides = [node['left'], node['right']];
      const isSame = type === 'COMPARE_EQUAL' || type === 'COMPARE_NOTEQUAL';
      if (sides.some((side) => textIn(side) === '')) addAll(empties, sides);
      // A text that is compared with another is meant as a text.
      else if (!isSame || sides.every((side) => textIn(side) === undefined)) addAll(ordered, sides);
    } else if (kind === 'BETWEEN' || kind === 'CAST' || COMPUTES.test(called)) addAll(ordered, node);
    else if (type === 'COMPARE_IN' || type === 'COMPARE_NOT_IN') addAll(ordered, children);
    else if (called === 'count' || NULL_TESTS.test(String(type))) addAll(nulls, children);
    else if (called === 'nullif' || type === 'OPERATOR_NULLIF') addAll(empties, children);
    if ('null_order' in node) {
      addAll(ordered, node['expression']);
      byNumber ||= isTree(node['expression']) && node['expression']['class'] === 'CONSTANT';
    }
  }
  for (const [alias, names] of aliases) if (ordered.has(alias)) for (const name of names) ordered.add(name);
  return { ordered: isAll ? 'all' : byNumber ? all : ordered, read, nulls, empties };
}

/** The columns that a part of a tree refers to. */
const columnsIn = (tree: unknown): string[] => [...nodesOf(tree)].flatMap((node) => columnOf(node) ?? []);

/** The text that is written here; the tree leaves out the value of an empty one. */
function textIn(node: unknown): string | undefined {
  if (!isTree(node) || node['type'] !== 'VALUE_CONSTANT' || !isTree(node['value'])) return undefined;
  const { value = '', is_null: isNull } = node['value'];
  return isNull === false && typeof value === 'string' ? value : undefined;
}

/** The column that a node refers to, without its table. */
function columnOf(node: Tree): string | undefined {
  const names = node['column_names'];
  return node['class'] === 'COLUMN_REF' && Array.isArray(names) ? wordOf(names.at(-1)) : undefined;
}

/** The statements of the syntax tree. */
async function statementsOf(db: Connection, sql: string): Promise<readonly unknown[] | undefined> {
  const [row = {}] = (
    await db.runAndReadAll(
      `SELECT json_serialize_sql(${literal(sql)}, skip_null := true, skip_empty := true) AS tree`,
    )
  ).getRowObjects();
  // Numbers that JSON does not have are written as bare words.
  const text = String(row['tree']).replace(BARE_WORD, (token) => (token.startsWith('"') ? token : 'null'));
  const tree: unknown = JSON.parse(text);
  if (!isTree(tree) || tree['error'] !== false || !Array.isArray(tree['statements'])) return undefined;
  return tree['statements'];
}

/** Strings, which are kept, and numbers that JSON does not have. */
const BARE_WORD = /"(?:[^"\\]|\\.)*"|-?(?:Infinity|NaN|nan|inf)\b/g;

/** Every object of a tree. */
function* nodesOf(tree: unknown): Generator<Tree> {
  const open: unknown[] = [tree];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (Array.isArray(node)) for (const item of node) open.push(item);
    else if (isTree(node)) {
      yield node;
      for (const value of Object.values(node)) if (typeof value === 'object') open.push(value);
    }
  }
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

const wordOf = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '');

/** The name that a node of the tree uses and a query cannot. */
function refusedIn(node: Tree, names: ReadonlySet<string>): string | undefined {
  const { type, function: called } = node;
  if (type === 'TABLE_FUNCTION' && isTree(called)) {
    const name = wordOf(called['function_name']);
    return TABLE_FUNCTIONS.has(name) ? undefined : name;
  }
  if (type === 'BASE_TABLE') {
    const name = wordOf(node['table_name']);
    if (REFUSED_SCHEMAS.has(wordOf(node['schema_name']))) return `${wordOf(node['schema_name'])}.${name}`;
    return REFUSED_TABLE.test(name) && !names.has(name) ? name : undefined;
  }
  const name = wordOf(node['function_name']);
  return REFUSED_FUNCTION.test(name) ? name : undefined;
}
