// Versions of the tables of each store: steps forward, and back.

import { ReaderError } from '../contract/index.ts';
import type { Migration, Sql } from './database.ts';

export const STORES =
  'CREATE TABLE IF NOT EXISTS stores (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT';

/** @param execute runs statements without parameters */
export async function migrateStore(
  sql: Sql,
  execute: (statements: string) => Promise<unknown>,
  store: string,
  steps: readonly Migration[],
  version: number,
): Promise<void> {
  const known = await sql.first('SELECT version FROM stores WHERE name = ?', [store]);
  const current = known?.integer('version') ?? 0;
  if (current > steps.length)
    throw new ReaderError(
      'INTERNAL',
      `The tables of \`${store}\` have version ${current}; this version of lectern supports up to ${steps.length}.`,
      'Start the version of lectern that wrote the data directory, or a newer one.',
    );
  for (const { up } of steps.slice(current, version)) await execute(up);
  for (const { down } of steps.slice(version, current).reverse()) await execute(down);
  if (current === version && known) return;
  await sql.run(
    'INSERT INTO stores (name, version) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET version = excluded.version',
    [store, version],
  );
}
