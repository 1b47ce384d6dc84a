// An open folder of the workspace: lists its entries and opens or stats each of them without following links. `root.ts`
// resolves paths to folders.

import { type LocalFile, type OpenFile, refuseOther, throwIfAborted } from '../../contract/index.ts';
import { type Directory, type EntryKind, isReserved } from '../../disk/index.ts';
import { shownName } from './names.ts';
import { pathError } from './walk.ts';

/** An entry of a folder. */
export interface FolderEntry {
  readonly name: Buffer;
  /** The name as shown to a model; a path containing it can be passed back. */
  readonly shown: string;
  readonly kind: EntryKind;
}

/** As in `BigIntStats`. */
export interface EntryStats {
  readonly size: bigint;
  /** Undefined if it is not known. */
  readonly mtimeMs: bigint | undefined;
}

/** An open folder. The caller closes it. */
export interface Folder<File extends OpenFile = OpenFile> {
  /** Inside the workspace, without a leading slash; '' for the root. */
  readonly path: string;
  /** Unordered. Leaves out reserved names of files being written. @throws {ReaderError} ABORTED, ACCESS_DENIED */
  entries(signal?: AbortSignal): AsyncIterable<FolderEntry>;
  /** Does not follow links. @throws {ReaderError} FILE_NOT_FOUND, NOT_A_FILE, ACCESS_DENIED */
  openFolder(entry: FolderEntry): Promise<Folder<File>>;
  /** Opens a regular file; does not follow links. @throws {ReaderError} FILE_NOT_FOUND, NOT_A_FILE, ACCESS_DENIED */
  openFile(entry: FolderEntry): Promise<File>;
  /** Its content if it can be read at once and fits `buffer`, in it; does not follow links. */
  peek?(entry: FolderEntry, buffer: Buffer): Promise<Buffer | undefined>;
  /** Stats of the entry itself, even if it is a link. @throws {ReaderError} FILE_NOT_FOUND, ACCESS_DENIED */
  stat(entry: FolderEntry): Promise<EntryStats>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** The folder over `directory`; takes ownership of `directory`. */
export function folderOf(directory: Directory, path: string): Folder<LocalFile> {
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
        throw gone(); // a regular file has a handle
      } catch (error) {
        throw pathError(error, below(entry), 'open');
      }
    },
    peek: (entry, buffer) => directory.peek(entry.name, buffer),
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

/** The folder of a workspace that does not exist yet. */
export const EMPTY_FOLDER: Folder<LocalFile> = {
  path: '',
  async *entries() {},
  openFolder: (entry) => Promise.reject(pathError(gone(), entry.shown, 'enter')),
  openFile: (entry) => Promise.reject(pathError(gone(), entry.shown, 'open')),
  stat: (entry) => Promise.reject(pathError(gone(), entry.shown, 'open')),
  close: async () => {},
};

/** The error the system gives for a missing name. */
export function gone(): Error {
  return Object.assign(new Error('not found'), { code: 'ENOENT' });
}
