// Files uploaded with jobs. Each belongs to one user and one job, so that removing a job never races with another that
// has the same content; its id names the sha256 of its content.

import { createHash, type Hash, randomBytes } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, type Files, throwIfAborted } from '../../contract/index.ts';
import { makeFolder, writeAll } from '../../disk/index.ts';
import { ReaderError } from '../../index.ts';
import { hasEnded, thisHolder } from './holder.ts';

export interface StoredBlob {
  readonly blob: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface BlobStore {
  /** Where `path` leads. Default: this host. */
  readonly files?: Files;
  /**
   * Stores all of `content`; durable when it resolves. The caller must `remove` it unless a job refers to it.
   * @throws {ReaderError} LIMIT_EXCEEDED above `maxBytes`, ABORTED, QUOTA_EXCEEDED (disk full); errors of `content`
   */
  put(
    user: string,
    content: AsyncIterable<Uint8Array>,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<StoredBlob>;
  /** Path for the reader only, on this host unless `files` is set. @throws {ReaderError} FILE_NOT_FOUND */
  path(user: string, blob: string): Promise<string>;
  /** Succeeds even if it does not exist. */
  remove(user: string, blob: string): Promise<void>;
  /**
   * Removes leftovers of a crash: files that no process is writing and nothing refers to. Returns how many. `refers` is
   * called after the writer of a file is known to have ended.
   */
  sweep(refers: (user: string, blob: string) => Promise<boolean>, signal?: AbortSignal): Promise<number>;
}

const BLOB = /^(?<sha256>[0-9a-f]{64})\.(?<holder>[A-Za-z0-9-]{1,80})\.[0-9a-f]{16}$/;
const TEMPORARY = /^(?<holder>[A-Za-z0-9-]{1,80})\.[0-9a-f]{16}\.tmp$/;

/** Age at which a file whose writer cannot be checked counts as abandoned. */
const ABANDONED_MS = 60 * 60_000;

/** Removals of an empty folder that one new file outlives, each between its making and the file's creation. */
const MAX_ATTEMPTS = 100;

interface FolderBlobStoreOptions {
  /** Name of this process; see `thisHolder`. */
  readonly holder?: string;
  /** Processes of other machines use the folder too. */
  readonly isShared?: boolean;
}

/** Keeps blobs in `<root>/<user>/`. User ids are safe folder names: `checkId` holds before a job is accepted. */
export function createFolderBlobStore(root: string, options: FolderBlobStoreOptions = {}): BlobStore {
  return new FolderBlobStore(root, options);
}

class FolderBlobStore implements BlobStore {
  readonly #root: string;
  readonly #holder: string;
  readonly #isShared: boolean;

  constructor(root: string, { holder = thisHolder(), isShared = false }: FolderBlobStoreOptions) {
    this.#root = root;
    this.#holder = holder;
    this.#isShared = isShared;
  }

  async put(
    user: string,
    content: AsyncIterable<Uint8Array>,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<StoredBlob> {
    const folder = join(this.#root, user);
    const token = randomBytes(8).toString('hex');
    const temporary = join(folder, `${this.#holder}.${token}.tmp`);
    try {
      const { sha256, bytes } = await writeNew(await createIn(folder, temporary), content, options);
      const blob = `${sha256}.${this.#holder}.${token}`;
      await rename(temporary, join(folder, blob));
      await syncFolder(folder);
      return { blob, sha256, bytes };
    } catch (error) {
      await rm(temporary, { force: true });
      throw storeError(error);
    }
  }

  async path(user: string, blob: string): Promise<string> {
    const path = this.#pathOf(user, blob);
    try {
      await stat(path);
      return path;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw storeError(error);
      throw notStored(error);
    }
  }

  async remove(user: string, blob: string): Promise<void> {
    await rm(this.#pathOf(user, blob), { force: true });
    await rmdir(join(this.#root, user)).catch(() => undefined); // other blobs are in it
  }

  async sweep(
    refers: (user: string, blob: string) => Promise<boolean>,
    signal?: AbortSignal,
  ): Promise<number> {
    let removed = 0;
    for (const user of await entriesOf(this.#root)) {
      if (signal) throwIfAborted(signal);
      if (!user.isDirectory()) continue;
      const folder = join(this.#root, user.name);
      for (const { name } of await entriesOf(folder)) {
        const holder = (BLOB.exec(name) ?? TEMPORARY.exec(name))?.groups?.['holder'];
        if (holder === undefined || !(await this.#isLeft(holder, join(folder, name)))) continue;
        if (BLOB.test(name) && (await refers(user.name, name))) continue;
        await rm(join(folder, name), { force: true });
        removed += 1;
      }
      await rmdir(folder).catch(() => undefined); // not empty
    }
    return removed;
  }

  async #isLeft(holder: string, path: string): Promise<boolean> {
    if (hasEnded(holder, { isShared: this.#isShared })) return true;
    if (holder === this.#holder) return false;
    const found = await stat(path).catch(() => undefined);
    return found !== undefined && Date.now() - found.mtimeMs > ABANDONED_MS;
  }

  #pathOf(user: string, blob: string): string {
    // Ids come from the database only; this keeps a changed one from naming another file.
    if (!BLOB.test(blob)) throw new TypeError('Not a blob id.');
    return join(this.#root, user, blob);
  }
}

export function notStored(cause?: unknown): ReaderError {
  return new ReaderError(
    'FILE_NOT_FOUND',
    'The uploaded file of this job is no longer stored.',
    'Submit the file again.',
    cause,
  );
}

/** Passes `content` on, and hashes and counts it. @throws {ReaderError} LIMIT_EXCEEDED, ABORTED */
export class MeasuredContent {
  bytes = 0;
  readonly #hash: Hash = createHash('sha256');
  readonly #content: AsyncIterable<Uint8Array>;
  readonly #options: { readonly maxBytes: number; readonly signal: AbortSignal };

  constructor(
    content: AsyncIterable<Uint8Array>,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ) {
    this.#content = content;
    this.#options = options;
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    const { maxBytes, signal } = this.#options;
    for await (const piece of this.#content) {
      throwIfAborted(signal);
      this.bytes += piece.length;
      if (this.bytes > maxBytes)
        throw new ReaderError(
          'LIMIT_EXCEEDED',
          `The files of the job have more than ${maxBytes} bytes.`,
          'Submit fewer or smaller files.',
        );
      this.#hash.update(piece);
      yield piece;
    }
    throwIfAborted(signal);
  }

  /** Once all pieces were taken. */
  facts(): { readonly sha256: string; readonly bytes: number } {
    return { sha256: this.#hash.digest('hex'), bytes: this.bytes };
  }
}

/** Creates `path` in `folder`, which is made again whenever a removal found it empty before the file was in it. */
async function createIn(folder: string, path: string): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  for (let attempt = 1; ; attempt += 1) {
    await makeFolder(folder, 0o700);
    try {
      return await open(path, flags, 0o600);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function writeNew(
  file: FileHandle,
  content: AsyncIterable<Uint8Array>,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  try {
    const measured = new MeasuredContent(content, options);
    for await (const piece of measured.pieces()) await writeAll(file, piece);
    await file.sync();
    return measured.facts();
  } finally {
    await file.close();
  }
}

/** Makes the name of a new file survive a power loss. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function entriesOf(path: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

function storeError(error: unknown): unknown {
  if (error instanceof ReaderError) return error;
  const code = errnoOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new ReaderError(
      'QUOTA_EXCEEDED',
      'The disk of the service is full.',
      'Free space in the data directory, then try again.',
      error,
    );
  if (code === undefined) return error;
  return new ReaderError(
    'INTERNAL',
    'The uploaded file could not be stored.',
    'Check the log of the service, and its data directory.',
    error,
  );
}
