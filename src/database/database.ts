// What a database offers its stores, whichever engine keeps the tables.

import { ReaderError } from '../contract/index.ts';

export type SqlValue = string | number | null;

/** One row, with typed access by column name. */
export interface Row {
  text(column: string): string;
  optionalText(column: string): string | undefined;
  integer(column: string): number;
  optionalInteger(column: string): number | undefined;
}

/**
 * Statements inside one transaction, in the dialect of SQLite as far as PostgreSQL has it too; see `dialect.ts` for what
 * is translated. Parameters are `?`.
 */
export interface Sql {
  /**
   * Milliseconds since 1970 when the transaction began, by the clock of the machine with the database: the same for
   * every node.
   */
  readonly now: number;
  all(sql: string, parameters?: readonly SqlValue[]): Promise<readonly Row[]>;
  first(sql: string, parameters?: readonly SqlValue[]): Promise<Row | undefined>;
  /** Number of rows changed. */
  run(sql: string, parameters?: readonly SqlValue[]): Promise<number>;
}

/** One step of a schema, and how it is undone. */
export interface Migration {
  readonly up: string;
  /** Loses what only the new schema can hold. */
  readonly down: string;
}

export interface WriteOptions {
  /**
   * Transactions with the same lock run one after the other, on all nodes. Without one, PostgreSQL only locks rows that
   * both change. SQLite has one lock for all.
   */
  readonly lock?: string;
}

/**
 * How long a transaction waits for a connection, a server that restarts, or a lock, such as that of `lectern keys` beside
 * a running service.
 */
export const BUSY_TIMEOUT_MS = 5000;

export interface DatabaseOptions {
  /** The owner, for messages: `service`. */
  readonly of: string;
  readonly busyTimeoutMs?: number;
}

export interface Database {
  /**
   * Runs `work` in a transaction: once this resolves, its changes survive a power loss. Rolled back if `work` throws.
   * Each statement sees what was committed before it began. `work` may run again if another transaction interfered.
   * Keep it short, because other transactions wait.
   * @throws errors of `work`; {DatabaseUnavailable}; {ReaderError} QUOTA_EXCEEDED (disk full), INTERNAL
   */
  write<T>(work: (sql: Sql) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Without changes: all statements see the same state. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * Applies the steps that `store` has not applied yet, in order, or undoes those after `version`. Only ever append
   * steps. Several nodes may call it at the same time.
   * @throws {ReaderError} INTERNAL when the tables were made by a newer version
   */
  migrate(store: string, steps: readonly Migration[], version?: number): Promise<void>;
  /** `ok` for a valid database, else what is wrong with it. */
  integrity(): Promise<string>;
  /** Processes of other machines use it too. */
  readonly isShared: boolean;
  /** Waits for current transactions. Idempotent. */
  close(): Promise<void>;
}

/**
 * BUSY: the database is locked or cannot be reached now. What the transaction would have changed is not stored, unless
 * the connection was lost during the commit. HTTP answers with 503.
 */
export class DatabaseUnavailable extends ReaderError {
  constructor(message: string, hint: string, cause: unknown) {
    super('BUSY', message, hint, cause);
  }
}

/** A row of a driver. @throws {TypeError} from its methods, for a column of another type */
export function rowOf(row: Readonly<Record<string, unknown>>): Row {
  const optionalText = (column: string): string | undefined => {
    const value = row[column] ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    throw new TypeError(`Column ${column} is a ${typeof value}; expected text.`);
  };
  const optionalInteger = (column: string): number | undefined => {
    const value = row[column] ?? undefined;
    if (value === undefined || typeof value === 'number') return value;
    throw new TypeError(`Column ${column} is a ${typeof value}; expected a number.`);
  };
  return {
    text: (column) => required(column, optionalText(column)),
    optionalText,
    integer: (column) => required(column, optionalInteger(column)),
    optionalInteger,
  };
}

function required<T>(column: string, value: T | undefined): T {
  if (value === undefined) throw new TypeError(`Column ${column} is null.`);
  return value;
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
