// Removes what has expired: old results, leftovers of killed writers, and idle sessions.

import type { Blobs } from '../blobs/index.ts';
import {
  checkId,
  errnoOf,
  quoted,
  ReaderError,
  throwIfAborted,
  type WorkspaceLimits,
} from '../contract/index.ts';
import { type Directory, isAbandoned, isReserved, stagingName } from '../disk/index.ts';
import { removeFolder } from './files/remove.ts';
import { type Stop, tour } from './find/unordered-walk.ts';
import { dataDirectory, sessionRoot, stagingRoot, userRoot, workspacesRoot } from './paths/layout.ts';
import { shownName } from './paths/names.ts';
import type { Root } from './paths/root.ts';
import { pathError } from './paths/walk.ts';
import { createPrivateData } from './private-data/private-data.ts';
import { RESULTS_FOLDER } from './results/name.ts';
import { idleStoredSessions, removeStoredSession } from './stored/sessions.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Removes files below `results/` unchanged for `resultDays`, and leftovers of interrupted writes.
 * @throws {ReaderError} ACCESS_DENIED
 */
export async function pruneResults(
  root: Root,
  { resultDays }: Pick<WorkspaceLimits, 'resultDays'>,
): Promise<{ readonly removed: readonly string[] }> {
  const removed: string[] = [];
  const top = await root.open();
  if (!top) return { removed };
  try {
    await root.sweepStaging();
    const before = resultDays > 0 ? Date.now() - resultDays * DAY_MS : Number.NEGATIVE_INFINITY;
    for await (const stop of tour(top))
      for (const { name, kind } of stop.entries) {
        const isResult = stop.names[0]?.equals(RESULTS) === true;
        if (kind !== 'file' || !(isResult || isReserved(name))) continue;
        const modified = await modifiedOf(stop.directory, name);
        if (!modified) continue;
        if (!isReserved(name) ? modified.getTime() >= before : !(await isAbandoned(name, modified))) continue;
        await stop.directory.unlink(name);
        if (!isReserved(name)) removed.push([...stop.names, name].map(shownName).join('/'));
      }
    return { removed };
  } catch (error) {
    throw pathError(error, root.mount, 'change');
  } finally {
    if (removed.length > 0) root.quota?.shrunk();
    top.close();
  }
}

async function modifiedOf(directory: Directory, name: Buffer): Promise<Date | undefined> {
  try {
    return (await directory.stat(name)).mtime;
  } catch {
    return undefined; // already gone
  }
}

const RESULTS = Buffer.from(RESULTS_FOLDER);

export interface PruneOptions {
  /** Holds `workspaces/`, and private data. Default: `./data`. */
  readonly dataDir?: string;
  /** Holds `workspaces/` instead. */
  readonly storage?: Blobs;
  /** Remove sessions without changes for this many days. At least 1. */
  readonly days: number;
  /** Remove their private data too. Default false. */
  readonly privateData?: boolean;
  readonly signal?: AbortSignal;
}

/** A removed session. */
export interface PrunedSession {
  readonly user: string;
  readonly session: string;
}

export interface RemoveWorkspaceOptions {
  /** Holds `workspaces/`, and private data. Default: `./data`. */
  readonly dataDir?: string;
  /** Holds `workspaces/` instead. */
  readonly storage?: Blobs;
  readonly user: string;
  readonly session: string;
}

/**
 * Removes a session: its files and its private data. A session used again during the call starts empty.
 * @returns false if it did not exist
 * @throws {ReaderError} BAD_INPUT, ACCESS_DENIED
 */
export async function removeWorkspace({
  dataDir,
  storage,
  user,
  session,
}: RemoveWorkspaceOptions): Promise<boolean> {
  const base = dataDirectory(dataDir, {});
  checkId('user', user);
  checkId('session', session);
  try {
    const existed = storage
      ? await removeStoredSession(storage, user, session)
      : await removeSession(base, user, session);
    await createPrivateData({ dataDir: base }).delete(user, session);
    return existed;
  } catch (error) {
    throw pathError(error, session, 'change');
  }
}

