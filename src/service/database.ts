// The database of the service, shared by jobs, keys and idempotency records: one file, or a PostgreSQL server.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../contract/index.ts';
import { type Database, openDatabase as openFile, openPostgres } from '../database/index.ts';
import { dataFolder } from './data-folder.ts';

export type { Migration, Row, Sql, SqlValue } from '../database/index.ts';
export type ServiceDatabase = Database;

const DATABASE_FILE = 'service.db';

/** The URL of a PostgreSQL database for all nodes. */
export const DATABASE_URL = { variable: 'LECTERN_DATABASE_URL' } as const;

/** Counts requests of all nodes. */
export const REDIS_URL = { variable: 'LECTERN_REDIS_URL' } as const;

/** False if the database in `folder` does not exist. Opening it reports any other problem. */
export const hasDatabase = (folder: string): Promise<boolean> =>
  stat(join(folder, DATABASE_FILE)).then(
    () => true,
    (error: unknown) => errnoOf(error) !== 'ENOENT',
  );

export interface DatabaseOptions {
  /** Of a PostgreSQL database. Default: a file in the folder. */
  readonly url?: string | undefined;
  readonly busyTimeoutMs?: number;
}

/**
 * Connects to `url`; without one, opens or creates `service.db` in `folder`, which is created if missing, accessible only
 * to this system user.
 * @throws {DatabaseUnavailable}; {ReaderError} NOT_A_FOLDER, ACCESS_DENIED, INTERNAL, CORRUPT_FILE, BAD_INPUT,
 * MISSING_DEPENDENCY
 */
export async function openDatabase(
  folder: string,
  { url, ...options }: DatabaseOptions = {},
): Promise<ServiceDatabase> {
  if (url !== undefined) return openPostgres(url, { of: 'service', ...options });
  await dataFolder(folder);
  return openFile(join(folder, DATABASE_FILE), { of: 'service', ...options });
}
