// A text produced by one processor that another of the family reads like a file.

import type { Bytes, TextSource } from '../../src/contract/index.ts';

const CHUNK_BYTES = 1 << 20;

/** Text as a source: UTF-8, without an extension or a type. */
export class MemoryText implements TextSource {
  readonly name: string;
  readonly extension = '';
  readonly mimeType = undefined;
  readonly encoding: TextSource['encoding'] = { name: 'utf-8', confidence: 1 };
  readonly #bytes: Uint8Array;
  readonly #identity: string;

  /**
   * `identity` is derived from that of the original file, but distinct from it in case that file is read as text too.
   */
  constructor(name: string, text: string, identity: string) {
    this.name = name;
    this.#bytes = new TextEncoder().encode(text);
    this.#identity = identity;
  }

  get size(): Bytes {
    return this.#bytes.length;
  }

  async identity(): Promise<string> {
    return this.#identity;
  }

  async read(position: Bytes, length: Bytes): Promise<Uint8Array> {
    return this.#bytes.slice(position, position + length);
  }

  async readInto(target: Uint8Array, position: Bytes): Promise<number> {
    const piece = this.#bytes.subarray(position, position + target.length);
    target.set(piece);
    return piece.length;
  }

  async *chunks(from: Bytes = 0): AsyncGenerator<Uint8Array> {
    for (let at = from; at < this.#bytes.length; at += CHUNK_BYTES)
      yield this.#bytes.slice(at, at + CHUNK_BYTES);
  }

  async bytes(): Promise<Uint8Array> {
    return this.#bytes.slice();
  }
}
