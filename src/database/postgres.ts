// A PostgreSQL database, shared by nodes on many machines. All tables are in the schema `lectern`. Loads the driver on
// use. Settings hold for one transaction each, so that a pooler in transaction mode may stand before the server.

import { setTimeout } from 'node:timers/promises';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { ReaderError } from '../contract/index.ts';
import { connectTo } from './connections.ts';
import {
  BUSY_TIMEOUT_MS,
  codeOf,
  type Database,
  type DatabaseOptions,
  DatabaseUnavailable,
  type Migration,
  rowOf,
  type Sql,
  type SqlValue,
  type WriteOptions,
} from './database.ts';
import { lockNumber, tablesToPostgres, toPostgres } from './dialect.ts';
import { migrateStore, STORES } from './migrate.ts';

export const SCHEMA = 'lectern';

/** Connections of one process; a server accepts 100 by default. */
const MAX_CONNECTIONS = 8;

const BUSY_PAUSE_MS = 50;

/** The server ends a transaction whose process stands still for this long, so that its locks do not remain. */
const STILL_MS = 30_000;
const STATEMENT_MS = 60_000;

/** A server that is silent for longer than its own limit is gone without closing the connection. */
const SILENT_MS = STATEMENT_MS + 10_000;

/**
 * Connects, and creates the schema if it is missing.
 * @throws {DatabaseUnavailable}; {ReaderError} MISSING_DEPENDENCY, BAD_INPUT, ACCESS_DENIED, INTERNAL
 */
export async function openPostgres(
  url: string,
  { of, busyTimeoutMs = BUSY_TIMEOUT_MS }: DatabaseOptions,
): Promise<Database> {
  const pool = await connectTo(url, {
    of,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: busyTimeoutMs,
    query_timeout: SILENT_MS,
  });
  const database = new PostgresDatabase(pool, of, busyTimeoutMs);
  try {
    await database.prepare();
  } catch (error) {
    await pool.end();
    throw error;
  }
  return database;
}

class PostgresDatabase implements Database {
  readonly isShared = true;
  readonly #pool: Pool;
  readonly #of: string;
  readonly #busyTimeoutMs: number;
  #closed: Promise<void> | undefined;

  constructor(pool: Pool, of: string, busyTimeoutMs: number) {
    this.#pool = pool;
    this.#of = of;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  async prepare(): Promise<void> {
    await this.#patiently({ lock: 'schema' }, async (sql, client) => {
      const schema = await sql.first('SELECT 1 AS found FROM pg_namespace WHERE nspname = ?', [SCHEMA]);
      // A role without the right to create a schema works in one that was created for it.
      if (schema === undefined) await client.query(`CREATE SCHEMA ${SCHEMA}`);
      const stores = await sql.first(
        'SELECT 1 AS found FROM pg_tables WHERE schemaname = ? AND tablename = ?',
        [SCHEMA, 'stores'],
      );
      if (stores === undefined) await client.query(tablesToPostgres(STORES));
    });
  }

  write<T>(work: (sql: Sql) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    return this.#patiently(options, work);
  }

  read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#patiently({ isReading: true }, work);
  }

  migrate(store: string, steps: readonly Migration[], version: number = steps.length): Promise<void> {
    return this.#patiently({ lock: 'schema' }, (sql, client) =>
      migrateStore(sql, (statements) => client.query(tablesToPostgres(statements)), store, steps, version),
    );
  }

  /** The server checks its own pages; this is that it answers. */
  async integrity(): Promise<string> {
    await this.read((sql) => sql.first('SELECT 1 AS found'));
    return 'ok';
  }

  close(): Promise<void> {
    this.#closed ??= this.#pool.end();
    return this.#closed;
  }

  /** Repeats a transaction that another one interfered with, or whose connection was lost before the commit. */
  async #patiently<T>(options: Begin, work: (sql: Sql, client: PoolClient) => Promise<T>): Promise<T> {
    const until = performance.now() + this.#busyTimeoutMs;
    for (;;) {
      try {
        return await this.#once(options, work);
      } catch (error) {
        const again = (isLost(error) || INTERFERENCE.has(codeOf(error))) && performance.now() < until;
        if (!again) throw databaseError(error, this.#of);
        await setTimeout(BUSY_PAUSE_MS * (0.5 + Math.random()));
      }
    }
  }

  async #once<T>(options: Begin, work: (sql: Sql, client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let broken = true;
    try {
      const sql = sqlOf(client, await begin(client, options, this.#busyTimeoutMs));
      const result = await work(sql, client).catch(async (error: unknown) => {
        if (isLost(error)) throw error;
        await client.query('ROLLBACK');
        broken = false;
        throw error;
      });
      await client.query('COMMIT').catch((error: unknown) => {
        throw options.isReading ? error : new LostCommit(error);
      });
      broken = false;
      return result;
    } finally {
      client.release(broken);
    }
  }
}

