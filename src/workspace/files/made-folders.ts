// Folders that were made on the way to a place: remembered, so that they do not stay when nothing comes to be there.

import type { BigIntStats } from 'node:fs';
import type { Directory } from '../paths/directory.ts';
import type { Root } from '../paths/root.ts';

/** Tells one file or folder from another, for as long as both are there. */
export const inodeOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

interface Made {
  readonly path: readonly Buffer[];
  readonly inode: string;
}

/** Those of one walk. */
export class MadeFolders {
  readonly #made: Made[] = [];

  /** For a walk that makes folders. */
  readonly onMade = async (above: Directory, name: Buffer, path: readonly Buffer[]): Promise<void> => {
    this.#made.push({ path, inode: inodeOf(await above.stat(name)) });
    await above.sync();
  };

  /** Removes those that are still empty. Never throws. */
  async remove(root: Root): Promise<void> {
    for (const made of this.#made.toReversed())
      try {
        await removeMade(root, made);
      } catch {
        return; // somebody else uses it by now
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
