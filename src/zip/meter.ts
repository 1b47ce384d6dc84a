// Enforces the limits `maxInflatedBytes` and `maxInflateRatio` for one file. Trusts no declared size.

import { type Bytes, type Limits, quoted, ReaderError } from '../contract/index.ts';

/** Called with each chunk before it is passed on. @throws {ReaderError} LIMIT_EXCEEDED */
export type CountInflated = (piece: Uint8Array) => void;

/** Any entry may inflate to this much at any ratio: small entries full of blanks do so legitimately. */
const RATIO_GRACE_BYTES = 1024 * 1024;

/** Counts what inflates from one file, over all its entries. */
export class InflateMeter {
  readonly #limits: Pick<Limits, 'maxInflatedBytes' | 'maxInflateRatio'>;
  readonly #name: string;
  readonly #longest = new Map<string, Bytes>();
  #inflated: Bytes = 0;

  /** `name`: of the file, for messages. */
  constructor(limits: Pick<Limits, 'maxInflatedBytes' | 'maxInflateRatio'>, name: string) {
    this.#limits = limits;
    this.#name = name;
  }

  /** Bytes inflated so far. An entry read more than once counts with its longest pass. */
  get inflated(): Bytes {
    return this.#inflated;
  }

  /** Starts a pass over the entry `name`, which has `packed` bytes. */
  pass(name: string, packed: Bytes): CountInflated {
    let inflated = 0;
    return ({ length }) => {
      inflated += length;
      const longest = this.#longest.get(name) ?? 0;
      if (inflated > longest) {
        this.#inflated += inflated - longest;
        this.#longest.set(name, inflated);
      }
      this.#check(name, inflated, packed);
    };
  }

  #check(name: string, inflated: Bytes, packed: Bytes): void {
    const { maxInflatedBytes, maxInflateRatio } = this.#limits;
    if (this.#inflated > maxInflatedBytes)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `${quoted(this.#name)} inflates to more than ${maxInflatedBytes} bytes (limit \`maxInflatedBytes\`).`,
        'Raise the limit `maxInflatedBytes` if the file is trusted.',
      );
    if (inflated > RATIO_GRACE_BYTES && inflated > maxInflateRatio * Math.max(1, packed))
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `${quoted(name)} inflates ${packed} bytes to more than ${inflated}, over ${maxInflateRatio} times (limit \`maxInflateRatio\`).`,
        'Raise the limit `maxInflateRatio` if the file is trusted.',
      );
  }
}
