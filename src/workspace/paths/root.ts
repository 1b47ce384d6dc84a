// The folder of a workspace on this host, and how paths lead into it. It is opened anew for each operation, so that it
// may be made, moved or removed between two; what is done in it is in the file of its noun.

import type { BigIntStats } from 'node:fs';
import { errnoOf, type OpenFile, quoted, ReaderError, refuseOther } from '../../contract/index.ts';
import { makeFolder } from '../../disk/index.ts';
import { createAtomicFile } from '../files/atomic-file.ts';
import { sweep } from '../files/staging.ts';
import type { AtomicFile, Staging } from '../files/writing.ts';
import type { Quota } from '../quota.ts';
import type { WriteOptions } from '../workspace.ts';
import { opensByDescriptor } from './descriptor.ts';
import { Directory } from './directory.ts';
import { EMPTY_FOLDER, type Folder, folderOf, gone } from './folder.ts';
import { MOUNT, mountedPath, parsePath } from './paths.ts';
import { type Place, pathError, type Walk, walk } from './walk.ts';

/** What a root is made of. */
export interface RootOptions {
  /** Absolute path of a folder of this host, links followed. */
  readonly base: string;
  /** Folders below it that lead to the workspace, made on the first write; none for `base` itself. */
  readonly below?: readonly string[];
  /** Folders below `base` in which files are written before they appear. Default: beside their place. */
  readonly staging?: readonly string[];
  readonly mount?: string;
  /** Default: what the system can. */
  readonly raceSafe?: boolean;
  readonly quota?: Quota;
}

/** One folder and all below it, by paths that are relative to it, below its mount or, of a plain one, below its own path. */
export class Root {
  readonly mount: string;
  /** The absolute path on this host, where paths and links may say it: of a plain folder, which its owner knows by it. */
  readonly host: string | undefined;
  readonly raceSafe: boolean;
  readonly quota: Quota | undefined;
  readonly #base: string;
  readonly #below: readonly string[];
  readonly #staging: readonly string[] | undefined;

  constructor({ base, below = [], staging, mount = MOUNT, raceSafe, quota }: RootOptions) {
    this.mount = mount;
    this.raceSafe = raceSafe ?? opensByDescriptor();
    this.quota = quota;
    this.host = below.length === 0 && base.startsWith('/') ? base : undefined;
    this.#base = base;
    this.#below = below;
    this.#staging = staging;
  }

  /** The names that lead to `path`. @throws {ReaderError} BAD_INPUT, PATH_ESCAPES_WORKSPACE */
  parse(path: string): string[] {
    return parsePath(path, this.mount, this.host);
  }

  /**
   * Opens a regular file at once, whatever lies there; links inside the workspace are followed.
   * @throws {ReaderError} PATH_ESCAPES_WORKSPACE, FILE_NOT_FOUND (with near names), NOT_A_FILE, ACCESS_DENIED, BAD_INPUT
   */
  async openFile(path: string): Promise<OpenFile> {
    const names = this.parse(path);
    try {
      const { directory, stats, handle, shown } = await this.walk(names, { end: 'file' });
      directory.close();
      const name = shown.join('/');
      if (handle && stats) return { name, handle, stats };
      if (stats) refuseOther(stats, this.shownPath(shown));
      throw gone();
    } catch (error) {
      throw pathError(error, this.shownPath(names), 'open');
    }
  }

  /**
   * Opens a folder, links inside the workspace followed; '' is the root. With `create`, folders that are missing are made.
   * @throws {ReaderError} PATH_ESCAPES_WORKSPACE, FILE_NOT_FOUND (with near names), NOT_A_FILE, ACCESS_DENIED, BAD_INPUT
   */
  async openFolder(path: string, { create = false }: { readonly create?: boolean } = {}): Promise<Folder> {
    const names = this.parse(path);
    try {
      if (names.length === 0 && !create) {
        const root = await this.open();
        return root ? folderOf(root, '') : EMPTY_FOLDER;
      }
      const { directory, shown } = await this.walk(names, { end: 'folder', create });
      return folderOf(directory, shown.join('/'));
    } catch (error) {
      throw create
        ? pathError(error, this.shownPath(names), 'change')
        : pathError(error, this.shownPath(names), 'enter');
    }
  }

