// One version of an object in storage, read over the network: in order at the speed of a transfer, elsewhere by ranges.

import type { Bytes, RemoteBytes } from '../../contract/index.ts';
import { type Label, RandomAccess } from './random-access.ts';

/** An object up to this size is fetched whole, since a request costs more than its bytes. */
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
export class StoredSource extends RandomAccess {
  readonly size: Bytes;
  readonly remote = true;
  readonly #object: RemoteBytes;
  readonly #signal: AbortSignal;
  /** Last used at the end. */
  #kept: Piece[] = [];
  /** Where the next fetch is a continuation, and its size. */
  #end: Bytes = -1;
  #ahead: Bytes = FIRST_BYTES;

  constructor(label: Label, object: RemoteBytes, signal: AbortSignal) {
    super(label);
    this.#object = object;
    this.#signal = signal;
    this.size = object.size;
  }

  async readInto(target: Uint8Array, position: Bytes): Promise<number> {
    const wanted = Math.min(target.length, Math.max(0, this.size - position));
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

  /** One transfer, whose chunks are not kept. */
  override async *chunks(from: Bytes = 0): AsyncGenerator<Uint8Array> {
    if (from < this.size) yield* this.#object.stream(from, this.size, this.#signal);
  }

  /** Its version tells it apart without a byte of it. */
  protected override fingerprint(): Promise<string> {
    return Promise.resolve(`stored:${this.size}:${this.#object.version}`);
  }

  #found(at: Bytes): Piece | undefined {
    const index = this.#kept.findLastIndex(({ from, bytes }) => at >= from && at < from + bytes.length);
    const [piece] = index < 0 ? [] : this.#kept.splice(index, 1);
    if (piece) this.#kept.push(piece);
    return piece;
  }

  async #fetch(at: Bytes, wanted: Bytes): Promise<Piece> {
    const isSmall = this.size <= WHOLE_BYTES;
    this.#ahead = at === this.#end ? Math.min(MOST_BYTES, this.#ahead * 2) : FIRST_BYTES;
    const from = isSmall ? 0 : at;
    const to = isSmall
      ? this.size
      : Math.min(this.size, from + Math.max(this.#ahead, Math.min(wanted, MOST_BYTES)));
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
