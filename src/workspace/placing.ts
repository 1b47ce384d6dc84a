// How something gets a name in one step: a new name, which must be free, or that of something it replaces.

import { errnoOf, quoted, ReaderError } from '../contract/index.ts';
import type { Directory } from './directory.ts';

/** Gives what is called `name` in `from` the name `toName` in `to`. Throws what the system throws. */
export type Put = (from: Directory, name: Buffer, to: Directory, toName: Buffer) => Promise<void>;

/** In place of whatever may have that name; a folder cannot be replaced. */
export const replace: Put = (from, name, to, toName) => from.rename(name, to, toName);

/** EEXIST when anything has that name. */
export const add: Put = async (from, name, to, toName) => {
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
  await from.unlink(name);
};

/** BAD_INPUT for a name that is taken; the code of its cause is EEXIST. */
export function taken(path: string): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `${quoted(path)} exists already.`,
    'Choose another name, or pass `overwrite: true` to replace it.',
    Object.assign(new Error('exists'), { code: 'EEXIST' }),
  );
}

/** Whether `error` is what `taken` gives. */
export function isTaken(error: unknown): boolean {
  return error instanceof ReaderError && errnoOf(error.cause) === 'EEXIST';
}
