// Private data in PostgreSQL, for processes on many machines: one row per user and session, with the number of its
// revision.

import { setTimeout as delay } from 'node:timers/promises';
import { checkId } from '../../contract/index.ts';
import { type Database, type Migration, openPostgres, type Sql } from '../../database/index.ts';
import { MAX_PAUSE_MS, MAX_TRIES, type PrivateData, stale, tooManyWriters } from './private-data.ts';
import { valueJsonOf } from './stored-revision.ts';

/** Private data over a connection that must be closed. */
export interface SharedPrivateData extends PrivateData {
  close(): Promise<void>;
}

/** Deleted data keep their number, so that a late writer does not restore them. */
const MIGRATIONS: readonly Migration[] = [
  {
    up: `CREATE TABLE private_data (
      user TEXT NOT NULL, session TEXT NOT NULL, revision INTEGER NOT NULL, data TEXT, PRIMARY KEY (user, session))`,
    down: 'DROP TABLE private_data',
  },
];

/**
 * Private data in the PostgreSQL database at `url`, in the schema `lectern`.
 * @throws {ReaderError} BAD_INPUT, MISSING_DEPENDENCY, ACCESS_DENIED, BUSY, INTERNAL
 */
export async function openSharedPrivateData(url: string): Promise<SharedPrivateData> {
  const database = await openPostgres(url, { of: 'private data' });
  try {
    await database.migrate('private data', MIGRATIONS);
  } catch (error) {
    await database.close();
    throw error;
  }
  return over(database);
}

interface Stored {
  readonly revision: number;
  /** JSON; undefined when deleted. */
  readonly json: string | undefined;
}

function over(database: Database): SharedPrivateData {
  const load = (user: string, session: string): Promise<Stored | undefined> =>
    database.read(async (sql) => {
      const row = await sql.first('SELECT revision, data FROM private_data WHERE user = ? AND session = ?', [
        checkId('user', user),
        checkId('session', session),
      ]);
      return row && { revision: row.integer('revision'), json: row.optionalText('data') };
    });
  return {
    read: async (user, session) => {
      const stored = await load(user, session);
      if (stored?.json === undefined) return undefined;
      return { revision: stored.revision, data: JSON.parse(stored.json), damaged: [] };
    },
    update: async (user, session, change, { revision: expected } = {}) => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const stored = await load(user, session);
        const current = stored?.json === undefined ? 0 : stored.revision;
        if (expected !== undefined && expected !== current) throw stale(expected, current);
        const data = await change(stored?.json === undefined ? undefined : JSON.parse(stored.json));
        const json = valueJsonOf(data);
        const last = stored?.revision ?? 0;
        if (await database.write((sql) => replace(sql, user, session, last, json)))
          return { revision: last + 1, data, damaged: [] };
        await delay(Math.random() * MAX_PAUSE_MS);
      }
      throw tooManyWriters();
    },
    list: (user) =>
      database.read(async (sql) => {
        const rows = await sql.all(
          'SELECT session FROM private_data WHERE user = ? AND data IS NOT NULL ORDER BY session',
          [checkId('user', user)],
        );
        return rows.map((row) => row.text('session'));
      }),
    delete: async (user, session) => {
      await database.write((sql) =>
        sql.run(
          `UPDATE private_data SET revision = revision + 1, data = NULL
           WHERE user = ? AND session = ? AND data IS NOT NULL`,
          [checkId('user', user), checkId('session', session)],
        ),
      );
    },
    close: () => database.close(),
  };
}

/** False if another writer was faster. */
async function replace(
  sql: Sql,
  user: string,
  session: string,
  last: number,
  json: string,
): Promise<boolean> {
  const changed =
    last === 0
      ? await sql.run('INSERT INTO private_data VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING', [
          user,
          session,
          json,
        ])
      : await sql.run(
          `UPDATE private_data SET revision = revision + 1, data = ?
           WHERE user = ? AND session = ? AND revision = ?`,
          [json, user, session, last],
        );
  return changed > 0;
}
