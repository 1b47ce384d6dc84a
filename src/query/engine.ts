// SQL over files: opens them, and runs the query in a child process of its own.

import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import {
  type Environment,
  plural,
  type QueryLimits,
  ReaderError,
  throwIfAborted,
} from '../contract/index.ts';
import { unnamedFile } from '../disk/index.ts';
import type { NamesTask, QueryTask } from '../isolated/query/query.ts';
import { ChildEnded, type Pool, type PoolStatus, runTask } from '../isolation/index.ts';
import { resolveQueryLimits } from '../limits/index.ts';
import { createReadPool, type Input } from '../reader/index.ts';
import { quotedIn } from './found-files.ts';
import { type DuckDbPlace, findDuckDb } from './package.ts';
import type { QueryReader } from './room.ts';
import { QueryRows } from './rows.ts';
import { openTables } from './tables.ts';

/** Options of an engine. */
export interface QueryEngineOptions extends DuckDbPlace {
  /** Override the defaults and the environment. */
  readonly limits?: Partial<QueryLimits>;
  /** Queries running at the same time. Default: one per core. */
  readonly maxProcesses?: number;
  /** Default: that of the process. */
  readonly environment?: Environment;
}

/** A query over files. */
export interface Query {
  /** One `SELECT` statement in the dialect of DuckDB. */
  readonly sql: string;
  /** Files and addresses in them; each is a table named like its file, or has tables named by their addresses. */
  readonly files: readonly Input[];
  /** Opens and converts the files, and shows the rows. */
  readonly reader: QueryReader;
  /**
   * False reads the first record of each delimited file, sheet and table of a document as a row, true as the names of
   * the columns. Default: detected.
   */
  readonly header?: boolean;
  /** Also writes the rows as Parquet, for `QueryRows.parquet`; takes the time of the query again. */
  readonly parquet?: boolean;
  /** User for fair scheduling. */
  readonly user?: string;
  readonly signal?: AbortSignal;
}

/** Runs queries, each in a child process. */
export interface QueryEngine {
  /**
   * All rows of a query, in a temporary file: close them.
   * @throws {ReaderError} BAD_INPUT for SQL that fails, with its place; TIMED_OUT, OUT_OF_MEMORY, LIMIT_EXCEEDED,
   * MISSING_DEPENDENCY, and the errors of the files
   */
  run(query: Query): Promise<QueryRows>;
  readonly status: PoolStatus;
  /** Ends running queries. */
  close(): Promise<void>;
}

const MAX_FILES = 20;
const MAX_SQL_CHARACTERS = 1024 * 1024;
const MAX_QUEUED = 256;
/** Below this, DuckDB and Node.js do not start. */
const MIN_PROCESS_BYTES = 512 * 1024 * 1024;
/** The database's share of the memory; the rest is for the program and for values the database does not count. */
const DATABASE_SHARE = 0.5;
/** The first descriptor a child inherits. */
const FIRST_DESCRIPTOR = 4;

/** Starts nothing before the first query. @throws {ReaderError} BAD_INPUT for an invalid limit */
export function createQueryEngine(options: QueryEngineOptions = {}): QueryEngine {
  const { environment = process.env, maxProcesses = 0 } = options;
  const limits = resolveQueryLimits(options.limits, environment);
  const { maxQueryMilliseconds, maxQueryProcessBytes } = limits;
  if (maxQueryProcessBytes < MIN_PROCESS_BYTES)
    throw new ReaderError(
      'BAD_INPUT',
      `\`maxQueryProcessBytes\` is ${maxQueryProcessBytes}; expected at least ${MIN_PROCESS_BYTES}.`,
      `Set \`maxQueryProcessBytes\` (LECTERN_MAX_QUERY_PROCESS_BYTES) to ${MIN_PROCESS_BYTES} or more.`,
    );
  let pool: Pool | undefined;
  const started = (): Pool => {
    pool ??= createReadPool({
      limits: {
        maxProcesses,
        maxQueuedReads: MAX_QUEUED,
        maxReadMilliseconds: maxQueryMilliseconds,
        maxProcessBytes: maxQueryProcessBytes,
      },
      environment: {},
    });
    return pool;
  };
  return {
    run: async (query) => {
      checkQuery(query);
      const duckdb = findDuckDb({ ...options, environment });
      return runQuery(query, { duckdb, limits, pool: started() });
    },
    get status() {
      return started().status;
    },
    close: async () => {
      await pool?.close();
    },
  };
}

