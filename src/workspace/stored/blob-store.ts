// The store of a workspace in object storage. Names are keys below a prefix: there are no links, and a folder exists
// while a key starts with it.

import { type Blobs, isKey } from '../../blobs/index.ts';
import { quoted, ReaderError, type RemoteFile, type WorkspaceLimits } from '../../contract/index.ts';
import type { AtomicFile } from '../files/writing.ts';
import type { Folder } from '../paths/folder.ts';
import { MOUNT, mountedPath, parsePath } from '../paths/paths.ts';
import { pathError } from '../paths/walk.ts';
import type { Quota } from '../quota.ts';
import type { Store } from '../store.ts';
import type { FileFacts, RemoveOptions, Usage, WriteOptions } from '../workspace.ts';
import { keyFolder } from './key-folder.ts';
import { countKeys } from './layout.ts';
import { type FoundKey, lookUpAlike } from './lookup.ts';
import { remoteFile } from './remote-file.ts';

export interface BlobStoreOptions {
  readonly blobs: Blobs;
  /** Ends with a slash. */
  readonly prefix: string;
  readonly mount?: string;
  readonly quota?: Quota;
}

export class BlobStore implements Store {
  readonly mount: string;
  readonly host = undefined;
  readonly raceSafe = true;
  readonly quota: Quota | undefined;
  readonly blobs: Blobs;
  readonly prefix: string;

  constructor({ blobs, prefix, mount = MOUNT, quota }: BlobStoreOptions) {
    this.blobs = blobs;
    this.prefix = prefix;
    this.mount = mount;
    this.quota = quota;
  }

  /** The names of `path`. @throws {ReaderError} BAD_INPUT, PATH_ESCAPES_WORKSPACE */
  parse(path: string): string[] {
    return parsePath(path, this.mount);
  }

  shownPath(names: readonly string[]): string {
    return names.length > 0 ? names.join('/') : this.mount;
  }

  mounted(names: readonly string[]): string {
    return mountedPath(names, this.mount);
  }

  /** The key that a write of `names` uses. @throws {ReaderError} BAD_INPUT */
  keyOf(names: readonly string[]): string {
    const key = `${this.prefix}${names.join('/')}`;
    if (isKey(key)) return key;
    throw new ReaderError(
      'BAD_INPUT',
      `${quoted(this.shownPath(names))} cannot be stored: it is too long, or contains control characters.`,
      'Use a shorter path of visible characters.',
    );
  }

  /** @throws {ReaderError} FILE_NOT_FOUND, BAD_INPUT, PATH_ESCAPES_WORKSPACE */
  async find(path: string, spelling: 'alike' | 'near' = 'alike'): Promise<FoundKey> {
    const names = this.parse(path);
    try {
      return await lookUpAlike(this.blobs, this.prefix, names, spelling);
    } catch (error) {
      throw pathError(error, this.shownPath(names), 'open');
    }
  }

  async openFile(path: string): Promise<RemoteFile> {
    const { facts, shown } = await this.find(path);
    const name = shown.join('/');
    if (facts) return remoteFile(this.blobs, facts, name);
    throw new ReaderError(
      'NOT_A_FILE',
      `${quoted(name || this.mount)} is a directory; expected a regular file.`,
      'List the directory and read one of its files.',
    );
  }

  async openFolder(path: string): Promise<Folder<RemoteFile>> {
    const found = await this.find(path);
    if (found.facts)
      throw pathError(
        Object.assign(new Error('a file'), { code: 'ENOTDIR' }),
        found.shown.join('/'),
        'enter',
      );
    const prefix = found.path === '' ? this.prefix : `${this.prefix}${found.path}/`;
    return keyFolder(this.blobs, prefix, found.shown.join('/'));
  }

  async stat(path: string): Promise<{
    readonly stats: { readonly isFile: () => boolean; readonly isDirectory: () => boolean };
  }> {
    const { facts } = await this.find(path);
    return { stats: { isFile: () => facts !== undefined, isDirectory: () => facts === undefined } };
  }

  async kind(path: string): Promise<'file' | 'directory' | undefined> {
    try {
      return (await this.find(path)).facts ? 'file' : 'directory';
    } catch {
      return undefined; // opening it reports the reason
    }
  }

  async facts(path: string): Promise<FileFacts> {
    const { facts, shown } = await this.find(path);
    const place = { path: shown.join('/'), mounted: this.mounted(shown), names: 1 };
    if (!facts) return { ...place, kind: 'directory' };
    return { ...place, kind: 'file', bytes: facts.bytes, modified: facts.modified.toISOString() };
  }

  async createFile(path: string, options: WriteOptions = {}): Promise<AtomicFile> {
    return (await import('./staged-blob.ts')).createStagedBlob(this, this.parse(path), options);
  }

  async remove(path: string, options: RemoveOptions, most: number): Promise<void> {
    await (await import('./change.ts')).removeStored(this, path, options, most);
  }

  async move(
    from: string,
    to: string,
    options: { readonly overwrite?: boolean },
    most: number,
  ): Promise<void> {
    await (await import('./change.ts')).moveStored(this, from, to, options, most);
  }

  usage(signal: AbortSignal | undefined): Promise<Usage> {
    return countKeys(this.blobs, this.prefix, signal)(Number.POSITIVE_INFINITY);
  }

  async prune(limits: Pick<WorkspaceLimits, 'resultDays'>): Promise<{ readonly removed: readonly string[] }> {
    return (await import('./change.ts')).pruneStored(this, limits);
  }
}
