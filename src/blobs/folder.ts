// Blobs as files of one folder. Links are never followed below it: a link is neither read nor listed.

import { createHash, randomBytes } from 'node:crypto';
import { type BigIntStats, constants, type Dirent } from 'node:fs';
import { type FileHandle, link, open, readdir, realpath, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { type Bytes, errnoOf, ReaderError, systemError, throwIfAborted } from '../contract/index.ts';
import { makeFolder } from '../disk/index.ts';
import type { BlobFacts, BlobRange, Blobs, ListBlobs, PutOptions } from './blobs.ts';
import { changed, chunksOf, missing, taken } from './content.ts';
import { checkKey, compareKeys } from './keys.ts';

/** Files being written; never listed, and no key may name one. */
const TEMPORARY = /^\.lectern-[0-9a-f]{16}\.tmp$/;
const CHUNK_BYTES = 256 * 1024;

export function createFolderBlobs(folder: string): Blobs {
  return new FolderBlobs(folder);
}

class FolderBlobs implements Blobs {
  readonly name: string;
  readonly #root: string;

  constructor(folder: string) {
    this.name = folder;
    this.#root = resolve(folder);
  }

  async stat(key: string): Promise<BlobFacts | undefined> {
    const file = await this.#open(key).catch((error: unknown) => {
      if (error instanceof ReaderError && error.code === 'FILE_NOT_FOUND') return undefined;
      throw error;
    });
    if (!file) return undefined;
    await file.handle.close();
    return factsOf(key, file.stats);
  }

  async read(key: string, range: BlobRange = {}): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.stream(key, range)) chunks.push(chunk);
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  }

  async *stream(key: string, { from = 0, to, version, signal }: BlobRange = {}): AsyncGenerator<Uint8Array> {
    const { handle, stats } = await this.#open(key);
    try {
      if (version !== undefined && versionOf(stats) !== version) throw changed(key);
      const end = Math.min(to ?? Number.POSITIVE_INFINITY, Number(stats.size));
      for (let position = from; position < end; ) {
        if (signal) throwIfAborted(signal);
        const chunk = new Uint8Array(Math.min(CHUNK_BYTES, end - position));
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        yield chunk.subarray(0, bytesRead);
      }
    } finally {
      await handle.close();
    }
  }

  async put(
    key: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    { ifAbsent = false, ifVersion, signal }: PutOptions = {},
  ): Promise<BlobFacts> {
    const path = this.#pathOf(key);
    const folder = dirname(path);
    try {
      await makeFolder(folder, 0o700);
      await this.#checkInside(folder, key);
    } catch (error) {
      throw this.#error(error, key, 'change');
    }
    const temporary = join(folder, `.lectern-${randomBytes(8).toString('hex')}.tmp`);
    try {
      await writeNew(temporary, content, signal);
      if (ifVersion !== undefined && (await this.stat(key))?.version !== ifVersion) throw changed(key);
      if (ifAbsent) await linkNew(temporary, path, key);
      else await rename(temporary, path);
      await syncFolder(folder);
    } catch (error) {
      throw this.#error(error, key, 'change');
    } finally {
      await rm(temporary, { force: true });
    }
    const facts = await this.stat(key);
    if (!facts) throw missing(key);
    return facts;
  }

  async remove(key: string): Promise<boolean> {
    const path = this.#pathOf(key);
    try {
      await this.#checkInside(dirname(path), key);
      await unlink(path);
      return true;
    } catch (error) {
      if (['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM'].includes(errnoOf(error) ?? '')) return false;
      throw this.#error(error, key, 'change');
    }
  }

  async *list(prefix: string, { after = '', signal }: ListBlobs = {}): AsyncGenerator<BlobFacts> {
    yield* this.#walk('', { prefix, after, signal });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Entries sorted as their keys would be: a folder sorts as its name with a slash. */
  async *#walk(
    above: string,
    wanted: { readonly prefix: string; readonly after: string; readonly signal: AbortSignal | undefined },
  ): AsyncGenerator<BlobFacts> {
    const { prefix, after, signal } = wanted;
    for (const { key, isFolder } of await this.#entries(above)) {
      if (signal) throwIfAborted(signal);
      if (!(key.startsWith(prefix) || (isFolder && prefix.startsWith(key)))) continue;
      if (isFolder) {
        if (compareKeys(key, after) > 0 || after.startsWith(key)) yield* this.#walk(key, wanted);
      } else if (compareKeys(key, after) > 0) {
        const facts = await this.stat(key).catch(() => undefined); // gone, or not readable, since it was listed
        if (facts) yield facts;
      }
    }
  }

  async #entries(above: string): Promise<readonly { readonly key: string; readonly isFolder: boolean }[]> {
    let found: readonly Dirent[];
    try {
      found = await readdir(join(this.#root, above), { withFileTypes: true });
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return [];
      throw this.#error(error, above, 'enter');
    }
    return found
      .filter((entry) => (entry.isFile() && !TEMPORARY.test(entry.name)) || entry.isDirectory())
      .map((entry) => ({
        key: `${above}${entry.name}${entry.isDirectory() ? '/' : ''}`,
        isFolder: entry.isDirectory(),
      }))
      .sort((a, b) => compareKeys(a.key, b.key));
  }

  async #open(key: string): Promise<{ readonly handle: FileHandle; readonly stats: BigIntStats }> {
    const path = this.#pathOf(key);
    let handle: FileHandle | undefined;
    try {
      await this.#checkInside(dirname(path), key);
      handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const stats = await handle.stat({ bigint: true });
      if (!stats.isFile()) throw missing(key);
      return { handle, stats };
    } catch (error) {
      await handle?.close();
      if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(errnoOf(error) ?? '')) throw missing(key, error);
      throw this.#error(error, key, 'open');
    }
  }

  /** A folder inside may be a link that leads outside. */
  async #checkInside(folder: string, key: string): Promise<void> {
    const [real, root] = await Promise.all([realpath(folder), realpath(this.#root)]);
    if (real === root || real.startsWith(root === sep ? sep : `${root}${sep}`)) return;
    throw new ReaderError(
      'PATH_ESCAPES_WORKSPACE',
      `\`${key}\` leads out of the folder.`,
      'Use a key without links.',
    );
  }

  #pathOf(key: string): string {
    const parts = checkKey(key).split('/');
    if (TEMPORARY.test(parts.at(-1) ?? ''))
      throw new ReaderError(
        'BAD_INPUT',
        `\`${key}\` is reserved for files being written.`,
        'Choose another key.',
      );
    return join(this.#root, ...parts);
  }

  #error(error: unknown, key: string, attempt: 'open' | 'enter' | 'change'): unknown {
    return error instanceof ReaderError || errnoOf(error) === undefined
      ? error
      : systemError(error, key, attempt);
  }
}

const factsOf = (key: string, stats: BigIntStats): BlobFacts => ({
  key,
  bytes: Number(stats.size),
  modified: stats.mtime,
  version: versionOf(stats),
});

const versionOf = ({ size, mtimeNs, ino }: BigIntStats): string =>
  createHash('sha256').update(`${size}:${mtimeNs}:${ino}`).digest('hex').slice(0, 32);

async function writeNew(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<Bytes> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(path, flags, 0o600);
  try {
    let bytes = 0;
    for await (const chunk of chunksOf(content, signal)) {
      for (let at = 0; at < chunk.length; )
        at += (await file.write(chunk, at, chunk.length - at)).bytesWritten;
      bytes += chunk.length;
    }
    await file.sync();
    return bytes;
  } finally {
    await file.close();
  }
}

/** Fails if the name is taken, in one step. */
async function linkNew(temporary: string, path: string, key: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw taken(key, error);
    throw error;
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