function checkQuery({ sql, files }: Query): void {
  if (typeof sql !== 'string' || sql.trim() === '')
    throw new ReaderError('BAD_INPUT', '`sql` is empty.', 'Write one `SELECT` statement.');
  if (sql.length > MAX_SQL_CHARACTERS)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The query has ${sql.length} characters; expected at most ${MAX_SQL_CHARACTERS}.`,
      'Put lists of values into a file, and join it.',
    );
  // The database would end the query there.
  if (sql.includes('\0')) throw new ReaderError('BAD_INPUT', 'The query has a NUL character.', 'Remove it.');
  if (files.length === 0 || files.length > MAX_FILES)
    throw new ReaderError(
      'BAD_INPUT',
      `The query has ${plural(files.length, 'file')}; expected 1 to ${MAX_FILES}.`,
      'Name the files that the query reads.',
    );
}

interface Room {
  readonly duckdb: string;
  readonly limits: QueryLimits;
  readonly pool: Pool;
}

/** How files are read: quickly, then by all their rows, then as the reader reads them. */
const WAYS = [
  { infersFromAll: false, converts: false },
  { infersFromAll: true, converts: false },
  { infersFromAll: true, converts: true },
] as const;

async function runQuery(query: Query, room: Room): Promise<QueryRows> {
  let asked: Promise<ReadonlySet<string>> | undefined;
  const used = (): Promise<ReadonlySet<string>> => {
    asked ??= namesUsed(query, room);
    return asked;
  };
  for (const way of WAYS)
    try {
      return await attempt(query, room, way, used);
    } catch (error) {
      // A value below the rows that types are inferred from may not fit them.
      if (!(error instanceof ReaderError) || error.code !== 'CORRUPT_FILE' || way.converts) throw error;
    }
  throw new TypeError('The last way returns or throws.');
}

/** The tables that the statement names, in lower case. */
async function namesUsed({ sql, user = '', signal }: Query, room: Room): Promise<ReadonlySet<string>> {
  const task: NamesTask = { duckdb: room.duckdb, memoryBytes: memoryOf(room), asks: 'names' };
  try {
    const { output } = await runTask(room.pool, {
      name: 'query',
      input: task,
      body: Buffer.from(sql),
      files: [],
      user,
      signal: signal ?? new AbortController().signal,
    });
    return new Set(z.array(z.string()).parse(output));
  } catch (error) {
    throw inQueryWords(error);
  }
}

const memoryOf = ({ limits }: Room): number => Math.floor(limits.maxQueryProcessBytes * DATABASE_SHARE);

async function attempt(
  query: Query,
  room: Room,
  { infersFromAll, converts }: (typeof WAYS)[number],
  used: () => Promise<ReadonlySet<string>>,
): Promise<QueryRows> {
  const { sql, files, reader, user = '', signal = new AbortController().signal } = query;
  throwIfAborted(signal);
  const { header } = query;
  const inQuotes = quotedIn(sql).map(({ text }) => text);
  const opened = await openTables(files, { used, inQuotes, reader, signal, converts, header });
  const { tables, unread, groups, warnings, close } = opened;
  let output: FileHandle | undefined;
  let parquet: FileHandle | undefined;
  try {
    output = await unnamedFile();
    if (query.parquet === true) parquet = await unnamedFile();
    const task: QueryTask = {
      duckdb: room.duckdb,
      infersFromAll,
      tables: tables.map(({ file: _file, ...table }, at) => ({
        ...table,
        descriptor: FIRST_DESCRIPTOR + 1 + at,
      })),
      unread,
      groups,
      memoryBytes: memoryOf(room),
      maxResultBytes: room.limits.maxQueryResultBytes,
      output: FIRST_DESCRIPTOR,
      ...(parquet && { parquet: FIRST_DESCRIPTOR + 1 + tables.length }),
    };
    const { output: facts } = await runTask(room.pool, {
      name: 'query',
      input: task,
      body: Buffer.from(sql),
      files: [output, ...tables.map(({ file }) => file), ...(parquet ? [parquet] : [])],
      user,
      signal,
    });
    const { doubts, ...known } = FACTS.parse(facts);
    return new QueryRows(output, known, reader, parquet, [...warnings, ...doubts]);
  } catch (error) {
    await Promise.all([output?.close(), parquet?.close()]);
    throw inQueryWords(error);
  } finally {
    await close();
  }
}

const COLUMNS = z.array(z.object({ name: z.string(), type: z.string() }));
/** A child may say anything. */
const FACTS = z.object({
  rows: z.int().min(0),
  bytes: z.int().min(0),
  columns: COLUMNS,
  tables: z.array(z.object({ name: z.string(), columns: COLUMNS })),
  doubts: z.array(z.object({ code: z.enum(['NUMBERS_AS_TEXT', 'NULL_AND_EMPTY']), message: z.string() })),
  description: z.string().exactOptional(),
});

/** How a child ended, as the end of a query. */
function inQueryWords(error: unknown): unknown {
  const ended = error instanceof ReaderError ? error.cause : undefined;
  if (!(ended instanceof ChildEnded)) return error;
  switch (ended.ending) {
    case 'TIMED_OUT':
      return new ReaderError(
        'TIMED_OUT',
        'The query took longer than allowed (limit `maxQueryMilliseconds`).',
        'Filter rows, or join and group less.',
        ended,
      );
    case 'OUT_OF_MEMORY':
      return new ReaderError(
        'OUT_OF_MEMORY',
        'The query needed more memory than allowed (limit `maxQueryProcessBytes`).',
        'Filter rows and select columns before joining, sorting or grouping.',
        ended,
      );
    default:
      return new ReaderError(
        'CRASHED',
        'The process that ran the query crashed or was killed.',
        'Simplify the query, then try again.',
        ended,
      );
  }
}
