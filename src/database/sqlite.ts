// An embedded SQLite database in one file, durable and shared between processes of one machine. Loads the driver on use.

import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Client, InValue, Transaction } from '@libsql/client/sqlite3';
import { missingPackages, ReaderError } from '../contract/index.ts';
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
} from './database.ts';
import { toSqlite } from './dialect.ts';
import { migrateStore, STORES } from './migrate.ts';

/** SQLite waits for a lock by blocking the event loop, so it gets little time; the rest is waited for here. */
const NATIVE_WAIT_MS = 10;
const BUSY_PAUSE_MS = 10;

/**
 * Opens or creates the database in `file`, whose folder must exist.
 * @throws {ReaderError} MISSING_DEPENDENCY, INTERNAL, BUSY, CORRUPT_FILE
 */
export async function openDatabase(
  file: string,
  { of, busyTimeoutMs = BUSY_TIMEOUT_MS }: DatabaseOptions,
): Promise<Database> {
  const { createClient } = await loaded(of);
  // A pool of one: its transactions are queued below, and settings of the connection hold for every statement.
  const client = opened(of, () =>
    createClient({ url: pathToFileURL(file).href, timeout: NATIVE_WAIT_MS, concurrency: 1 }),
  );
  const database = new LibsqlDatabase(client, of, busyTimeoutMs);
  try {
    await database.prepare();
  } catch (error) {
    client.close();
    throw error;
  }
  return database;
}

async function loaded(of: string): Promise<typeof import('@libsql/client/sqlite3')> {
  try {
    return await import('@libsql/client/sqlite3');
  } catch (error) {
    throw missingPackages('sqlite', `The ${of}`, error);
  }
}

/** The driver opens the file at once, and fails with an error that has no code. */
function opened(of: string, open: () => Client): Client {
  try {
    return open();
  } catch (error) {
    throw new ReaderError(
      'INTERNAL',
      `The database of the ${of} could not be opened.`,
      `Check that the directory of the ${of} is writable and that its database is a regular file.`,
      error,
    );
  }
}

class LibsqlDatabase implements Database {
  readonly isShared = false;
  readonly #client: Client;
  readonly #of: string;
  readonly #busyTimeoutMs: number;
  /** The connection has its settings. */
  #configured = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: Client, of: string, busyTimeoutMs: number) {
    this.#client = client;
    this.#of = of;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  prepare(): Promise<void> {
    return this.write(async (sql) => {
      await sql.run(STORES);
    });
  }

  /** `synchronous` and `foreign_keys` are settings of the connection; the busy timeout is an option of the client. */
  async #configure(): Promise<void> {
    for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON'])
      await this.#client.execute(`PRAGMA ${pragma}`);
    this.#configured = true;
  }

  write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#alone('write', (transaction) => work(sqlOf(transaction)));
  }

  read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#alone('read', (transaction) => work(sqlOf(transaction)));
  }

  migrate(store: string, steps: readonly Migration[], version: number = steps.length): Promise<void> {
    return this.#alone('write', (transaction) =>
      migrateStore(
        sqlOf(transaction),
        (statements) => transaction.executeMultiple(statements),
        store,
        steps,
        version,
      ),
    );
  }

  async integrity(): Promise<string> {
    const rows = await this.read((sql) => sql.all('PRAGMA integrity_check'));
    return rows.map((row) => row.text('integrity_check')).join('\n');
  }

  async close(): Promise<void> {
    await this.#last;
    this.#client.close();
  }

  /** Runs one transaction at a time, because the driver rejects a second one on the same connection. */
  #alone<T>(mode: 'read' | 'write', work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const mine = this.#last.then(() => this.#transaction(mode, work));
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #transaction<T>(mode: 'read' | 'write', work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      const transaction = await this.#patiently(() => this.#client.transaction(mode));
      try {
        const result = await work(transaction);
        await transaction.commit();
        return result;
      } finally {
        transaction.close(); // rolls back uncommitted changes
      }
    } catch (error) {
      throw databaseError(error, this.#of);
    }
  }

  /** Retries while another connection holds the lock. */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.#busyTimeoutMs;
    for (;;) {
      try {
        if (!this.#configured) await this.#configure();
        return await work();
      } catch (error) {
        if (!isBusy(error)) throw error;
        // A statement that failed with SQLITE_BUSY is never finalised and blocks later commits (libsql-client-ts#352).
        this.#configured = false;
        this.#client.reconnect();
        if (performance.now() > until) throw error;
        await setTimeout(BUSY_PAUSE_MS);
      }
    }
  }
}

function sqlOf(transaction: Transaction): Sql {
  const execute = (sql: string, parameters: readonly SqlValue[] = []) =>
    transaction.execute({ sql: toSqlite(sql), args: [...parameters] satisfies InValue[] });
  return {
    now: Date.now(),
    all: async (sql, parameters) => (await execute(sql, parameters)).rows.map(rowOf),
    first: async (sql, parameters) => (await execute(sql, parameters)).rows.map(rowOf)[0],
    run: async (sql, parameters) => (await execute(sql, parameters)).rowsAffected,
  };
}

const isBusy = (error: unknown): boolean => /^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(error));

function databaseError(error: unknown, of: string): ReaderError {
  if (error instanceof ReaderError) return error;
  if (isBusy(error))
    return new DatabaseUnavailable(
      `Another process has locked the database of the ${of}.`,
      'Try again in a few seconds.',
      error,
    );
  if (codeOf(error).startsWith('SQLITE_FULL'))
    return new ReaderError(
      'QUOTA_EXCEEDED',
      `The disk of the ${of} is full.`,
      'Free space in its directory, then try again.',
      error,
    );
  if (/^SQLITE_(?:CORRUPT|NOTADB)/.test(codeOf(error)))
    return new ReaderError(
      'CORRUPT_FILE',
      `The database of the ${of} is damaged.`,
      'Move its file away, or restore it from a backup.',
      error,
    );
  return new ReaderError(
    'INTERNAL',
    `The database of the ${of} failed.`,
    `See the \`cause\` of this error, and the directory of the ${of}.`,
    error,
  );
}
