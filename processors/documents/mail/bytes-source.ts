// A part of a mail as a Source, for another format's converter.

import { createHash } from 'node:crypto';
import type { Bytes, Source } from '../../../src/contract/index.ts';

export class BytesSource implements Source {
  readonly name = 'body';
  readonly extension = '';
  readonly mimeType = undefined;
  readonly size: Bytes;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.size = bytes.length;
  }

  async identity(): Promise<string> {
    return `sha256:${createHash('sha256').update(this.#bytes).digest('hex')}`;
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
    if (from < this.size) yield this.#bytes.subarray(from);
  }

  async bytes(): Promise<Uint8Array> {
    return this.#bytes;
  }
}
