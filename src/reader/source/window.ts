// A part of another Source.

import type { Bytes, Source } from '../../contract/index.ts';
import { RandomAccess } from './random-access.ts';

/** Bytes of a Source: the first `head`, then those from `from` to `to`, the latter exclusive. */
export interface Stretch {
  readonly head: Bytes;
  readonly from: Bytes;
  readonly to: Bytes;
}

/** A stretch of `inner`: a file without its byte order mark, or some of its lines below the first. */
export class WindowSource extends RandomAccess {
  readonly size: Bytes;
  readonly #inner: Source;
  readonly #stretch: Stretch;

  constructor(inner: Source, stretch: Stretch, maxBytesInMemory: Bytes) {
    super({ name: inner.name, extension: inner.extension, mimeType: inner.mimeType, maxBytesInMemory });
    this.#inner = inner;
    this.#stretch = stretch;
    this.size = Math.max(0, stretch.head + stretch.to - stretch.from);
  }

  readInto(target: Uint8Array, position: Bytes): Promise<number> {
    const { head, from } = this.#stretch;
    const room = Math.max(0, Math.min(target.length, this.size - position));
    const inHead = Math.min(room, Math.max(0, head - position));
    if (inHead > 0) return this.#inner.readInto(target.subarray(0, inHead), position);
    return this.#inner.readInto(target.subarray(0, room), from + position - head);
  }

  protected override async fingerprint(): Promise<string> {
    const { head, from, to } = this.#stretch;
    return `${await this.#inner.identity()}[${head},${from},${to}]`;
  }
}
