// A file that appears whole, durably and under its own name only when it is committed. Until then it grows where no
// operation looks; a failed or forgotten one leaves nothing behind.

import { createHash, type Hash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { type Bytes, errnoOf, quoted, ReaderError, refuseOther } from '../../contract/index.ts';
import type { Directory } from '../paths/directory.ts';
import { isReserved, reservedName } from '../paths/names.ts';
import type { Root } from '../paths/root.ts';
import { type Place, pathError } from '../paths/walk.ts';
import type { Claim, Growth } from '../quota.ts';
import type { WriteOptions, Written } from '../workspace.ts';
import { inodeOf, MadeFolders } from './made-folders.ts';
import { add, isTaken, replace, taken } from './publish.ts';
import { stagingName, sweep } from './staging.ts';

/** Bytes hashed or copied at a time. */
const CHUNK_BYTES = 256 * 1024;

/** Appears on `commit` or not at all. One call at a time. */
export interface AtomicFile {
  /** Bytes so far. */
  readonly bytes: Bytes;
  /** @throws {ReaderError} QUOTA_EXCEEDED, ACCESS_DENIED, ABORTED; the file is discarded then */
  write(bytes: Uint8Array): Promise<void>;
  /** Fills `target` with what was written, from `position`; how many bytes came. */
  readBack(target: Uint8Array, position: Bytes): Promise<number>;
  /**
   * Makes the file appear, at `path` if given. After ALREADY_EXISTS it can be committed to another path.
   * @throws {ReaderError} also BAD_INPUT, CONFLICT; every error but ALREADY_EXISTS discards the file
   */
  commit(path?: string): Promise<Written>;
  /** After `commit` or a second time nothing more. Never throws. */
  discard(): Promise<void>;
}

/** Where files are written; undefined for beside their place. */
export interface Staging {
  open(): Promise<Directory | undefined>;
}

/** @throws {ReaderError} when it is known already that it may not be written */
export async function createAtomicFile(
  root: Root,
  names: readonly string[],
  staging: Staging,
  options: WriteOptions,
): Promise<AtomicFile> {
  const path = root.shownPath(names);
  refuseNames(names, path);
  throwIfCancelled(options.signal);
  let directory: Directory | undefined;
  try {
    const place = await placeOf(root, names);
    directory = place?.directory;
    await refuseReplacing(place, path, options);
    const staged = await staging.open();
    if (staged) {
      directory?.close();
      directory = staged;
    }
    if (directory === undefined) throw Object.assign(new Error('no root'), { code: 'ENOENT' });
    await sweep(directory);
    const name = stagingName();
    const handle = await directory.create(name, 0o666);
    // A script stays one that may be run.
    if (place?.stats) await handle.chmod(Number(place.stats.mode & 0o777n)).catch(() => undefined);
    const before = { bytes: Number(place?.stats?.size ?? 0), files: place ? place.missing : names.length };
    return new StagedFile(root, names, options, { directory, name, handle }, before);
  } catch (error) {
    directory?.close();
    throw pathError(error, path, 'change');
  }
}

function refuseNames(names: readonly string[], path: string): void {
  if (names.length === 0)
    throw pathError(Object.assign(new Error('the root'), { code: 'EISDIR' }), path, 'change');
  if (names.some((name) => isReserved(Buffer.from(name)))) throw reservedName(path);
}

/** Where it will be, or the deepest folder there is on the way; undefined when there is not even a root. */
async function placeOf(root: Root, names: readonly string[]): Promise<Place | undefined> {
  try {
    return await root.walk(names, { end: 'target', spelling: 'exact', partial: true });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function refuseReplacing(
  place: Pick<Place, 'directory' | 'name' | 'stats'> | undefined,
  path: string,
  { overwrite = false, ifSha256, signal }: WriteOptions,
): Promise<BigIntStats | undefined> {
  const stats = place?.stats;
  if (stats) refuseOther(stats, path);
  if (ifSha256 !== undefined && typeof ifSha256 !== 'string')
    throw new ReaderError(
      'BAD_INPUT',
      `\`ifSha256\` is a value of type \`${typeof ifSha256}\`; expected 64 hexadecimal digits.`,
      'Pass the `sha256` of an earlier answer.',
    );
  if (ifSha256 === undefined) {
    if (stats && !overwrite) throw taken(path);
    return stats;
  }
  const found = place?.name && stats ? await place.directory.find(place.name) : undefined;
  const hash = found?.handle && (await hashOf(found.handle, signal));
  if (hash === ifSha256.toLowerCase()) return found?.stats;
  throw changedSince(path, stats !== undefined);
}

/** CONFLICT for a file whose content has another sha256 than was expected, or that is not there. */
export const changedSince = (path: string, exists: boolean): ReaderError =>
  new ReaderError(
    'CONFLICT',
    `${quoted(path)} ${exists ? 'changed since it was read: its content has another sha256' : 'was removed since it was read'}.`,
    'Read the file again first.',
  );

/** Closes `handle`. */
export async function hashOf(handle: FileHandle, signal: AbortSignal | undefined): Promise<string> {
  try {
    const hash = createHash('sha256');
    for await (const chunk of chunksOf(handle, signal)) hash.update(chunk);
    return hash.digest('hex');
  } finally {
    await handle.close();
  }
}

async function* chunksOf(handle: FileHandle, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ; ) {
    throwIfCancelled(signal);
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return;
    yield chunk.subarray(0, bytesRead);
    position += bytesRead;
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at);
    at += bytesWritten;
  }
}

/** ABORTED when the caller has given up a write. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new ReaderError(
      'ABORTED',
      'The write was cancelled.',
      'Call again to write the file.',
      signal.reason,
    );
}

interface Staged {
  readonly directory: Directory;
  readonly name: Buffer;
  readonly handle: FileHandle;
}

class StagedFile implements AtomicFile {
  bytes: Bytes = 0;
  readonly #root: Root;
  #names: readonly string[];
  #path: string;
  readonly #options: WriteOptions;
  readonly #staged: Staged;
  /** Size of what is replaced, and names that are new. */
  readonly #before: Growth;
  readonly #claim: Claim | undefined;
  readonly #hash: Hash = createHash('sha256');
  #state: 'open' | 'committed' | 'discarded' = 'open';

  constructor(root: Root, names: readonly string[], options: WriteOptions, staged: Staged, before: Growth) {
    this.#root = root;
    this.#names = names;
    this.#path = root.shownPath(names);
    this.#options = options;
    this.#staged = staged;
    this.#before = before;
    this.#claim = root.quota?.claim(this.#path);
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#orDiscard(async () => {
      throwIfCancelled(this.#options.signal);
      await this.#claim?.take(this.#growth(this.bytes + bytes.length));
      await writeAll(this.#staged.handle, bytes);
      this.#hash.update(bytes);
      this.bytes += bytes.length;
    });
  }

  readBack(target: Uint8Array, position: Bytes): Promise<number> {
    return this.#orDiscard(async () => {
      const { bytesRead } = await this.#staged.handle.read(target, 0, target.length, position);
      return bytesRead;
    });
  }

  commit(path?: string): Promise<Written> {
    return this.#orDiscard(async () => {
      const { handle, directory } = this.#staged;
      if (path !== undefined) {
        this.#names = this.#root.parse(path);
        this.#path = this.#root.shownPath(this.#names);
        refuseNames(this.#names, this.#path);
      }
      throwIfCancelled(this.#options.signal);
      await this.#claim?.take(this.#growth(this.bytes));
      await handle.sync();
      const { shown, replaced } = await this.#appear();
      this.#state = 'committed';
      this.#claim?.settle({
        bytes: this.bytes - Number(replaced?.size ?? 0),
        files: replaced ? 0 : this.#before.files,
      });
      await handle.close().catch(() => undefined); // what it may still say was said by the sync
      directory.close();
      return {
        path: shown.join('/'),
        mounted: this.#root.mounted(shown),
        bytes: this.bytes,
        sha256: this.#hash.digest('hex'),
        replaced: replaced !== undefined,
      };
    });
  }

  async discard(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'discarded';
    this.#claim?.release();
    const { handle, directory, name } = this.#staged;
    await handle.close().catch(() => undefined);
    await directory.unlink(name).catch(() => undefined); // a later sweep finds what cannot be removed now
    directory.close();
  }

  async #orDiscard<T>(work: () => Promise<T>): Promise<T> {
    if (this.#state !== 'open') throw new Error(`The file is ${this.#state}.`);
    try {
      return await work();
    } catch (error) {
      if (!isTaken(error)) await this.discard();
      throw pathError(error, this.#path, 'change');
    }
  }

  #growth(bytes: Bytes): Growth {
    return { bytes: bytes - this.#before.bytes, files: this.#before.files };
  }

  async #appear(): Promise<{
    readonly shown: readonly string[];
    readonly replaced: BigIntStats | undefined;
  }> {
    const made = new MadeFolders();
    let directory: Directory | undefined;
    try {
      const place = await this.#root.walk(this.#names, { end: 'target', create: true, onMade: made.onMade });
      directory = place.directory;
      const { name, shown } = place;
      if (name === undefined) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
      const there = directory;
      const replaced = await inTurn(there, name, () => this.#put(there, name));
      await there.sync();
      return { shown, replaced };
    } catch (error) {
      await made.remove(this.#root);
      throw errnoOf(error) === 'ENOENT' ? changedMeanwhile(this.#path) : error;
    } finally {
      directory?.close();
    }
  }

  async #put(to: Directory, name: Buffer): Promise<BigIntStats | undefined> {
    const place = { directory: to, name, stats: await statOf(to, name) };
    const replaced = await refuseReplacing(place, this.#path, this.#options);
    const { directory, name: from, handle } = this.#staged;
    // Beside its place others can reach it: what appears must be what was written.
    if (inodeOf(await directory.stat(from)) !== inodeOf(await handle.stat({ bigint: true })))
      throw changedMeanwhile(this.#path);
    if (replaced) {
      // Another process may write where no lock of ours reaches: the time to do so unseen is kept as short as it can be.
      const now = await to.stat(name);
      if (
        inodeOf(now) !== inodeOf(replaced) ||
        now.mtimeNs !== replaced.mtimeNs ||
        now.size !== replaced.size
      )
        throw changedMeanwhile(this.#path);
    }
    const { overwrite = false, ifSha256 } = this.#options;
    const put = overwrite || ifSha256 !== undefined ? replace : add;
    try {
      await put(directory, from, to, name);
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') throw taken(this.#path);
      if (errnoOf(error) !== 'EXDEV') throw error;
      await this.#copyBeside(to, (copy) => put(to, copy, to, name));
    }
    return replaced;
  }

  /** Where the place is on another file system than where it was written. */
  async #copyBeside(to: Directory, put: (copy: Buffer) => Promise<void>): Promise<void> {
    const { directory, name } = this.#staged;
    const copy = stagingName();
    const { stats, handle } = await directory.find(name);
    if (!handle) throw changedMeanwhile(this.#path);
    try {
      const target = await to.create(copy, 0o666);
      try {
        await target.chmod(Number(stats.mode & 0o777n));
        for await (const chunk of chunksOf(handle, this.#options.signal)) await writeAll(target, chunk);
        await target.sync();
      } finally {
        await target.close();
      }
      await put(copy);
      await directory.unlink(name);
    } catch (error) {
      await to.unlink(copy).catch(() => undefined);
      throw error;
    } finally {
      await handle.close();
    }
  }
}

async function statOf(directory: Directory, name: Buffer): Promise<BigIntStats | undefined> {
  try {
    return await directory.stat(name);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function changedMeanwhile(path: string): ReaderError {
  return new ReaderError(
    'CONFLICT',
    `Another writer changed ${quoted(path)}, or a folder above it, during this write.`,
    'Read the file again, then write.',
  );
}

const busy = new Map<string, Promise<unknown>>();

/** Changes of one name are made one after the other, so that a comparison holds until the file is replaced or removed. */
export async function inTurn<T>(directory: Directory, name: Buffer, work: () => Promise<T>): Promise<T> {
  const key = `${inodeOf(await directory.ownStats())}/${name.toString('hex')}`;
  const before = busy.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  busy.set(key, mine);
  try {
    return await mine;
  } finally {
    if (busy.get(key) === mine) busy.delete(key);
  }
}
