// A moving buffer over a Source for parsers that pull: bytes already read are looked at without awaiting.

import { type Bytes, type Source, throwIfAborted } from '../../src/contract/index.ts';

const FIRST_BYTES = 64 * 1024;
const MAX_BYTES = 1024 * 1024;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * How many of `bytes` make the first `units` UTF-16 units of `text`, which is what they decode to. An invalid byte
 * decodes to a character of another length, so that text alone does not say.
 */
export function bytesOf(bytes: Uint8Array, text: string, units: number): number {
  const kept = text.slice(0, units);
  if (!text.includes('\ufffd')) return Buffer.byteLength(kept);
  if (units >= text.length) return bytes.length;
  let low = 0;
  for (let high = bytes.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (decoder.decode(bytes.subarray(0, middle)).length >= units) high = middle;
    else low = middle + 1;
  }
  // The start of a character decodes to a mark of damage of the same length: it belongs to what is kept.
  const rest = text.slice(units);
  for (let end = low; end < Math.min(bytes.length, low + 4); end++)
    if (decoder.decode(bytes.subarray(end)) === rest && decoder.decode(bytes.subarray(0, end)) === kept)
      return end;
  return low;
}

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
