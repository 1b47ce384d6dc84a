// A storage of files in a folder, as small as one can be.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** @param {string} folder */
export function createFolderStorage(folder) {
  return {
    /** @param {string} path @param {string} text */
    write: async (path, text) => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    },
    /** @param {string} path */
    read: (path) =>
      readFile(join(folder, path), 'utf8').catch((error) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      }),
    /** @param {string} path */
    shownAs: (path) => `/workspace/${path}`,
  };
}
