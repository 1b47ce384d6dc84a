// The common base of all Sources, built on their size and `readInto`.

import { createHash } from 'node:crypto';
import { type Bytes, type Extension, type MimeType, ReaderError, type Source } from '../../contract/index.ts';

/** Maximum bytes per read. */
export const CHUNK_BYTES: Bytes = 1024 * 1024;

/** Files up to this size are identified by their hash, larger ones by size, modification time and inode. */
export const HASHED_BYTES: Bytes = 4 * CHUNK_BYTES;

/** Name and declared type of a Source. */
export interface Label {
  readonly name: string;
  readonly extension: Extension | '';
  readonly mimeType: MimeType | undefined;
  readonly maxBytesInMemory: Bytes;
  /** SHA-256 of the content in hex, if the caller knows it. */
  readonly sha256?: string;
}

/** A Source without its bytes. */
export abstract class RandomAccess implements Source {
  readonly name: string;
  readonly extension: Extension | '';
  readonly mimeType: MimeType | undefined;
  abstract readonly size: Bytes;
  readonly #maxBytesInMemory: Bytes;
  #identity: Promise<string> | undefined;

  constructor(label: Label) {
    this.name = label.name;
    this.extension = label.extension;
    this.mimeType = label.mimeType;
    this.#maxBytesInMemory = label.maxBytesInMemory;
    if (label.sha256 !== undefined) this.#identity = Promise.resolve(`sha256:${label.sha256}`);
  }

  abstract readInto(target: Uint8Array, position: Bytes): Promise<number>;

  identity(): Promise<string> {
    this.#identity ??= this.fingerprint();
    return this.#identity;
  }

  protected async fingerprint(): Promise<string> {
    const hash = createHash('sha256');
    for await (const chunk of this.chunks()) hash.update(chunk);
    return `sha256:${hash.digest('hex')}`;
  }

  async read(position: Bytes, length: Bytes): Promise<Uint8Array> {
    const target = new Uint8Array(Math.max(0, Math.min(length, this.size - position)));
    const filled = target.length === 0 ? 0 : await this.readInto(target, position);
    return filled === target.length ? target : target.subarray(0, filled);
  }

  async *chunks(from: Bytes = 0): AsyncGenerator<Uint8Array> {
    const chunk = new Uint8Array(Math.max(0, Math.min(CHUNK_BYTES, this.size - from)));
    let position = from;
    while (position < this.size) {
      const filled = await this.readInto(
        chunk.subarray(0, Math.min(chunk.length, this.size - position)),
        position,
      );
      if (filled === 0) return;
      yield chunk.subarray(0, filled);
      position += filled;
    }
  }

  bytes(): Promise<Uint8Array> {
    if (this.size > this.#maxBytesInMemory)
      return Promise.reject(
        new ReaderError(
          'LIMIT_EXCEEDED',
          `The file has ${this.size} bytes; files of this format are held in memory and may have at most ${this.#maxBytesInMemory}.`,
          'Raise the limit `maxBytesInMemory` (LECTERN_MAX_BYTES_IN_MEMORY), or convert the file to a format that can be streamed.',
        ),
      );
    return this.read(0, this.size);
  }
}
