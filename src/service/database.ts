// The embedded database of a service on one node: keys, jobs and what was answered under an idempotency key.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Client, createClient } from '@libsql/client';

/** Makes `folder` where it is missing. */
export async function openDatabase(folder: string): Promise<Client> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const database = createClient({ url: pathToFileURL(join(folder, 'service.db')).href });
  await database.execute('pragma journal_mode = wal');
  await database.execute('pragma busy_timeout = 5000');
  return database;
}
