// The database of the service: one file shared by jobs, keys and idempotency records.

import { join } from 'node:path';
import { type Database, openDatabase as open } from '../database/index.ts';
import { dataFolder } from './data-folder.ts';

export type { Row, Sql } from '../database/index.ts';
export type ServiceDatabase = Database;

/**
 * Opens or creates `service.db` in `folder`, which is created if missing, accessible only to this system user.
 * @throws {ReaderError} NOT_A_FOLDER, ACCESS_DENIED, INTERNAL, BUSY, CORRUPT_FILE
 */
export async function openDatabase(
  folder: string,
  options: { readonly busyTimeoutMs?: number } = {},
): Promise<ServiceDatabase> {
  await dataFolder(folder);
  return open(join(folder, 'service.db'), { of: 'service', ...options });
}
