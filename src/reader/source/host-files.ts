// Files by the host's own paths, for a caller who may read everything the process may. Use a workspace where paths come
// from elsewhere.

import { constants } from 'node:fs';
import { type FileHandle, opendir, open as openFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  type Files,
  type LocalFile,
  nearPaths,
  ReaderError,
  refuseOther,
  systemError,
  visibleName,
} from '../../contract/index.ts';

/** The host's files; links are followed, as the process itself would. Named by their last component. */
export const HOST_FILES: Files = { open, kind };

async function open(path: string): Promise<LocalFile> {
  const name = visibleName(basename(path));
  let handle: FileHandle | undefined;
  try {
    // Checked before opening, because opening some devices has side effects; O_NONBLOCK, because a pipe put in its
    // place would block; checked again on the opened file.
    refuseOther(await stat(path, { bigint: true }), name);
    handle = await openFile(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const stats = await handle.stat({ bigint: true });
    refuseOther(stats, name);
    return { name, handle, stats };
  } catch (error) {
    await handle?.close();
    if (error instanceof ReaderError) throw error;
    throw systemError(error, name, 'open', await near(path));
  }
}

async function kind(path: string): Promise<'file' | 'directory' | 'other' | undefined> {
  try {
    const stats = await stat(path);
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
  } catch {
    return undefined; // opening it reports the reason
  }
}

/** Paths like `path`, from the first folder on that does not exist as written. */
async function near(path: string): Promise<string[]> {
  let folder = dirname(path);
  const wanted = [basename(path)];
  while ((await kind(folder)) !== 'directory') {
    if (dirname(folder) === folder) return [];
    wanted.unshift(basename(folder));
    folder = dirname(folder);
  }
  const found = await nearPaths(wanted, (below) => namesIn(join(folder, ...below)));
  return found.map((names) => names.map(visibleName).join('/'));
}

async function* namesIn(directory: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(directory)) yield entry.name;
  } catch {
    // not a directory, or not readable: nothing to suggest
  }
}
