// What rooms that keep files of their own on this host share: making a folder and the ones above it.

import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from '../contract/index.ts';

/**
 * As `mkdir` with `recursive`, which never ends in a file system that makes no folders and says that there are none, such as
 * /proc. What has the name already and is no folder is left for the next step to refuse.
 * @param path absolute
 * @throws the error of `mkdir`
 */
export async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (error) {
    const above = dirname(path);
    if (errnoOf(error) !== 'ENOENT' || above === path) throw error;
    await makeFolder(above, mode);
    await makeOne(path, mode);
  }
}

async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
