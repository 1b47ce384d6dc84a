// A file that is written here, in memory or in an unnamed temporary file, and stored in one step. Its name need not be
// known before.

import { createHash, type Hash } from 'node:crypto';
import type { BlobFacts } from '../../blobs/index.ts';
import { type Bytes, ReaderError } from '../../contract/index.ts';
import { TemporaryBytes } from '../../disk/index.ts';
import { isTaken, taken } from '../files/publish.ts';
import { changedSince, checkSha256, refuseNames } from '../files/replacing.ts';
import { type AtomicFile, throwIfCancelled } from '../files/writing.ts';
import { shownName } from '../paths/names.ts';
import { pathError } from '../paths/walk.ts';
import type { Claim, Growth } from '../quota.ts';
import type { WriteOptions, Written } from '../workspace.ts';
import type { BlobStore } from './blob-store.ts';
import { isFolder } from './lookup.ts';
import { refuseOtherHash } from './replace-check.ts';

/** @throws {ReaderError} if the path is already known to be unwritable */
export async function createStagedBlob(
  store: BlobStore,
  names: readonly string[],
  options: WriteOptions,
): Promise<AtomicFile> {
  const path = store.shownPath(names);
  refuseNames(names, path);
  checkSha256(options.ifSha256);
  throwIfCancelled(options.signal);
  const facts = await target(store, names, options);
  return new StagedBlob(store, names, options, facts);
}

/** What would be replaced. @throws {ReaderError} as a write */
async function target(
  store: BlobStore,
  names: readonly string[],
  { overwrite = false, ifSha256, signal }: WriteOptions,
): Promise<BlobFacts | undefined> {
  const path = store.shownPath(names);
  const key = store.keyOf(names);
  const facts = await store.blobs.stat(key, signal);
  if (!facts) await refuseConflict(store, names);
  if (ifSha256 !== undefined) await refuseOtherHash(store, facts, ifSha256, path, signal);
  else if (facts && !overwrite) throw taken(path);
  return facts;
}

/** Object storage would accept a file beside a folder of its name, which no disk can hold. */
async function refuseConflict(store: BlobStore, names: readonly string[]): Promise<void> {
  const path = store.shownPath(names);
  if (await isFolder(store.blobs, store.keyOf(names)))
    throw pathError(Object.assign(new Error('a folder'), { code: 'EISDIR' }), path, 'change');
  await refuseFilesAbove(store, names);
}

/** @throws {ReaderError} NOT_A_FOLDER */
export async function refuseFilesAbove(store: BlobStore, names: readonly string[]): Promise<void> {
  const above = names.slice(0, -1).map((_, index) => store.keyOf(names.slice(0, index + 1)));
  const found = await Promise.all(above.map((key) => store.blobs.stat(key)));
  if (found.some((facts) => facts !== undefined))
    throw pathError(
      Object.assign(new Error('a file'), { code: 'ENOTDIR' }),
      store.shownPath(names),
      'change',
    );
}

class StagedBlob implements AtomicFile {
  bytes: Bytes = 0;
  readonly #store: BlobStore;
  #names: readonly string[];
  readonly #options: WriteOptions;
  readonly #before: BlobFacts | undefined;
  readonly #claim: Claim | undefined;
  readonly #staged = new TemporaryBytes();
  readonly #hash: Hash = createHash('sha256');
  #state: 'open' | 'committed' | 'discarded' = 'open';

  constructor(
    store: BlobStore,
    names: readonly string[],
    options: WriteOptions,
    before: BlobFacts | undefined,
  ) {
    this.#store = store;
    this.#names = names;
    this.#options = options;
    this.#before = before;
    this.#claim = store.quota?.claim(store.shownPath(names));
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#orDiscard(async () => {
      throwIfCancelled(this.#options.signal);
      const most = Math.max(this.bytes + bytes.length, this.#options.bytes ?? 0);
      await this.#claim?.take(this.#growth(most, this.#before));
      await this.#staged.append(bytes);
      this.#hash.update(bytes);
      this.bytes += bytes.length;
    });
  }

  readBack(into: Uint8Array, position: Bytes): Promise<number> {
    return this.#orDiscard(() => this.#staged.read(into, position));
  }

  commit(path?: string): Promise<Written> {
    return this.#orDiscard(async () => {
      if (path !== undefined) {
        this.#names = this.#store.parse(path);
        refuseNames(this.#names, this.#store.shownPath(this.#names));
      }
      throwIfCancelled(this.#options.signal);
      await this.#claim?.take(this.#growth(this.bytes, this.#before));
      const replaced = await target(this.#store, this.#names, this.#options);
      await this.#put(replaced);
      this.#state = 'committed';
      await this.#claim?.settle(this.#growth(this.bytes, replaced));
      await this.#staged.close();
      const shown = this.#names.map((name) => shownName(Buffer.from(name)));
      return {
        path: shown.join('/'),
        mounted: this.#store.mounted(shown),
        bytes: this.bytes,
        sha256: this.#hash.digest('hex'),
        replaced: replaced !== undefined,
      };
    });
  }

  async discard(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'discarded';
    await this.#staged.close();
    await this.#claim?.release();
  }

  async #put(replaced: BlobFacts | undefined): Promise<void> {
    const { overwrite = false, ifSha256, signal } = this.#options;
    const path = this.#store.shownPath(this.#names);
    const isBound = ifSha256 !== undefined && replaced !== undefined;
    try {
      await this.#store.blobs.put(this.#store.keyOf(this.#names), this.#staged.pieces(), {
        ...(isBound ? { ifVersion: replaced.version } : !overwrite && { ifAbsent: true }),
        ...(signal && { signal }),
      });
    } catch (error) {
      if (!(error instanceof ReaderError)) throw error;
      if (error.code === 'ALREADY_EXISTS') throw taken(path);
      if (error.code === 'CONFLICT') throw changedSince(path, true);
      throw error;
    }
  }

  #growth(bytes: Bytes, before: BlobFacts | undefined): Growth {
    return { bytes: bytes - (before?.bytes ?? 0), files: before ? 0 : 1 };
  }

  async #orDiscard<T>(work: () => Promise<T>): Promise<T> {
    if (this.#state !== 'open') throw new Error(`The file is ${this.#state}.`);
    try {
      return await work();
    } catch (error) {
      if (!isTaken(error)) await this.discard();
      throw pathError(error, this.#store.shownPath(this.#names), 'change');
    }
  }
}
