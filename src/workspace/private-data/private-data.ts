// Session data that its sandbox must not see: one JSON value per user and session, replaced as a whole. Survives
// crashes and concurrent writers.

import { setTimeout as delay } from 'node:timers/promises';
import { checkId, quoted, ReaderError } from '../../contract/index.ts';
import type { Directory } from '../../disk/index.ts';
import { dataDirectory, privateDataRoot } from '../paths/layout.ts';
import { pathError } from '../paths/walk.ts';
import { SessionFiles, type State } from './session-files.ts';
import { jsonOf, jsonOfDeleted } from './stored-revision.ts';

/** A value and its revision. */
export interface PrivateRecord {
  /** Starts at 1 and grows with every update. */
  readonly revision: number;
  /** A JSON value. */
  readonly data: unknown;
  /** Names of damaged files that were set aside; usually empty. `data` is the newest undamaged value. */
  readonly damaged: readonly string[];
}

/** Private data of all sessions. */
export interface PrivateData {
  /** @throws {ReaderError} CORRUPT_FILE when no revision is readable, BAD_INPUT */
  read(user: string, session: string): Promise<PrivateRecord | undefined>;
  /**
   * Replaces the data with the result of `change`, which receives `undefined` if there is none. Calls `change` again
   * when another writer was faster.
   * @throws {ReaderError} CONFLICT when `revision` is given and is not the current one (0: there must be no readable
   * data), BAD_INPUT for a value that is not JSON, CORRUPT_FILE, LIMIT_EXCEEDED, BUSY
   */
  update(
    user: string,
    session: string,
    change: (data: unknown) => unknown,
    options?: { readonly revision?: number },
  ): Promise<PrivateRecord>;
  /** Sessions of the user that have private data, sorted. */
  list(user: string): Promise<readonly string[]>;
  /** Removes the data and the files that were set aside. A concurrent update does not restore it. */
  delete(user: string, session: string): Promise<void>;
}

export interface PrivateDataOptions {
  /** Holds `workspaces/`. Default: LECTERN_DATA_DIR, else `./data`. */
  readonly dataDir?: string;
  /** Environment variables for the data directory. Default: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Maximum attempts of one update when other writers are faster, and the longest pause between two. */
export const MAX_TRIES = 1000;
export const MAX_PAUSE_MS = 20;

/**
 * Private data below `<dataDir>/workspaces/_private-data/`, which no workspace can reach. Creates nothing before first
 * use.
 */
export function createPrivateData({ dataDir, environment = {} }: PrivateDataOptions = {}): PrivateData {
  const base = dataDirectory(dataDir, environment);
  const at = async <T>(
    user: string,
    session: string,
    make: boolean,
    work: (files: SessionFiles) => Promise<T>,
  ): Promise<T | undefined> => {
    const root = privateDataRoot(base, checkId('user', user));
    checkId('session', session);
    let directory: Directory | undefined;
    try {
      directory = make ? await root.make() : await root.open();
      return directory && (await work(new SessionFiles(directory, session)));
    } catch (error) {
      throw pathError(error, `${session}.json`, 'change');
    } finally {
      directory?.close();
    }
  };
  return {
    read: (user, session) => at(user, session, false, async (files) => recordOf(await files.load())),
    update: async (user, session, change, { revision } = {}) => {
      const record = await at(user, session, true, (files) => update(files, change, revision));
      if (!record) throw new Error('The folder disappeared after it was created.');
      return record;
    },
    list: async (user) => {
      const directory = await privateDataRoot(base, checkId('user', user)).open();
      if (!directory) return [];
      try {
        return await sessionsIn(directory);
      } catch (error) {
        throw pathError(error, 'private data', 'change');
      } finally {
        directory.close();
      }
    },
    delete: async (user, session) => {
      await at(user, session, false, (files) => remove(files));
    },
  };
}

function recordOf(state: State): PrivateRecord | undefined {
  const { stored, damaged } = state;
  if (stored) return stored.deleted ? undefined : { revision: stored.revision, data: stored.data, damaged };
  if (damaged.length > 0) throw corrupt(damaged);
  return undefined;
}

function corrupt(damaged: readonly string[]): ReaderError {
  return new ReaderError(
    'CORRUPT_FILE',
    `The private data is damaged; it was set aside as ${damaged.map(quoted).join(', ')}.`,
    'Repair it, or update with `revision: 0` to start over.',
  );
}

async function update(
  files: SessionFiles,
  change: (data: unknown) => unknown,
  expected: number | undefined,
): Promise<PrivateRecord> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { stored, damaged, last } = await files.load();
    const current = stored && !stored.deleted ? stored.revision : 0;
    if (!stored && damaged.length > 0 && expected !== 0) throw corrupt(damaged);
    if (expected !== undefined && expected !== current) throw stale(expected, current);
    const data = await change(stored?.data);
    const revision = last + 1;
    if (await files.commit(revision, jsonOf(revision, data))) return { revision, data, damaged };
    await delay(Math.random() * MAX_PAUSE_MS);
  }
  throw tooManyWriters();
}

export const tooManyWriters = (): ReaderError =>
  new ReaderError(
    'BUSY',
    'Other writers kept changing the private data during the update.',
    'Retry when there are fewer concurrent updates.',
  );

export function stale(expected: number, current: number): ReaderError {
  return new ReaderError(
    'CONFLICT',
    `The private data has revision ${current}; expected ${expected}.`,
    'Read it again, then update.',
  );
}

async function remove(files: SessionFiles): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { stored, last } = await files.load();
    if (!stored && last === 0) return;
    if (stored?.deleted || (await files.commit(last + 1, jsonOfDeleted(last + 1)))) return files.clear();
    await delay(Math.random() * MAX_PAUSE_MS);
  }
}

async function sessionsIn(directory: Directory): Promise<string[]> {
  const sessions = new Set<string>();
  for await (const { name } of directory.entries()) {
    const [, session] = /^(.+)\.json(?:\.revisions)?$/.exec(name.toString('latin1')) ?? [];
    if (session !== undefined) sessions.add(session);
  }
  const found: string[] = [];
  for (const session of [...sessions].sort()) {
    const { stored } = await new SessionFiles(directory, session).load();
    if (stored && !stored.deleted) found.push(session);
  }
  return found;
}
