// Blobs as files below a folder. A key is the path of its file. No link is followed below the folder.

import { resolve } from 'node:path';
import { errnoOf, systemError } from '../../contract/index.ts';
import { Directory, makeFolder, opensByDescriptor } from '../../disk/index.ts';
import type { BlobFacts, BlobRange, Blobs, ListBlobs, PutOptions } from '../blobs.ts';
import { blobChanged, noBlob, throwIfCancelled } from '../failure.ts';
import { checkKey } from '../keys.ts';
import { readWhole } from '../whole.ts';
import { listFolder } from './list.ts';
import { type Parent, putFile, removeFile } from './put.ts';
import { versionOf } from './version.ts';

const CHUNK_BYTES = 256 * 1024;

export function createFolderBlobs(path: string): Blobs {
  return new FolderBlobs(path);
}

class FolderBlobs implements Blobs {
  readonly name: string;
  readonly #path: string;

  constructor(path: string) {
    this.name = path;
    this.#path = resolve(path);
  }

  async stat(key: string, signal?: AbortSignal): Promise<BlobFacts | undefined> {
    checkKey(key);
    throwIfCancelled(signal);
    return await this.#with(key, undefined, async (directory, name) => {
      if (!directory) return undefined;
      const stats = await directory.stat(name).catch(unlessMissing);
      if (!stats?.isFile()) return undefined;
      return { key, bytes: Number(stats.size), modified: stats.mtime, version: versionOf(stats) };
    });
  }

  read(key: string, range: BlobRange = {}): Promise<Uint8Array> {
    return readWhole(this, key, range);
  }

  async *stream(key: string, range: BlobRange = {}): AsyncGenerator<Uint8Array> {
    checkKey(key);
    const { from = 0, to = Number.MAX_SAFE_INTEGER, version, signal } = range;
    throwIfCancelled(signal);
    const found = await this.#with(key, undefined, async (directory, name) =>
      directory?.find(name).catch(unlessMissing),
    );
    if (!found?.handle) throw noBlob(key);
    const { handle, stats } = found;
    try {
      if (version !== undefined && versionOf(stats) !== version) throw blobChanged(key);
      for (let at = from; at < to; ) {
        throwIfCancelled(signal);
        const piece = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, to - at));
        const { bytesRead } = await handle.read(piece, 0, piece.length, at);
        // Replaced files keep their inode until this handle is closed; only a change in place mixes versions.
        if (versionOf(await handle.stat({ bigint: true })) !== versionOf(stats)) throw blobChanged(key);
        if (bytesRead === 0) return;
        yield piece.subarray(0, bytesRead);
        at += bytesRead;
      }
    } catch (error) {
      throw systemError(error, key, 'read');
    } finally {
      await handle.close();
    }
  }

  async put(
    key: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    options: PutOptions = {},
  ): Promise<BlobFacts> {
    checkKey(key);
    throwIfCancelled(options.signal);
    return await this.#with(key, 'make', async (directory, name, parents) => {
      if (!directory) throw noBlob(key);
      const stats = await putFile({ key, directory, name, parents }, content, options);
      return { key, bytes: Number(stats.size), modified: stats.mtime, version: versionOf(stats) };
    });
  }

  async remove(key: string, { ifVersion }: { readonly ifVersion?: string } = {}): Promise<boolean> {
    checkKey(key);
    return await this.#with(key, undefined, async (directory, name, parents) =>
      directory ? await removeFile({ key, directory, name, parents }, ifVersion) : false,
    );
  }

  async *list(prefix: string, options: ListBlobs = {}): AsyncGenerator<BlobFacts> {
    let root: Directory | undefined;
    try {
      root = await this.#open().catch(unlessMissing);
      if (root) yield* listFolder(root, prefix, options);
    } catch (error) {
      throw systemError(error, prefix || this.name, 'enter');
    } finally {
      root?.close();
    }
  }

  async isEmpty(signal?: AbortSignal): Promise<boolean> {
    throwIfCancelled(signal);
    let root: Directory | undefined;
    try {
      root = await this.#open().catch(unlessMissing);
      if (root) for await (const _entry of root.entries()) return false;
      return true;
    } catch (error) {
      throw systemError(error, this.name, 'enter');
    } finally {
      root?.close();
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #open(): Promise<Directory> {
    return Directory.open(this.#path, opensByDescriptor());
  }

  /** Works in the folder of `key`; without `make`, it may be absent. Closes what it opened. */
  async #with<T>(
    key: string,
    make: 'make' | undefined,
    work: (directory: Directory | undefined, name: Buffer, parents: readonly Parent[]) => Promise<T>,
  ): Promise<T> {
    const parts = key.split('/').map((part) => Buffer.from(part));
    const name = parts.pop() ?? Buffer.from(key);
    const opened: Directory[] = [];
    try {
      if (make) await makeFolder(this.#path, 0o777);
      let at = make ? await this.#open() : await this.#open().catch(unlessMissing);
      if (at) opened.push(at);
      const parents: Parent[] = [];
      for (const part of parts) {
        if (!at) break;
        parents.push({ directory: at, name: part });
        if (make) await makeDurable(at, part);
        at = await at.enter(part).catch(make ? asThrown : unlessMissing);
        if (at) opened.push(at);
      }
      return await work(at, name, parents);
    } catch (error) {
      throw systemError(error, key, make ? 'change' : 'open');
    } finally {
      for (const directory of opened.reverse()) directory.close();
    }
  }
}

const asThrown = (error: unknown): never => {
  throw error;
};

/** Nothing is stored at a link, or below a file. */
function unlessMissing(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(errnoOf(error) ?? '')) return undefined;
  throw error;
}

async function makeDurable(directory: Directory, name: Buffer): Promise<void> {
  try {
    await directory.make(name, 0o777);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return;
    throw error;
  }
  await directory.sync();
}