/**
 * Removes idle sessions as a whole. A session used again during the call starts empty.
 * @throws {ReaderError} BAD_INPUT, ACCESS_DENIED, ABORTED
 */
export async function pruneWorkspaces({
  dataDir,
  storage,
  days,
  privateData = false,
  signal,
}: PruneOptions): Promise<readonly PrunedSession[]> {
  const base = dataDirectory(dataDir, {});
  if (!Number.isFinite(days) || days < 1)
    throw new ReaderError(
      'BAD_INPUT',
      `\`days\` is ${quoted(String(days))}; expected 1 or more.`,
      'Pass the number of idle days after which a session is removed.',
    );
  const before = Date.now() - days * DAY_MS;
  const removed: PrunedSession[] = [];
  try {
    if (storage) {
      for await (const { user, session } of idleStoredSessions(storage, before, isId, signal)) {
        if (signal) throwIfAborted(signal);
        await removeStoredSession(storage, user, session);
        if (privateData) await createPrivateData({ dataDir: base }).delete(user, session);
        removed.push({ user, session });
      }
      return removed;
    }
    for (const user of await idsIn(workspacesRoot(base), 'user')) {
      for (const session of await idsIn(userRoot(base, user), 'session')) {
        if (signal) throwIfAborted(signal);
        if (!(await isIdle(sessionRoot(base, user, session), before))) continue;
        await removeSession(base, user, session);
        if (privateData) await createPrivateData({ dataDir: base }).delete(user, session);
        removed.push({ user, session });
      }
      await removeLeft(base, user);
    }
    return removed;
  } catch (error) {
    throw pathError(error, 'workspaces', 'change');
  }
}

async function idsIn(root: Root, kind: 'user' | 'session'): Promise<string[]> {
  const directory = await root.open();
  const ids: string[] = [];
  if (!directory) return ids;
  try {
    for await (const entry of directory.entries()) {
      const name = entry.name.toString('latin1');
      if (entry.kind === 'directory' && isId(kind, name)) ids.push(name);
    }
    return ids.sort();
  } finally {
    directory.close();
  }
}

function isId(kind: 'user' | 'session', name: string): boolean {
  try {
    return checkId(kind, name) === name;
  } catch {
    return false; // not created by this package, so it stays
  }
}

async function isIdle(root: Root, before: number): Promise<boolean> {
  const directory = await root.open();
  if (!directory) return false;
  try {
    if ((await directory.ownStats()).mtime.getTime() >= before) return false;
    for await (const stop of tour(directory)) if (stop.closed || (await newest(stop)) >= before) return false;
    return true;
  } finally {
    directory.close();
  }
}

async function newest({ directory, entries }: Stop): Promise<number> {
  const times = await Promise.all(
    // An entry that cannot be looked at is changing right now.
    entries.map(async ({ name }) => (await modifiedOf(directory, name))?.getTime() ?? Date.now()),
  );
  return times.reduce((latest, time) => Math.max(latest, time), Number.NEGATIVE_INFINITY);
}

/** Renamed first, so that a concurrent user sees the session whole or not at all. */
async function removeSession(base: string, user: string, session: string): Promise<boolean> {
  const [from, to] = [await userRoot(base, user).open(), await stagingRoot(base, user).make()];
  try {
    const away = stagingName();
    await from?.rename(Buffer.from(session), to, away);
    if (from) await removeFolder(to, away, Number.POSITIVE_INFINITY);
    await removeEmpty(to, session);
    return from !== undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  } finally {
    from?.close();
    to.close();
  }
}

/** Removes what a killed prune left half removed. */
async function removeLeft(base: string, user: string): Promise<void> {
  const staged = await stagingRoot(base, user).open();
  if (!staged) return;
  try {
    for await (const { name, kind } of staged.entries()) {
      if (kind !== 'directory' || !isReserved(name)) continue;
      if (await isAbandoned(name, (await staged.stat(name)).mtime))
        await removeFolder(staged, name, Number.POSITIVE_INFINITY);
    }
  } finally {
    staged.close();
  }
}

async function removeEmpty(directory: Directory, name: string): Promise<void> {
  try {
    await directory.removeFolder(Buffer.from(name));
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
  }
}
