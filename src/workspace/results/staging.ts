// The file of a result while it is written: finds a free name, counts bytes, and discards the file on failure. The
// store makes it appear atomically.

import { type Bytes, ReaderError } from '../../contract/index.ts';
import { isTaken } from '../files/publish.ts';
import type { WriteOptions, Written } from '../workspace.ts';
import { numbered, type ResultPath } from './name.ts';
import type { ByteTarget } from './sink.ts';
import type { Rewrite } from './writer.ts';

/** A file that does not appear before `commit`. */
export interface StagedFile extends ByteTarget {
  /** `path`: another path in the same folder, instead of the original one. */
  commit(path?: string): Promise<Written>;
  discard(): Promise<void>;
  /** Reads written bytes from `position` into `target`. Returns the number of bytes read. */
  readBack(target: Uint8Array, position: Bytes): Promise<number>;
}

/** Where results are stored. */
export interface ResultStore {
  /** ALREADY_EXISTS for a name that is taken. */
  createFile(path: string, options: WriteOptions): Promise<StagedFile>;
}

const PIECE_BYTES = 256 * 1024;

export class Staging implements ByteTarget {
  bytes: Bytes = 0;
  readonly #store: ResultStore;
  readonly #path: ResultPath;
  readonly #options: WriteOptions;
  #file: StagedFile;
  #number: number;
  #writing: Promise<void> = Promise.resolve();
  #open = true;

  private constructor(
    store: ResultStore,
    path: ResultPath,
    options: WriteOptions,
    file: StagedFile,
    number: number,
  ) {
    this.#store = store;
    this.#path = path;
    this.#options = options;
    this.#file = file;
    this.#number = number;
  }

  /** @throws {ReaderError} errors of the store, except for a taken name */
  static async create(store: ResultStore, path: ResultPath, options: WriteOptions): Promise<Staging> {
    const { file, number } = await createFree(store, path, 1, options);
    return new Staging(store, path, options, file, number);
  }

  write(bytes: Uint8Array): Promise<void> {
    // Stops a writer that is still running after the save was cancelled.
    if (!this.#open)
      return Promise.reject(new ReaderError('ABORTED', 'The save was cancelled.', 'Save again.'));
    this.bytes += bytes.length;
    this.#writing = this.#file.write(bytes);
    return this.#writing;
  }

  /** Replaces the written content. Both versions exist until it is done. */
  async rewrite(rewrite: Rewrite): Promise<void> {
    const first = this.#file;
    const second = await createFree(this.#store, this.#path, this.#number, this.#options);
    this.#file = second.file;
    this.#number = second.number;
    try {
      const end = this.bytes;
      this.bytes = 0;
      for await (const piece of rewrite((from, to) => readBack(first, from, to ?? end)))
        if (piece.length > 0) await this.write(piece);
    } catch (error) {
      // The save was cancelled before the second file existed, so only the first was discarded.
      await second.file.discard();
      throw error;
    } finally {
      await first.discard();
    }
  }

  /** Makes the file appear, under the next free name if its own was taken in the meantime. */
  async commit(): Promise<Written> {
    for (; ; this.#number += 1)
      try {
        return await this.#file.commit(numbered(this.#path, this.#number));
      } catch (error) {
        if (this.#options.overwrite || !isTaken(error)) throw error;
      }
  }

  /** Discards the file after the current write. Does nothing after `commit`. */
  async discard(): Promise<void> {
    this.#open = false;
    await this.#writing.catch(() => undefined);
    await this.#file.discard();
  }
}

/**
 * Creates a file under a free name, numbered from `from`: with a thousand results of one name it takes about twenty
 * tries.
 */
async function createFree(
  store: ResultStore,
  path: ResultPath,
  from: number,
  options: WriteOptions,
): Promise<{ readonly file: StagedFile; readonly number: number }> {
  const tried = async (number: number): Promise<StagedFile | undefined> => {
    try {
      return await store.createFile(numbered(path, number), options);
    } catch (error) {
      if (options.overwrite || !isTaken(error)) throw error;
      return undefined;
    }
  };
  let taken = from - 1;
  let number = from;
  let file = await tried(number);
  for (let step = 1; !file; step *= 2) {
    taken = number;
    number += step;
    file = await tried(number);
  }
  while (number - taken > 1) {
    const between = Math.floor((taken + number) / 2);
    const nearer = await tried(between);
    if (!nearer) taken = between;
    else {
      await file.discard();
      file = nearer;
      number = between;
    }
  }
  return { file, number };
}

async function* readBack(file: StagedFile, from: Bytes, to: Bytes): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; ) {
    const piece = new Uint8Array(Math.min(PIECE_BYTES, to - at));
    const length = await file.readBack(piece, at);
    if (length === 0)
      throw new ReaderError('INTERNAL', 'The written file cannot be read back.', 'Save again.');
    yield piece.subarray(0, length);
    at += length;
  }
}
