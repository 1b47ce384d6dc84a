// Where keys are kept: an interface, and the table of the embedded database.

import type { Client, Row } from '@libsql/client';
import type { KeyRecord } from './key.ts';

export interface KeyStore {
  add(record: KeyRecord): Promise<void>;
  find(id: string): Promise<KeyRecord | undefined>;
  /** Newest first. */
  list(): Promise<readonly KeyRecord[]>;
  /** False when no key has the id. A key that was revoked stays as it was. */
  revoke(id: string, at: string): Promise<boolean>;
  /** True when there is any key, also a revoked or expired one: a service that had keys keeps asking for one. */
  any(): Promise<boolean>;
}

const TABLE = `
  create table if not exists keys (
    id text primary key,
    user text not null,
    scopes text not null,
    label text not null,
    created_at text not null,
    expires_at text,
    revoked_at text,
    hash text not null
  ) strict`;

export async function createKeyStore(database: Client): Promise<KeyStore> {
  await database.execute(TABLE);
  return {
    add: async ({ id, user, scopes, label, createdAt, expiresAt, revokedAt, hash }) => {
      await database.execute({
        sql: 'insert into keys values (?, ?, ?, ?, ?, ?, ?, ?)',
        args: [id, user, scopes.join(' '), label, createdAt, expiresAt, revokedAt, hash],
      });
    },
    find: async (id) => {
      const { rows } = await database.execute({ sql: 'select * from keys where id = ?', args: [id] });
      return rows[0] && recordOf(rows[0]);
    },
    list: async () => {
      const { rows } = await database.execute('select * from keys order by created_at desc, id');
      return rows.map(recordOf);
    },
    revoke: async (id, at) => {
      const { rowsAffected } = await database.execute({
        sql: 'update keys set revoked_at = coalesce(revoked_at, ?) where id = ?',
        args: [at, id],
      });
      return rowsAffected > 0;
    },
    any: async () => (await database.execute('select 1 from keys limit 1')).rows.length > 0,
  };
}

function recordOf(row: Row): KeyRecord {
  const text = (name: string): string => String(row[name]);
  const optional = (name: string): string | null => (row[name] === null ? null : text(name));
  return {
    id: text('id'),
    user: text('user'),
    scopes: text('scopes')
      .split(' ')
      .filter((scope) => scope !== ''),
    label: text('label'),
    createdAt: text('created_at'),
    expiresAt: optional('expires_at'),
    revokedAt: optional('revoked_at'),
    hash: text('hash'),
  };
}
