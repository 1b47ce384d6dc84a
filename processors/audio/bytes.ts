// Buffered random access to a file, for parsers that read headers, boxes and frames in small pieces.

import { type Bytes, type Source, throwIfAborted } from '../../src/contract/index.ts';

const BUFFER_BYTES: Bytes = 256 * 1024;

/** Reads `source` at any position; sequential reads cost one source read per 256 KiB. */
export class SourceBytes {
  readonly source: Source;
  readonly size: Bytes;
  readonly #signal: AbortSignal;
  #buffer: Uint8Array = new Uint8Array(0);
  #start: Bytes = 0;

  constructor(source: Source, signal: AbortSignal) {
    this.source = source;
    this.size = source.size;
    this.#signal = signal;
  }

  /** `length` bytes at `position`, fewer only at the end. Valid until the next call. */
  at(position: Bytes, length: Bytes): Uint8Array | Promise<Uint8Array> {
    const from = position - this.#start;
    const end = Math.min(this.size, position + length);
    if (position >= this.size) return new Uint8Array(0);
    if (from >= 0 && end <= this.#start + this.#buffer.length)
      return this.#buffer.subarray(from, end - this.#start);
    return this.#load(position, length);
  }

  /** Like `at`, as a DataView. */
  async view(position: Bytes, length: Bytes): Promise<DataView> {
    const bytes = await this.at(position, length);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** An owned copy; the caller must bound `length`. */
  async copy(position: Bytes, length: Bytes): Promise<Uint8Array> {
    if (position >= this.size || length <= 0) return new Uint8Array(0);
    throwIfAborted(this.#signal);
    return this.source.read(position, Math.min(length, this.size - position));
  }

  async #load(position: Bytes, length: Bytes): Promise<Uint8Array> {
    throwIfAborted(this.#signal);
    this.#buffer = await this.source.read(position, Math.max(length, BUFFER_BYTES));
    this.#start = position;
    return this.#buffer.subarray(0, length);
  }
}

/** True if `bytes` contain `text` at `at`. */
export function says(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Decodes bytes as Latin-1, for four-character codes. */
export function letters(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

/** Concatenates all pieces. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
