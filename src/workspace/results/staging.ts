// The file of a result while it is being written: its name found among those taken, its bytes counted, and nothing of it
// left when it is given up. How a file appears whole or not at all is the store's business.

import { type Bytes, ReaderError } from '../../contract/index.ts';
import { isTaken } from '../files/publish.ts';
import type { WriteOptions, Written } from '../workspace.ts';
import { numbered, type ResultPath } from './name.ts';
import type { ByteTarget } from './sink.ts';
import type { Rewrite } from './writer.ts';

/** A file that is not there before `commit`. */
export interface StagedFile extends ByteTarget {
  /** `path` where it is to be another than it was made for, in the same folder. */
  commit(path?: string): Promise<Written>;
  discard(): Promise<void>;
  /** Fills `target` with what was written, from `position`; how many bytes came. */
  readBack(target: Uint8Array, position: Bytes): Promise<number>;
}

/** Where results are kept. */
export interface ResultStore {
  /** ALREADY_EXISTS for a name in use. */
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

  /** @throws {ReaderError} what the store throws, but for a name that is taken */
  static async create(store: ResultStore, path: ResultPath, options: WriteOptions): Promise<Staging> {
    const { file, number } = await createFree(store, path, 1, options);
    return new Staging(store, path, options, file, number);
  }

  write(bytes: Uint8Array): Promise<void> {
    // Who is still writing when the save has been given up is told so here.
    if (!this.#open)
      return Promise.reject(new ReaderError('ABORTED', 'The save was cancelled.', 'Save again.'));
    this.bytes += bytes.length;
    this.#writing = this.#file.write(bytes);
    return this.#writing;
  }

  /** Replaces what was written. Until it is done there are two of it. */
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
      // Whoever gave up before the second was there has discarded the first only.
      await second.file.discard();
      throw error;
    } finally {
      await first.discard();
    }
  }

  /** Makes the file appear, under the next free name where its own was taken meanwhile. */
  async commit(): Promise<Written> {
    for (; ; this.#number += 1)
      try {
        return await this.#file.commit(numbered(this.#path, this.#number));
      } catch (error) {
        if (this.#options.overwrite || !isTaken(error)) throw error;
      }
  }

  /** Gives it up, once the write under way has ended. After `commit` this does nothing. */
  async discard(): Promise<void> {
    this.#open = false;
    await this.#writing.catch(() => undefined);
    await this.#file.discard();
  }
}

/**
 * A file of about the first name from `from` on that is free: among a thousand results of one name it is found in some
 * twenty tries.
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
      throw new ReaderError('INTERNAL', 'What was written cannot be read back.', 'Save again.');
    yield piece.subarray(0, length);
    at += length;
  }
}
