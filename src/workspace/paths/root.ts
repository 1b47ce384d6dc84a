// The root folder of a workspace on this host, and path lookup within it. It is opened anew for each operation, so it
// may be created, moved or removed between two of them.

import type { BigIntStats } from 'node:fs';
import { errnoOf, type LocalFile, quoted, ReaderError, refuseOther } from '../../contract/index.ts';
import { Directory, makeFolder, opensByDescriptor, sweep } from '../../disk/index.ts';
import { createAtomicFile } from '../files/atomic-file.ts';
import type { AtomicFile, Staging } from '../files/writing.ts';
import type { Quota } from '../quota.ts';
import type { WriteOptions } from '../workspace.ts';
import { EMPTY_FOLDER, type Folder, folderOf, gone } from './folder.ts';
import { MOUNT, mountedPath, parsePath } from './paths.ts';
import { type Place, pathError, type Walk, walk } from './walk.ts';

/** Options of a root. */
export interface RootOptions {
  /** Absolute path of a folder on this host; links are followed. */
  readonly base: string;
  /** Folders below `base` that lead to the workspace, created on the first write; empty for `base` itself. */
  readonly below?: readonly string[];
  /** Folders below `base` in which files are staged. Default: beside their target. */
  readonly staging?: readonly string[];
  readonly mount?: string;
  /** Default: detected. */
  readonly raceSafe?: boolean;
  readonly quota?: Quota;
}

/**
 * A folder and everything below it. Paths are relative to it, below its mount or, for a plain folder, below its own
 * path.
 */
export class Root {
  readonly mount: string;
  /**
   * The absolute path on this host, if paths and links may use it: only for a plain folder, whose owner knows it by
   * that path.
   */
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
   * Opens a regular file and nothing else; follows links inside the workspace.
   * @throws {ReaderError} PATH_ESCAPES_WORKSPACE, FILE_NOT_FOUND (suggests similar names), NOT_A_FILE, ACCESS_DENIED,
   * BAD_INPUT
   */
  async openFile(path: string): Promise<LocalFile> {
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
   * Opens a folder, following links inside the workspace; '' is the root. With `create`, creates missing folders.
   * @throws {ReaderError} PATH_ESCAPES_WORKSPACE, FILE_NOT_FOUND (suggests similar names), NOT_A_FILE, ACCESS_DENIED,
   * BAD_INPUT
   */
  async openFolder(
    path: string,
    { create = false }: { readonly create?: boolean } = {},
  ): Promise<Folder<LocalFile>> {
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
   * A file that appears complete at `path` on commit. Creates missing parent folders.
   * @throws {ReaderError} also QUOTA_EXCEEDED, CONFLICT, ALREADY_EXISTS
   */
  createFile(path: string, options: WriteOptions = {}): Promise<AtomicFile> {
    const names = this.parse(path);
    const staging: Staging = { open: () => this.#openStaging() };
    return createAtomicFile(this, names, staging, options);
  }

  /**
   * Stats of `path`, following links; no `stats` for a root that does not exist yet. @throws {ReaderError} as
   * `openFile`
   */
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

  /** Resolves names. @throws {ReaderError} as `walk`; system errors, including ENOENT when the root does not exist */
  async walk(names: readonly string[], how: Omit<Walk, 'mount' | 'host'>): Promise<Place> {
    const root = how.create ? await this.make() : await this.open();
    if (!root) throw gone();
    return this.#walkFrom(root, names, how);
  }

  #walkFrom(root: Directory, names: readonly string[], how: Omit<Walk, 'mount' | 'host'>): Promise<Place> {
    return walk(root, names, { ...how, mount: this.mount, host: this.host });
  }

  /** Opens the root; undefined for a stored root that does not exist yet. */
  async open(): Promise<Directory | undefined> {
    try {
      return await this.#enter(await this.#openBase(), this.#below);
    } catch (error) {
      if (this.#below.length === 0 || errnoOf(error) !== 'ENOENT') throw this.#rootError(error);
      return undefined;
    }
  }

  /** Opens the root, creating it if it is a stored one that does not exist yet. */
  async make(): Promise<Directory> {
    return this.#makeBelow(this.#below);
  }

  /** Removes leftovers of killed writers from the staging folder. */
  async sweepStaging(): Promise<void> {
    const staging = await this.#openStaging();
    if (staging)
      try {
        await sweep(staging, { now: true });
      } finally {
        staging.close();
      }
  }

  /** Opens the staging folder; undefined: stage beside the target. */
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
        'Pass a folder as the root of the workspace.',
        error,
      );
    if (code === 'ENOENT' || code === 'ELOOP')
      return new ReaderError(
        'FILE_NOT_FOUND',
        'The root folder of the workspace does not exist.',
        'Create the folder, or pass an existing one as the root.',
        error,
      );
    return pathError(error, this.mount, 'change');
  }

  /** Names as a path for messages. */
  shownPath(names: readonly string[]): string {
    return names.length > 0 ? names.join('/') : this.mount;
  }

  /** Names as a path below the mount. */
  mounted(names: readonly string[]): string {
    return mountedPath(names, this.mount);
  }
}

/** Mode of the folders that lead to a workspace: owner only. */
const PRIVATE = 0o700;

/**
 * Refuses an id that differs from an existing one only by case, because both would be the same folder on a
 * case-insensitive file system.
 */
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
      `The id ${quoted(id)} differs only by case from an existing id.`,
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
