// Reads one version of a stored object at any position: in pieces that are kept for a while and grow while reads follow
// each other, because a request costs more than its bytes.

import type { RemoteBytes } from './files.ts';
import type { Bytes } from './format.ts';

/** An object up to this size is fetched whole. */
const WHOLE_BYTES: Bytes = 1024 * 1024;
/** A read elsewhere fetches this much; reads that follow each other fetch more each time. */
const FIRST_BYTES: Bytes = 64 * 1024;
const MOST_BYTES: Bytes = 8 * 1024 * 1024;
/** Fetched pieces that are kept, for formats that go back and forth, such as zip. */
const MAX_KEPT = 16;
const MOST_KEPT_BYTES: Bytes = 16 * 1024 * 1024;

interface Piece {
  readonly from: Bytes;
  readonly bytes: Uint8Array;
}

/** Fetches no byte twice as long as it is kept, and never holds more than 24 MiB. */
export class RangeReader {
  readonly #object: RemoteBytes;
  readonly #signal: AbortSignal | undefined;
  /** Last used at the end. */
  #kept: Piece[] = [];
  /** Where the next fetch is a continuation, and its size. */
  #end: Bytes = -1;
  #ahead: Bytes = FIRST_BYTES;

  constructor(object: RemoteBytes, signal: AbortSignal | undefined) {
    this.#object = object;
    this.#signal = signal;
  }

  /** Fills `target` from `position`. Returns the number of bytes read, fewer than requested only at the end. */
  async readInto(target: Uint8Array, position: Bytes): Promise<number> {
    const wanted = Math.min(target.length, Math.max(0, this.#object.size - position));
    let filled = 0;
    while (filled < wanted) {
      const at = position + filled;
      const { from, bytes } = this.#found(at) ?? (await this.#fetch(at, wanted - filled));
      const piece = bytes.subarray(at - from, at - from + wanted - filled);
      if (piece.length === 0) break;
      target.set(piece, filled);
      filled += piece.length;
    }
    return filled;
  }

  #found(at: Bytes): Piece | undefined {
    const index = this.#kept.findLastIndex(({ from, bytes }) => at >= from && at < from + bytes.length);
    const [piece] = index < 0 ? [] : this.#kept.splice(index, 1);
    if (piece) this.#kept.push(piece);
    return piece;
  }

  async #fetch(at: Bytes, wanted: Bytes): Promise<Piece> {
    const isSmall = this.#object.size <= WHOLE_BYTES;
    this.#ahead = at === this.#end ? Math.min(MOST_BYTES, this.#ahead * 2) : FIRST_BYTES;
    const from = isSmall ? 0 : at;
    const to = isSmall
      ? this.#object.size
      : Math.min(this.#object.size, from + Math.max(this.#ahead, Math.min(wanted, MOST_BYTES)));
    const bytes = new Uint8Array(to - from);
    let filled = 0;
    for await (const chunk of this.#object.stream(from, to, this.#signal)) {
      bytes.set(chunk.subarray(0, bytes.length - filled), filled);
      filled += Math.min(chunk.length, bytes.length - filled);
    }
    const piece = { from, bytes: bytes.subarray(0, filled) };
    this.#end = from + filled;
    this.#kept.push(piece);
    while (this.#kept.length > MAX_KEPT || this.#heldBytes() > MOST_KEPT_BYTES) this.#kept.shift();
    return piece;
  }

  #heldBytes(): Bytes {
    return this.#kept.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }
}
