// Storage of keys: an interface, and the table of the service database.

import type { Migration, Row, ServiceDatabase } from '../database.ts';
import type { KeyRecord } from './key.ts';

export interface KeyStore {
  add(record: KeyRecord): Promise<void>;
  find(id: string): Promise<KeyRecord | undefined>;
  /** Newest first. */
  list(): Promise<readonly KeyRecord[]>;
  /** False when no key has the id. A revoked key is unchanged. */
  revoke(id: string, at: string): Promise<boolean>;
  /** True if any key exists, even a revoked or expired one: a service that had keys keeps requiring one. */
  any(): Promise<boolean>;
}

const MIGRATIONS: readonly Migration[] = [
  {
    up: `CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    user TEXT NOT NULL,
    scopes TEXT NOT NULL,
    label TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    revoked_at TEXT,
    hash TEXT NOT NULL
  ) STRICT`,
    down: 'DROP TABLE keys',
  },
];

/** @throws {ReaderError} INTERNAL, BUSY */
export async function createKeyStore(database: ServiceDatabase): Promise<KeyStore> {
  await database.migrate('keys', MIGRATIONS);
  return {
    add: ({ id, user, scopes, label, createdAt, expiresAt, revokedAt, hash }) =>
      database.write(async (sql) => {
        await sql.run('INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?)', [
          id,
          user,
          scopes.join(' '),
          label,
          createdAt,
          expiresAt,
          revokedAt,
          hash,
        ]);
      }),
    find: async (id) => {
      const row = await database.read((sql) => sql.first('SELECT * FROM keys WHERE id = ?', [id]));
      return row && recordOf(row);
    },
    list: async () => {
      const rows = await database.read((sql) => sql.all('SELECT * FROM keys ORDER BY created_at DESC, id'));
      return rows.map(recordOf);
    },
    revoke: async (id, at) => {
      const changed = await database.write((sql) =>
        sql.run('UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?', [at, id]),
      );
      return changed > 0;
    },
    any: async () =>
      (await database.read((sql) => sql.first('SELECT 1 AS found FROM keys LIMIT 1'))) !== undefined,
  };
}

function recordOf(row: Row): KeyRecord {
  return {
    id: row.text('id'),
    user: row.text('user'),
    scopes: row
      .text('scopes')
      .split(' ')
      .filter((scope) => scope !== ''),
    label: row.text('label'),
    createdAt: row.text('created_at'),
    expiresAt: row.optionalText('expires_at') ?? null,
    revokedAt: row.optionalText('revoked_at') ?? null,
    hash: row.text('hash'),
  };
}
