// Bytes held by this process: an array, or a Blob.

import { type Bytes, quoted, ReaderError } from '../../contract/index.ts';
import { type Label, RandomAccess } from './random-access.ts';

/** Bytes in memory. Does not copy them. */
export class MemorySource extends RandomAccess {
  readonly size: Bytes;
  readonly #bytes: Uint8Array;

  constructor(label: Label, bytes: Uint8Array) {
    super(label);
    this.#bytes = bytes;
    this.size = bytes.length;
  }

  readInto(target: Uint8Array, position: Bytes): Promise<number> {
    const piece = this.#bytes.subarray(position, position + target.length);
    target.set(piece);
    return Promise.resolve(piece.length);
  }
}

/** A Blob, read piece by piece. */
export class BlobSource extends RandomAccess {
  readonly size: Bytes;
  readonly #blob: Blob;

  constructor(label: Label, blob: Blob) {
    super(label);
    this.#blob = blob;
    this.size = blob.size;
  }

  async readInto(target: Uint8Array, position: Bytes): Promise<number> {
    const piece = new Uint8Array(await this.#slice(position, position + target.length));
    target.set(piece);
    return piece.length;
  }

  async #slice(from: Bytes, to: Bytes): Promise<ArrayBuffer> {
    try {
      return await this.#blob.slice(from, to).arrayBuffer();
    } catch (error) {
      throw new ReaderError(
        'BAD_INPUT',
        `The Blob ${quoted(this.name)} could not be read.`,
        'Pass a readable Blob, or its bytes.',
        error,
      );
    }
  }
}
