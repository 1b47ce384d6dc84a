// Archives of sessions: in PostgreSQL where nodes share a database; else one folder each, below the data directory and
// outside every workspace. Opened per use, so that nothing stays open for a finished session.

import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkId, errnoOf } from '../contract/index.ts';
import { createPostgresArchives, openRecall, type Recall } from '../recall/index.ts';
import type { ServiceDatabase } from './database.ts';

export interface Archives {
  /** Runs `work` with the archive of a session, created if absent. @throws {ReaderError} BAD_INPUT, BUSY */
  use<T>(user: string, session: string, work: (recall: Recall) => Promise<T>): Promise<T>;
  has(user: string, session: string): Promise<boolean>;
  /** False if there was none. */
  remove(user: string, session: string): Promise<boolean>;
}

/** @throws {ReaderError} BUSY, INTERNAL */
export async function createArchives(folder: string, database: ServiceDatabase): Promise<Archives> {
  return database.isShared ? sharedArchives(database) : folderArchives(folder);
}

async function sharedArchives(database: ServiceDatabase): Promise<Archives> {
  const archives = await createPostgresArchives(database);
  const ids = (user: string, session: string) =>
    [checkId('user', user), checkId('session', session)] as const;
  return {
    has: (user, session) => archives.has(...ids(user, session)),
    use: async (user, session, work) =>
      work(await openRecall({ storage: await archives.open(...ids(user, session)) })),
    remove: (user, session) => archives.remove(...ids(user, session)),
  };
}

function folderArchives(folder: string): Archives {
  const placeOf = (user: string, session: string): string =>
    join(folder, checkId('user', user), checkId('session', session));
  const has = async (user: string, session: string): Promise<boolean> => {
    try {
      await access(placeOf(user, session));
      return true;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false;
      throw error;
    }
  };
  return {
    has,
    use: async (user, session, work) => {
      const recall = await openRecall({ storage: placeOf(user, session) });
      try {
        return await work(recall);
      } finally {
        await recall.close();
      }
    },
    remove: async (user, session) => {
      const there = await has(user, session);
      await rm(placeOf(user, session), { recursive: true, force: true });
      return there;
    },
  };
}
