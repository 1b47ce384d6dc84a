// The database of the service: one file shared by jobs, keys and idempotency records.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../contract/index.ts';
import { type Database, openDatabase as open } from '../database/index.ts';
import { dataFolder } from './data-folder.ts';

export type { Row, Sql } from '../database/index.ts';
export type ServiceDatabase = Database;

const DATABASE_FILE = 'service.db';

/** False if the database in `folder` does not exist. Opening it reports any other problem. */
export const hasDatabase = (folder: string): Promise<boolean> =>
  stat(join(folder, DATABASE_FILE)).then(
    () => true,
    (error: unknown) => errnoOf(error) !== 'ENOENT',
  );

/**
 * Opens or creates `service.db` in `folder`, which is created if missing, accessible only to this system user.
 * @throws {ReaderError} NOT_A_FOLDER, ACCESS_DENIED, INTERNAL, BUSY, CORRUPT_FILE
 */
export async function openDatabase(
  folder: string,
  options: { readonly busyTimeoutMs?: number } = {},
): Promise<ServiceDatabase> {
  await dataFolder(folder);
  return open(join(folder, DATABASE_FILE), { of: 'service', ...options });
}
