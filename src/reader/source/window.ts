// A part of another Source.

import type { Bytes, Source } from '../../contract/index.ts';
import { RandomAccess } from './random-access.ts';

/** The bytes of `inner` from `start` on: a file without its byte order mark. */
export class WindowSource extends RandomAccess {
  readonly size: Bytes;
  readonly #inner: Source;
  readonly #start: Bytes;

  constructor(inner: Source, start: Bytes, maxBytesInMemory: Bytes) {
    super({
      name: inner.name,
      extension: inner.extension,
      mimeType: inner.mimeType,
      maxBytesInMemory,
    });
    this.#inner = inner;
    this.#start = start;
    this.size = Math.max(0, inner.size - start);
  }

  readInto(target: Uint8Array, position: Bytes): Promise<number> {
    return this.#inner.readInto(target, position + this.#start);
  }

  protected override async fingerprint(): Promise<string> {
    return `${await this.#inner.identity()}+${this.#start}`;
  }
}
