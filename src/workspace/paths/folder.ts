// An open folder of the workspace: its entries, and what each of them is or holds, never through a link. What a path
// leads to is found by `root.ts`.

import type { BigIntStats } from 'node:fs';
import { type OpenFile, refuseOther, throwIfAborted } from '../../contract/index.ts';
import type { Directory, EntryKind } from './directory.ts';
import { isReserved, shownName } from './names.ts';
import { pathError } from './walk.ts';

/** One name in a folder. */
export interface FolderEntry {
  readonly name: Buffer;
  /** As a model sees it; a path with it can be passed back. */
  readonly shown: string;
  readonly kind: EntryKind;
}

/** An open folder; whoever asked for it closes it. */
export interface Folder {
  /** Inside the workspace, without a leading slash; '' for the root. */
  readonly path: string;
  /** In no order. Names kept for files being written are left out. @throws {ReaderError} ABORTED, ACCESS_DENIED */
  entries(signal?: AbortSignal): AsyncIterable<FolderEntry>;
  /** Never through a link. @throws {ReaderError} FILE_NOT_FOUND, NOT_A_FILE, ACCESS_DENIED */
  openFolder(entry: FolderEntry): Promise<Folder>;
  /** A regular file; never through a link. @throws {ReaderError} FILE_NOT_FOUND, NOT_A_FILE, ACCESS_DENIED */
  openFile(entry: FolderEntry): Promise<OpenFile>;
  /** Of the entry itself, also when it is a link. @throws {ReaderError} FILE_NOT_FOUND, ACCESS_DENIED */
  stat(entry: FolderEntry): Promise<BigIntStats>;
  /** May be called more than once. */
  close(): Promise<void>;
}

/** The folder over `directory`, which it owns from here on. */
export function folderOf(directory: Directory, path: string): Folder {
  const below = (entry: FolderEntry): string => (path === '' ? entry.shown : `${path}/${entry.shown}`);
  return {
    path,
    async *entries(signal) {
      try {
        for await (const { name, kind } of directory.entries()) {
          if (signal) throwIfAborted(signal);
          if (!isReserved(name)) yield { name, shown: shownName(name), kind };
        }
      } catch (error) {
        throw pathError(error, path || '.', 'enter');
      }
    },
    openFolder: async (entry) => {
      try {
        return folderOf(await directory.enter(entry.name), below(entry));
      } catch (error) {
        throw pathError(error, below(entry), 'enter');
      }
    },
    openFile: async (entry) => {
      try {
        const { stats, handle } = await directory.find(entry.name);
        if (handle) return { name: below(entry), handle, stats };
        refuseOther(stats, below(entry));
        throw gone(); // a regular file comes with its handle
      } catch (error) {
        throw pathError(error, below(entry), 'open');
      }
    },
    stat: async (entry) => {
      try {
        return await directory.stat(entry.name);
      } catch (error) {
        throw pathError(error, below(entry), 'open');
      }
    },
    close: async () => directory.close(),
  };
}

/** The folder of a workspace nobody has written to yet. */
export const EMPTY_FOLDER: Folder = {
  path: '',
  async *entries() {},
  openFolder: (entry) => Promise.reject(pathError(gone(), entry.shown, 'enter')),
  openFile: (entry) => Promise.reject(pathError(gone(), entry.shown, 'open')),
  stat: (entry) => Promise.reject(pathError(gone(), entry.shown, 'open')),
  close: async () => {},
};

/** What the system says of a name that is not there. */
export function gone(): Error {
  return Object.assign(new Error('not found'), { code: 'ENOENT' });
}
