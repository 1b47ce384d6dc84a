// A moving buffer over a Source for parsers that pull: bytes already read are looked at without awaiting.

import { type Bytes, type Source, throwIfAborted } from '../../src/contract/index.ts';

const FIRST_BYTES = 64 * 1024;
const MAX_BYTES = 1024 * 1024;

/** At most 1 MiB of a source, wherever it is wanted. */
export class ByteWindow {
  readonly size: Bytes;
  /** Valid from index 0 to `end - start`. */
  bytes: Uint8Array = new Uint8Array(0);
  start: Bytes = 0;
  end: Bytes = 0;
  readonly #source: Source;
  readonly #signal: AbortSignal;
  #step: Bytes = FIRST_BYTES;
  #buffer: Uint8Array<ArrayBuffer>;

  constructor(source: Source, signal: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
    this.size = source.size;
    this.#buffer = new Uint8Array(Math.min(FIRST_BYTES, this.size));
  }

  /** True when the byte at `position` is here. */
  holds(position: Bytes): boolean {
    return position >= this.start && position < this.end;
  }

  /**
   * Makes the bytes from `position` on present, up to 1 MiB of them when reading goes straight on.
   * @returns false at the end of the source
   */
  async load(position: Bytes): Promise<boolean> {
    if (this.holds(position)) return true;
    throwIfAborted(this.#signal);
    if (position >= this.size) return false;
    this.#step = position === this.end && this.end > 0 ? Math.min(MAX_BYTES, this.#step * 4) : FIRST_BYTES;
    const length = Math.min(this.#step, this.size - position);
    if (this.#buffer.length < length) this.#buffer = new Uint8Array(length);
    const count = await this.#source.readInto(this.#buffer.subarray(0, length), position);
    this.bytes = this.#buffer.subarray(0, count);
    this.start = position;
    this.end = position + count;
    return count > 0;
  }
}
