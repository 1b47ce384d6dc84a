// How something gets a name in one step: a new name, which must be free, or that of something it replaces.

import type { BigIntStats } from 'node:fs';
import { errnoOf, quoted, ReaderError } from '../../contract/index.ts';
import type { Directory } from '../paths/directory.ts';
import { inodeOf } from './made-folders.ts';

/** Gives what is called `name` in `from` the name `toName` in `to`. Throws what the system throws. */
export type Put = (from: Directory, name: Buffer, to: Directory, toName: Buffer) => Promise<void>;

/** In place of whatever may have that name; a folder cannot be replaced. */
export const replace: Put = (from, name, to, toName) => from.rename(name, to, toName);

/**
 * EEXIST when anything has that name. Of several at once that give the same thing another name one does, and the others
 * get ENOENT.
 */
export const add: Put = async (from, name, to, toName) => {
  const moved = await from.stat(name);
  try {
    await from.link(name, to, toName);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errnoOf(error) ?? '')) throw error;
    // A file system without second names: the place is taken by an empty file, which is then replaced.
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

/** What has two names by now loses the first, unless that is something else's by now. */
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
    // Somebody else gave it another name, or removed it, before.
    const there = await to.stat(toName).catch(() => undefined);
    if (there && inodeOf(there) === inodeOf(moved)) await to.unlink(toName);
    throw error;
  }
}

/** ALREADY_EXISTS for a name in use. */
export function taken(path: string): ReaderError {
  return new ReaderError(
    'ALREADY_EXISTS',
    `${quoted(path)} already exists.`,
    'Choose another name, or pass `overwrite: true` to replace it.',
  );
}

/** Whether `error` is what `taken` gives. */
export function isTaken(error: unknown): boolean {
  return error instanceof ReaderError && error.code === 'ALREADY_EXISTS';
}
