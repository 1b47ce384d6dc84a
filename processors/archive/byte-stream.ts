// Forward-only byte streams, over a file with random access (where skipping is free) or over chunks as they inflate.

import { type Bytes, type Source, throwIfAborted } from '../../src/contract/index.ts';

/** A forward-only read position. */
export interface ByteStream {
  /** Position of the next byte. */
  readonly position: Bytes;
  /** The next `length` bytes, fewer only at the end; valid until the next call. */
  take(length: number): Promise<Uint8Array>;
  /** Like `take`, without advancing. */
  peek(length: number): Promise<Uint8Array>;
  /** Skips `length` bytes and returns how many there were. */
  skip(length: Bytes): Promise<Bytes>;
}

const WINDOW_BYTES = 64 * 1024;

/** Reads a file with a small read-ahead, so that nearby small reads share one read. */
export class SourceStream implements ByteStream {
  position: Bytes = 0;
  readonly #source: Source;
  readonly #signal: AbortSignal;
  #window: Uint8Array = new Uint8Array();
  #windowAt: Bytes = 0;

  constructor(source: Source, signal: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
  }

  async take(length: number): Promise<Uint8Array> {
    const bytes = await this.peek(length);
    this.position += bytes.length;
    return bytes;
  }

  async peek(length: number): Promise<Uint8Array> {
    throwIfAborted(this.#signal);
    const from = this.position - this.#windowAt;
    if (from < 0 || from + length > this.#window.length) {
      this.#window = await this.#source.read(this.position, Math.max(length, WINDOW_BYTES));
      this.#windowAt = this.position;
    }
    const at = this.position - this.#windowAt;
    return this.#window.subarray(at, at + length);
  }

  skip(length: Bytes): Promise<Bytes> {
    const skipped = Math.min(length, this.#source.size - this.position);
    this.position += skipped;
    return Promise.resolve(skipped);
  }
}

/** Reads chunks as they are produced. Call `close` when done. */
export class PieceStream implements ByteStream {
  position: Bytes = 0;
  readonly #pieces: AsyncGenerator<Uint8Array, unknown, undefined>;
  #piece: Uint8Array = new Uint8Array();
  #at = 0;

  constructor(pieces: AsyncGenerator<Uint8Array, unknown, undefined>) {
    this.#pieces = pieces;
  }

  async close(): Promise<void> {
    await this.#pieces.return(undefined);
  }

  async take(length: number): Promise<Uint8Array> {
    if (this.#piece.length - this.#at >= length) return this.#cut(length);
    const target = new Uint8Array(length);
    let filled = 0;
    while (filled < length && (await this.#refill())) {
      const bytes = this.#cut(length - filled);
      target.set(bytes, filled);
      filled += bytes.length;
    }
    return target.subarray(0, filled);
  }

  async peek(length: number): Promise<Uint8Array> {
    if (this.#piece.length - this.#at >= length) return this.#piece.subarray(this.#at, this.#at + length);
    const bytes = await this.take(length);
    const rest = this.#piece.subarray(this.#at);
    // Put the bytes back in front of the rest of their chunk.
    this.#piece = rest.length === 0 ? bytes : Buffer.concat([bytes, rest]);
    this.#at = 0;
    this.position -= bytes.length;
    return bytes;
  }

  async skip(length: Bytes): Promise<Bytes> {
    let left = length;
    while (left > 0 && (await this.#refill())) left -= this.#cut(left).length;
    return length - left;
  }

  #cut(most: number): Uint8Array {
    const bytes = this.#piece.subarray(this.#at, this.#at + most);
    this.#at += bytes.length;
    this.position += bytes.length;
    return bytes;
  }

  async #refill(): Promise<boolean> {
    while (this.#at >= this.#piece.length) {
      const { value, done } = await this.#pieces.next();
      if (done) return false;
      this.#piece = value;
      this.#at = 0;
    }
    return true;
  }
}
