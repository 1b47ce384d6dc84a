// A sliding buffer over a Source for pull parsers: bytes already loaded are accessible synchronously.

import { type Bytes, countBefore, type Source, throwIfAborted } from '../../src/contract/index.ts';

const FIRST_BYTES = 64 * 1024;
const MAX_BYTES = 1024 * 1024;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Shorter texts are decoded by Buffer, which takes less time for each call. */
const SHORT_BYTES = 256;

/** Decodes UTF-8; invalid bytes become U+FFFD. */
export const decodeUtf8 = (bytes: Uint8Array): string =>
  bytes.length < SHORT_BYTES
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
    : decoder.decode(bytes);

/** True for white space of JSON and XML. */
export function isBlankByte(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * Number of `bytes` that encode the first `units` UTF-16 units of `text`, their decoded form. Needs the bytes, because
 * an invalid byte decodes to a character of another encoded length.
 */
export function bytesOf(bytes: Uint8Array, text: string, units: number): number {
  const kept = text.slice(0, units);
  if (!text.includes('\ufffd')) return Buffer.byteLength(kept);
  if (units >= text.length) return bytes.length;
  const low = countBefore(bytes.length, (end) => decodeUtf8(bytes.subarray(0, end)).length < units);
  // The first bytes of a cut character decode to a replacement character of the same length: they belong to the kept
  // part.
  const rest = text.slice(units);
  for (let end = low; end < Math.min(bytes.length, low + 4); end++)
    if (decodeUtf8(bytes.subarray(end)) === rest && decodeUtf8(bytes.subarray(0, end)) === kept) return end;
  return low;
}

/** At most 1 MiB of a source, at any position. */
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

  /** True if the byte at `position` is loaded. */
  holds(position: Bytes): boolean {
    return position >= this.start && position < this.end;
  }

  /**
   * Loads at least `least` bytes from `position` on, as far as the source has them; up to 1 MiB when reading
   * sequentially. What was loaded before is no longer valid.
   * @returns false at the end of the source
   */
  async load(position: Bytes, least: Bytes = 1): Promise<boolean> {
    if (this.holds(position) && Math.min(position + least, this.size) <= this.end) return true;
    throwIfAborted(this.#signal);
    if (position >= this.size) return false;
    const follows = position >= this.start && position <= this.end && this.end > 0;
    this.#step = follows ? Math.min(MAX_BYTES, this.#step * 4) : FIRST_BYTES;
    const length = Math.min(Math.max(least, this.#step), this.size - position);
    if (this.#buffer.length < length) this.#buffer = new Uint8Array(length);
    const count = await this.#source.readInto(this.#buffer.subarray(0, length), position);
    this.bytes = this.#buffer.subarray(0, count);
    this.start = position;
    this.end = position + count;
    return count > 0;
  }
}