  /**
   * A file that appears whole at `path` when it is committed, with the folders it needs.
   * @throws {ReaderError} also QUOTA_EXCEEDED, CONFLICT, ALREADY_EXISTS
   */
  createFile(path: string, options: WriteOptions = {}): Promise<AtomicFile> {
    const names = this.parse(path);
    const staging: Staging = { open: () => this.#openStaging() };
    return createAtomicFile(this, names, staging, options);
  }

  /** What lies at `path`, links followed; no `stats` for a root that nobody has written to. @throws {ReaderError} as `openFile` */
  async stat(
    path: string,
  ): Promise<{ readonly stats: BigIntStats | undefined; readonly shown: readonly string[] }> {
    const names = this.parse(path);
    try {
      const root = await this.open();
      if (!root) {
        if (names.length === 0) return { stats: undefined, shown: [] };
        throw gone();
      }
      const { directory, stats, shown } = await this.#walkFrom(root, names, { end: 'target' });
      directory.close();
      if (stats) return { stats, shown };
      throw gone();
    } catch (error) {
      throw pathError(error, this.shownPath(names), 'open');
    }
  }

  /** Where names lead. @throws {ReaderError} as `walk`; what the system throws, ENOENT too when there is no root */
  async walk(names: readonly string[], how: Omit<Walk, 'mount' | 'host'>): Promise<Place> {
    const root = how.create ? await this.make() : await this.open();
    if (!root) throw gone();
    return this.#walkFrom(root, names, how);
  }

  #walkFrom(root: Directory, names: readonly string[], how: Omit<Walk, 'mount' | 'host'>): Promise<Place> {
    return walk(root, names, { ...how, mount: this.mount, host: this.host });
  }

  /** The root itself; undefined for a stored one that nobody has written to. */
  async open(): Promise<Directory | undefined> {
    try {
      return await this.#enter(await this.#openBase(), this.#below);
    } catch (error) {
      if (this.#below.length === 0 || errnoOf(error) !== 'ENOENT') throw this.#rootError(error);
      return undefined;
    }
  }

  /** The root itself, made when it is a stored one and not there. */
  async make(): Promise<Directory> {
    return this.#makeBelow(this.#below);
  }

  /** Removes what killed writers left where files are staged. */
  async sweepStaging(): Promise<void> {
    const staging = await this.#openStaging();
    if (staging)
      try {
        await sweep(staging, { now: true });
      } finally {
        staging.close();
      }
  }

  /** Where files are written before they appear; undefined for beside their place. */
  async #openStaging(): Promise<Directory | undefined> {
    return this.#staging && this.#makeBelow(this.#staging);
  }

  async #makeBelow(names: readonly string[]): Promise<Directory> {
    try {
      if (names.length > 0) await makeFolder(this.#base, PRIVATE);
      let directory = await this.#openBase();
      for (const name of names) {
        const above = directory;
        try {
          directory = await enterOrMake(above, name);
        } finally {
          above.close();
        }
      }
      return directory;
    } catch (error) {
      throw this.#rootError(error);
    }
  }

  #openBase(): Promise<Directory> {
    return Directory.open(this.#base, this.raceSafe);
  }

  async #enter(from: Directory, names: readonly string[]): Promise<Directory> {
    let directory = from;
    for (const name of names) {
      const above = directory;
      try {
        directory = await above.enter(Buffer.from(name));
      } finally {
        above.close();
      }
    }
    return directory;
  }

  #rootError(error: unknown): ReaderError {
    if (error instanceof ReaderError) return error;
    const code = errnoOf(error);
    if (code === 'ENOTDIR')
      return new ReaderError(
        'NOT_A_FOLDER',
        'The root of the workspace is not a folder, or a parent in its path is not.',
        'Give a folder as the root of the workspace.',
        error,
      );
    if (code === 'ENOENT' || code === 'ELOOP')
      return new ReaderError(
        'FILE_NOT_FOUND',
        'The folder of the workspace is not there.',
        'Make the folder that was given as the root of the workspace.',
        error,
      );
    return pathError(error, this.mount, 'change');
  }

  /** Names as a message shows them. */
  shownPath(names: readonly string[]): string {
    return names.length > 0 ? names.join('/') : this.mount;
  }

  /** Names as a sandbox sees them. */
  mounted(names: readonly string[]): string {
    return mountedPath(names, this.mount);
  }
}

/** For the folders that lead to a workspace: nobody else's business. */
const PRIVATE = 0o700;

/** Ids that differ by case only would be one folder elsewhere: the second one is refused. */
async function enterOrMake(above: Directory, id: string): Promise<Directory> {
  const name = Buffer.from(id);
  try {
    return await above.enter(name);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
  if (await hasTwin(above, id))
    throw new ReaderError(
      'BAD_INPUT',
      `The id ${quoted(id)} differs by case only from one that is in use.`,
      'Use an id that differs by more than case.',
    );
  try {
    await above.make(name, PRIVATE);
    await above.sync();
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  return above.enter(name);
}

async function hasTwin(above: Directory, id: string): Promise<boolean> {
  const lower = id.toLowerCase();
  for await (const { name } of above.entries()) {
    const other = name.toString('latin1');
    if (other !== id && other.toLowerCase() === lower) return true;
  }
  return false;
}
