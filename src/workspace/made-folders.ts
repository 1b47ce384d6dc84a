// Folders that were made on the way to a place: remembered, so that they do not stay when nothing comes to be there.

import type { BigIntStats } from 'node:fs';
import type { Directory } from './directory.ts';
import type { Root } from './root.ts';

/** Tells one file or folder from another, for as long as both are there. */
export const inodeOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/** Those of one walk. */
export class MadeFolders {
  readonly #made = new Set<string>();

  /** For a walk that makes folders. */
  readonly onMade = async (above: Directory, name: Buffer): Promise<void> => {
    this.#made.add(inodeOf(await above.stat(name)));
    await above.sync();
  };

  /** Removes those on the way to `names` that are still empty. Never throws. */
  async remove(root: Root, names: readonly string[]): Promise<void> {
    for (let depth = this.#made.size > 0 ? names.length - 1 : 0; depth > 0; depth -= 1) {
      let directory: Directory | undefined;
      try {
        const place = await root.walk(names.slice(0, depth), { end: 'entry', spelling: 'exact' });
        directory = place.directory;
        if (!place.name || !place.stats || !this.#made.has(inodeOf(place.stats))) return;
        await directory.removeFolder(place.name);
      } catch {
        return; // somebody else uses it by now
      } finally {
        directory?.close();
      }
    }
  }
}
