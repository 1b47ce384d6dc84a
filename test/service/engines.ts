// Tests of the service that run on each of its databases.

import { beforeEach, describe } from 'vitest';
import { openDatabase, type ServiceDatabase } from '../../src/service/database.ts';
import { emptyPostgres, NO_POSTGRES } from '../support/servers.ts';

let isShared = false;
/** Databases that stand for files: by the folder. */
let urls = new Map<string, string>();

/** Defines tests for SQLite, and again for PostgreSQL. */
export function onEachDatabase(define: () => void): void {
  for (const shared of [false, true]) {
    const name = shared ? 'PostgreSQL' : 'SQLite';
    const missing = shared ? NO_POSTGRES : undefined;
    describe.skipIf(missing !== undefined)(`on ${name}${missing === undefined ? '' : `: ${missing}`}`, () => {
      beforeEach(() => {
        isShared = shared;
        urls = new Map();
        return () => {
          isShared = false;
        };
      });
      define();
    });
  }
}

/** The database of `folder`, or the one in its stead. */
export async function databaseAt(folder: string): Promise<ServiceDatabase> {
  if (!isShared) return openDatabase(folder);
  const url = urls.get(folder) ?? (await emptyPostgres());
  urls.set(folder, url);
  return openDatabase(folder, { url });
}

/** For other processes. Undefined for SQLite. */
export const databaseUrlAt = (folder: string): string | undefined => urls.get(folder);
