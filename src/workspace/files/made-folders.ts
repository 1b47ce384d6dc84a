// Records the parent folders an operation created, so that they can be removed if the operation fails.

import type { BigIntStats } from 'node:fs';
import type { Directory } from '../../disk/index.ts';
import type { Root } from '../paths/root.ts';

/** Identifies a file or folder for as long as it exists. */
export const inodeOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

interface Made {
  readonly path: readonly Buffer[];
  readonly inode: string;
}

/** The folders created by one walk. */
export class MadeFolders {
  readonly #made: Made[] = [];

  /** Pass as `onMade` to a walk that creates folders. */
  readonly onMade = async (above: Directory, name: Buffer, path: readonly Buffer[]): Promise<void> => {
    this.#made.push({ path, inode: inodeOf(await above.stat(name)) });
    await above.sync();
  };

  /** Removes the recorded folders that are still empty. Never throws. */
  async remove(root: Root): Promise<void> {
    for (const made of this.#made.toReversed())
      try {
        await removeMade(root, made);
      } catch {
        return; // in use by someone else by now
      }
  }
}

async function removeMade(root: Root, { path, inode }: Made): Promise<void> {
  let directory = await root.open();
  try {
    for (const name of path.slice(0, -1)) {
      const above = directory;
      directory = await above?.enter(name);
      above?.close();
    }
    const name = path.at(-1);
    if (name && directory && inodeOf(await directory.stat(name)) === inode)
      await directory.removeFolder(name);
  } finally {
    directory?.close();
  }
}
