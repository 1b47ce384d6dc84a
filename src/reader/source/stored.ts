// One version of an object in storage, read over the network: in order at the speed of a transfer, elsewhere by ranges.

import { type Bytes, RangeReader, type RemoteBytes } from '../../contract/index.ts';
import { type Label, RandomAccess } from './random-access.ts';

/** Holds at most 24 MiB. */
export class StoredSource extends RandomAccess {
  readonly size: Bytes;
  readonly remote = true;
  readonly #object: RemoteBytes;
  readonly #signal: AbortSignal;
  readonly #ranges: RangeReader;

  constructor(label: Label, object: RemoteBytes, signal: AbortSignal) {
    super(label);
    this.#object = object;
    this.#signal = signal;
    this.#ranges = new RangeReader(object, signal);
    this.size = object.size;
  }

  readInto(target: Uint8Array, position: Bytes): Promise<number> {
    return this.#ranges.readInto(target, position);
  }

  /** One transfer, whose chunks are not kept. */
  override async *chunks(from: Bytes = 0): AsyncGenerator<Uint8Array> {
    if (from < this.size) yield* this.#object.stream(from, this.size, this.#signal);
  }

  /** The version identifies it without a transfer. */
  protected override fingerprint(): Promise<string> {
    return Promise.resolve(`stored:${this.size}:${this.#object.version}`);
  }
}