interface Begin extends WriteOptions {
  readonly isReading?: boolean;
}

/** Starts a transaction in one round trip, waits for its lock, and returns the time. */
async function begin(
  client: PoolClient,
  { lock, isReading = false }: Begin,
  waitMs: number,
): Promise<number> {
  const statements = [
    isReading ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN ISOLATION LEVEL READ COMMITTED',
    `SET LOCAL search_path = ${SCHEMA}`,
    `SET LOCAL lock_timeout = ${Math.max(1, Math.trunc(waitMs))}`,
    `SET LOCAL statement_timeout = ${STATEMENT_MS}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${STILL_MS}`,
    ...(isReading ? [] : ['SET LOCAL synchronous_commit = on']),
    ...(lock === undefined ? [] : [`SELECT pg_advisory_xact_lock(${lockNumber(lock)})`]),
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
  ];
  // Several statements give several results, which the types of the driver do not say.
  const results = (await client.query(statements.join('; '))) as unknown as readonly QueryResult[];
  return rowOf(results.at(-1)?.rows[0] ?? {}).integer('now');
}

function sqlOf(client: PoolClient, now: number): Sql {
  const execute = (sql: string, parameters: readonly SqlValue[] = []) =>
    client.query<Record<string, unknown>>(toPostgres(sql, parameters), [...parameters]);
  return {
    now,
    all: async (sql, parameters) => (await execute(sql, parameters)).rows.map(rowOf),
    first: async (sql, parameters) => (await execute(sql, parameters)).rows.map(rowOf)[0],
    run: async (sql, parameters) => (await execute(sql, parameters)).rowCount ?? 0,
  };
}

/** The connection was lost during the commit, which may have happened. */
class LostCommit extends Error {
  constructor(cause: unknown) {
    super('The connection was lost during the commit.', { cause });
  }
}

/** `serialization_failure`, `deadlock_detected`. */
const INTERFERENCE: ReadonlySet<string> = new Set(['40001', '40P01']);

/** Errors of the system, and states of the server: shutdown, start, too many connections, a node that only reads. */
const LOST: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EAI_AGAIN',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '25006',
  '25P03',
]);

/** Errors of the driver, which have no code. */
const LOST_WORDS =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout)/;

function isLost(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isLost);
  const code = codeOf(error);
  return (
    LOST.has(code) || code.startsWith('08') || (error instanceof Error && LOST_WORDS.test(error.message))
  );
}

function databaseError(error: unknown, of: string): ReaderError {
  if (error instanceof ReaderError) return error;
  if (error instanceof LostCommit)
    return new DatabaseUnavailable(
      `The connection to the database of the ${of} was lost while a change was stored: it may be stored or not.`,
      'Check what is stored before you try again, or repeat the request with the same `Idempotency-Key`.',
      error.cause,
    );
  const code = codeOf(error);
  if (isLost(error))
    return new DatabaseUnavailable(
      `The database of the ${of} cannot be reached.`,
      'Try again in a few seconds. If it persists, check that PostgreSQL is running and accepts connections.',
      error,
    );
  // A lock or a statement that took too long, or interference that did not end.
  if (code === '55P03' || code === '57014' || INTERFERENCE.has(code))
    return new DatabaseUnavailable(
      `The database of the ${of} is too busy.`,
      'Try again in a few seconds.',
      error,
    );
  if (/^53[12]00$/.test(code))
    return new ReaderError(
      'QUOTA_EXCEEDED',
      `The disk or the memory of the database of the ${of} is full.`,
      'Free space on the server of the database, then try again.',
      error,
    );
  if (/^28|^3D000$|^42501$|^ENOTFOUND$/.test(code))
    return new ReaderError(
      'ACCESS_DENIED',
      `The database of the ${of} refuses access, or does not exist.`,
      'Check the host, database, user and password of its URL, and that the user may create tables in the schema `lectern`.',
      error,
    );
  if (code === '22021')
    return new ReaderError(
      'BAD_INPUT',
      'A name or text contains a character that PostgreSQL cannot store, such as NUL.',
      'Remove the character.',
      error,
    );
  return new ReaderError(
    'INTERNAL',
    `The database of the ${of} failed.`,
    'See the `cause` of this error, and the log of PostgreSQL.',
    error,
  );
}
