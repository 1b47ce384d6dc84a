// Connections to PostgreSQL, by the driver `pg`, an optional package loaded on use. In a file of its own, because the
// types of the driver must not be in declarations that a project without it compiles.

import type { Pool, PoolConfig } from 'pg';
import { missingPackages, ReaderError } from '../contract/index.ts';

/** Type numbers of `bigint`, `smallint`, `integer`, `real`, `double precision` and `numeric`. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 700, 701, 1700]);

/** True for a URL of PostgreSQL. */
const isPostgresUrl = (text: string): boolean => /^postgres(?:ql)?:\/\//i.test(text);

interface ConnectOptions extends PoolConfig {
  readonly of: string;
}

/**
 * Connections for single statements, which a transaction would slow down.
 * @throws {ReaderError} BAD_INPUT, MISSING_DEPENDENCY
 */
export async function connectTo(url: string, { of, ...options }: ConnectOptions): Promise<Pool> {
  if (!isPostgresUrl(url) || !URL.canParse(url))
    throw new ReaderError(
      'BAD_INPUT',
      `The address of the database of the ${of} is not a URL of PostgreSQL.`,
      'Write it as `postgres://USER:PASSWORD@HOST:5432/DATABASE`; percent-encode special characters.',
    );
  const { default: pg } = await loaded();
  const pool = new pg.Pool({
    connectionString: url,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'lectern',
    types: { getTypeParser: (type: number) => (NUMBERS.has(type) ? numberOf : String) },
    ...options,
  });
  pool.on('error', nextOneConnects);
  // From its first moment on: a server that stops may say so in the same packet as that it is ready, before whoever
  // waits for the connection has it.
  pool.on('connect', (client) => client.on('error', nextOneConnects));
  return pool;
}

async function loaded(): Promise<typeof import('pg')> {
  try {
    return await import('pg');
  } catch (error) {
    throw missingPackages('postgres', 'PostgreSQL', error);
  }
}

/** The driver reports a lost connection once more by an event, which would end the process if no one listened. */
const nextOneConnects = (): void => undefined;

function numberOf(text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && Math.abs(number) <= Number.MAX_SAFE_INTEGER) return number;
  throw new TypeError('A number of the database is too large.');
}
