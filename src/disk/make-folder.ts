// Creates folders, for rooms that store files on this host.

import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from '../contract/index.ts';

/**
 * Like `mkdir` with `recursive`, which never ends on a file system that rejects new folders with ENOENT, such as /proc.
 * If the name exists but is not a folder, the next operation reports it.
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
