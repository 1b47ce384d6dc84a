// Answers one SQL query in a child process that ends afterwards: opens a database in memory, makes the files available,
// locks it, and writes the rows to a file that the asking process opened.

import { pathToFileURL } from 'node:url';
import { ReaderError } from '../../contract/index.ts';
import type { TaskOutput } from '../../isolation/index.ts';
import { doubtsOf } from './doubts.ts';
import { type Connection, type DuckDb, identifier, literal, SELECT } from './duckdb.ts';
import { sqlError } from './errors.ts';
import { columnsOf, descriptionOf, listingOf, type TableGroup } from './groups.ts';
import { checkNames, columnsNamedIn, tablesNamedIn } from './names.ts';
import { writeRows } from './output.ts';
import { writeParquet } from './parquet.ts';
import type { TableSchema } from './schema.ts';
import { addTable, addUnread, pathOf, type TableFile } from './tables.ts';

/** What the asking process sends; the SQL is in the body. */
export interface QueryTask {
  /** The module `@duckdb/node-api`. */
  readonly duckdb: string;
  readonly tables: readonly TableFile[];
  /** Names of tables that the statement does not use. */
  readonly unread: readonly (readonly string[])[];
  readonly groups: readonly TableGroup[];
  /** Types of columns are inferred from all rows, also of large files. */
  readonly infersFromAll: boolean;
  readonly memoryBytes: number;
  readonly maxResultBytes: number;
  /** The inherited descriptor to write to. */
  readonly output: number;
  /** The one to write the rows to as Parquet, if they are wanted so. */
  readonly parquet?: number;
}

/** What is asked before tables are read: which the SQL in the body names. */
export interface NamesTask {
  readonly duckdb: string;
  readonly memoryBytes: number;
  readonly asks: 'names';
}

/** Nothing is written besides the answer, nothing is loaded or fetched, and one thread gives rows in the same order. */
const SETTINGS = {
  threads: '1',
  temp_directory: '',
  max_temp_directory_size: '0B',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_persistent_secrets: 'false',
  secret_directory: '',
  extension_directory: '',
};

/** @throws {ReaderError} BAD_INPUT, OUT_OF_MEMORY, LIMIT_EXCEEDED, CORRUPT_FILE */
export async function answerQuery(input: unknown, body: Uint8Array): Promise<TaskOutput> {
  const task = input as QueryTask | NamesTask; // as `src/query` sends it
  const sql = Buffer.from(body).toString('utf8');
  // A package that is not installed here has no types; its parts used are described in `duckdb.ts`.
  const { DuckDBInstance } = (await import(pathToFileURL(task.duckdb).href)) as DuckDb;
  const instance = await DuckDBInstance.create(':memory:', {
    ...SETTINGS,
    memory_limit: `${Math.floor(task.memoryBytes / 1024 / 1024)}MiB`,
  });
  const db = await instance.connect();
  const used = await tablesNamedIn(db, sql);
  if ('asks' in task) return { output: [...used] };
  return answer(db, sql, task, used);
}

async function answer(
  db: Connection,
  asked: string,
  task: QueryTask,
  used: ReadonlySet<string>,
): Promise<TaskOutput> {
  const reserved = await reservedWords(db);
  const isUsed = (names: readonly string[]): boolean => names.some((name) => used.has(name.toLowerCase()));
  const schemas = new Map<string, TableSchema>();
  for (const table of task.tables) {
    const [name = ''] = table.names;
    try {
      schemas.set(name, await addTable(db, table, { reserved, infersFromAll: task.infersFromAll }));
    } catch (error) {
      if (isUsed(table.names)) throw error;
      schemas.set(name, await addUnread(db, table.names, reserved));
    }
  }
  for (const names of task.unread) schemas.set(names[0] ?? '', await addUnread(db, names, reserved));
  const tables = [...schemas.values()];
  // The same query gives the same rows.
  await db.run('SELECT setseed(0.5)');
  const descriptors = task.tables.map(({ descriptor }) => descriptor);
  if (task.parquet !== undefined) descriptors.push(task.parquet);
  const paths = descriptors.map((descriptor) => literal(pathOf(descriptor)));
  await db.run(`SET allowed_paths = [${paths.join(', ')}]`);
  await db.run('SET enable_external_access = false');
  await db.run('SET lock_configuration = true');
  try {
    checkFirstWord(asked);
    const group = task.groups.find(({ names }) => isUsed(names));
    const sql = group ? listingOf(group, asked, schemas) : columnsOf(asked);
    const statements = await db.extractStatements(sql);
    if (statements.count !== 1) throw notOne(statements.count);
    const names = [...task.tables.map((table) => table.names), ...task.unread].flat();
    await checkNames(db, sql, new Set(names.map((name) => name.toLowerCase())), tables);
    const statement = await statements.prepare(0);
    if (statement.statementType !== SELECT) throw notSelect();
    if (statement.parameterCount > 0) throw parameters();
    const written = await writeRows(await statement.stream(), task.output, task.maxResultBytes);
    if (task.parquet !== undefined) await writeParquet(db, sql, written, task.parquet);
    const read = task.tables.flatMap((table) => {
      const [name = ''] = table.names;
      const schema = isUsed(table.names) ? schemas.get(name) : undefined;
      return schema ? [{ name: identifier(name), schema }] : [];
    });
    const doubts = await doubtsOf(db, read, await columnsNamedIn(db, sql));
    const [only] = read;
    const description = descriptionOf(asked, group, only?.schema, schemas);
    return { output: { ...written, tables, doubts, ...(description !== undefined && { description }) } };
  } catch (error) {
    throw error instanceof ReaderError ? error : await sqlError(error, asked, tables);
  }
}

/** Words that are names only in quotes. */
async function reservedWords(db: Connection): Promise<ReadonlySet<string>> {
  const found = await db.runAndReadAll(
    "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'",
  );
  return new Set(found.getRowObjects().map((row) => String(row['keyword_name'])));
}

/** Words at the start of statements that do more than read. */
const STATEMENTS = new Set(
  'alter analyze attach begin call checkpoint comment commit copy create deallocate delete detach drop execute explain export import insert install load merge pragma prepare replace reset rollback set truncate update use vacuum'.split(
    ' ',
  ),
);
/** Spaces and comments. */
const BLANK = /^(?:[\s;(]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/;

/** Gives other statements the same answer whether or not their parts exist. @throws {ReaderError} BAD_INPUT */
function checkFirstWord(sql: string): void {
  const rest = sql.slice(BLANK.exec(sql)?.[0].length ?? 0);
  if (rest === '') throw notOne(0);
  const word = /^[a-z]+/i.exec(rest)?.[0].toLowerCase();
  // Anything else is a syntax error, which the database reports with its place.
  if (word !== undefined && STATEMENTS.has(word)) throw notSelect();
}

function notOne(count: number): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    count === 0
      ? 'The query is empty.'
      : `The query has ${count} statements (\`PIVOT ... ON\` without \`IN\` counts as two); expected one.`,
    'Write one `SELECT` statement.',
  );
}

function notSelect(): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    'The statement is not a `SELECT`; a query can only read.',
    'Write a `SELECT`, `WITH ... SELECT`, `VALUES`, `DESCRIBE` or `SUMMARIZE` statement.',
  );
}

function parameters(): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    'The query has parameters (`?` or `$1`), which have no values.',
    'Write the values into the query.',
  );
}
