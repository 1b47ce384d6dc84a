// Removes entries from a workspace. Removes a link itself, never its target, and nothing outside the workspace.

import { errnoOf, plural, quoted, ReaderError } from '../../contract/index.ts';
import type { Directory } from '../../disk/index.ts';
import { type Stop, tour } from '../find/unordered-walk.ts';
import { shownName } from '../paths/names.ts';
import type { Root } from '../paths/root.ts';
import { pathError } from '../paths/walk.ts';
import type { RemoveOptions } from '../workspace.ts';
import { changedSince, checkSha256, hashOf } from './replacing.ts';
import { inTurn } from './writing.ts';

/** Attempts to empty a folder that others keep adding entries to. */
const ROUNDS = 3;

/**
 * Removes a file, a link (not its target), or with `recursive` a folder.
 * @throws {ReaderError} as `Root.openFile`; NOT_A_FILE for a folder without `recursive`, BAD_INPUT for the root,
 * CONFLICT
 */
export async function remove(
  root: Root,
  path: string,
  { recursive = false, ifSha256 }: RemoveOptions,
  maxWalkedEntries: number,
): Promise<void> {
  checkSha256(ifSha256);
  const names = root.parse(path);
  const shown = root.shownPath(names);
  if (names.length === 0) throw rootRemoved();
  let directory: Directory | undefined;
  try {
    const place = await root.walk(names, { end: 'entry', spelling: 'near' });
    directory = place.directory;
    const { name, stats } = place;
    if (!name || !stats) throw Object.assign(new Error('not an entry'), { code: 'ENOENT' });
    if (!stats.isDirectory()) {
      if (ifSha256 === undefined) await directory.unlink(name);
      else await removeIf(directory, name, ifSha256, shown);
      root.quota?.shrunk();
    } else if (ifSha256 !== undefined) throw noSha256(shown);
    else if (recursive) {
      try {
        await removeFolder(directory, name, maxWalkedEntries);
      } finally {
        root.quota?.shrunk();
      }
    } else throw notRecursive(shown);
    await directory.sync();
  } catch (error) {
    throw pathError(error, shown, 'change');
  } finally {
    directory?.close();
  }
}

/** Compares and removes under the same per-name lock as this process's writes. */
async function removeIf(directory: Directory, name: Buffer, sha256: string, shown: string): Promise<void> {
  await inTurn(directory, name, async () => {
    const { handle } = await directory.find(name);
    if (!handle || (await hashOf(handle, undefined)) !== sha256.toLowerCase())
      throw changedSince(shown, true);
    await directory.unlink(name);
  });
}

/**
 * Removes the folder `name` of `directory` and everything below it, at most `most` entries.
 * @throws {ReaderError} LIMIT_EXCEEDED, ACCESS_DENIED or BUSY after removing a part; system errors
 */
export async function removeFolder(directory: Directory, name: Buffer, most: number): Promise<void> {
  let removed = 0;
  let closed: readonly Buffer[] | undefined;
  for (let round = 1; ; round += 1) {
    const folder = await directory.enter(name);
    try {
      for await (const stop of tour(folder)) {
        removed += await removeEntries(stop);
        if (stop.closed) closed = [...stop.names];
        if (removed > most) throw moreThan(most);
      }
    } finally {
      folder.close();
    }
    try {
      await directory.removeFolder(name);
      return;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return;
      if (!isNotEmpty(error)) throw error;
      if (closed) throw notEntered([name, ...closed]);
      if (round === ROUNDS)
        throw new ReaderError(
          'BUSY',
          `${quoted(shownName(name))} received new entries while it was being removed.`,
          'Retry once nothing writes to it.',
          error,
        );
    }
  }
}

export function rootRemoved(): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    'The root of the workspace cannot be removed.',
    'Name a file or folder inside the workspace.',
  );
}

export function noSha256(path: string): ReaderError {
  return new ReaderError(
    'NOT_A_FILE',
    `${quoted(path)} is a directory, which has no sha256.`,
    'Omit `ifSha256`, and pass `recursive: true` to remove it and everything in it.',
  );
}

export function notRecursive(path: string): ReaderError {
  return new ReaderError(
    'NOT_A_FILE',
    `${quoted(path)} is a directory; expected a file.`,
    'Pass `recursive: true` to remove it and everything in it.',
  );
}

/** Thrown after `most` entries were removed. */
export function moreThan(most: number): ReaderError {
  return new ReaderError(
    'LIMIT_EXCEEDED',
    `The folder holds more than ${plural(most, 'entry')}; that many were removed.`,
    'Call again until the folder is gone.',
  );
}

function notEntered(names: readonly Buffer[]): ReaderError {
  return new ReaderError(
    'ACCESS_DENIED',
    `${quoted(names.map(shownName).join('/'))} is not empty, and this process may not enter it.`,
    'Grant the process permission to enter it.',
  );
}

async function removeEntries({ directory, entries }: Stop): Promise<number> {
  await Promise.all(
    entries.map(async ({ name, kind }) => {
      try {
        await (kind === 'directory' ? directory.removeFolder(name) : directory.unlink(name));
      } catch (error) {
        // Already gone, replaced, or filled again: the next round handles it.
        if (!['ENOENT', 'EISDIR', 'ENOTDIR'].includes(errnoOf(error) ?? '') && !isNotEmpty(error))
          throw error;
      }
    }),
  );
  return entries.length;
}

function isNotEmpty(error: unknown): boolean {
  const code = errnoOf(error);
  return code === 'ENOTEMPTY' || code === 'EEXIST';
}
