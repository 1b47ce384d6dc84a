// Gives a file its name in one step: either a new, unused name, or the name of an entry it replaces.

import type { BigIntStats } from 'node:fs';
import { errnoOf, quoted, ReaderError } from '../../contract/index.ts';
import type { Directory } from '../../disk/index.ts';
import { inodeOf } from './made-folders.ts';

/** Moves `name` in `from` to `toName` in `to`. Throws system errors. */
export type Put = (from: Directory, name: Buffer, to: Directory, toName: Buffer) => Promise<void>;

/** Replaces an existing entry of that name; a folder cannot be replaced. */
export const replace: Put = (from, name, to, toName) => from.rename(name, to, toName);

/**
 * Fails with EEXIST when the name is taken. If several callers move the same file at once, one succeeds and the others
 * get ENOENT.
 */
export const add: Put = async (from, name, to, toName) => {
  const moved = await from.stat(name);
  try {
    await from.link(name, to, toName);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errnoOf(error) ?? '')) throw error;
    // No hard links on this file system: reserve the name with an empty file, then replace it.
    await (await to.create(toName, 0o666)).close();
    try {
      await from.rename(name, to, toName);
    } catch (renameError) {
      await to.unlink(toName).catch(() => undefined);
      throw renameError;
    }
    return;
  }
  await takeAway(moved, from, name, to, toName);
};

/** Removes the old name after hard-linking, unless it now belongs to another file. */
async function takeAway(
  moved: BigIntStats,
  from: Directory,
  name: Buffer,
  to: Directory,
  toName: Buffer,
): Promise<void> {
  try {
    const left = await from.stat(name);
    if (inodeOf(left) === inodeOf(moved)) await from.unlink(name);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    // Someone else renamed or removed it first.
    const there = await to.stat(toName).catch(() => undefined);
    if (there && inodeOf(there) === inodeOf(moved)) await to.unlink(toName);
    throw error;
  }
}

/** ALREADY_EXISTS for a name that is taken. */
export function taken(path: string): ReaderError {
  return new ReaderError(
    'ALREADY_EXISTS',
    `${quoted(path)} already exists.`,
    'Choose another name, or pass `overwrite: true` to replace it.',
  );
}

/** True for an error created by `taken`. */
export function isTaken(error: unknown): boolean {
  return error instanceof ReaderError && error.code === 'ALREADY_EXISTS';
}
