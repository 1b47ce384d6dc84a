// A list of positions with data between them ([MS-DOC] 2.2.2, PLC): n + 1 positions, then n entries of one size.

import { countBefore } from '../../../src/contract/index.ts';
import { u32 } from '../office97/bytes.ts';

/** Positions and their data, all inside the bytes they were read from. */
export class Plex {
  readonly #bytes: Buffer;
  readonly #size: number;
  /** Number of entries. */
  readonly count: number;

  /** `size`: bytes of data per entry. */
  constructor(bytes: Buffer, size: number) {
    this.#bytes = bytes;
    this.#size = size;
    this.count = Math.max(0, Math.floor((bytes.length - 4) / (4 + size)));
  }

  /** Position `index`, from 0 to `count`. */
  position(index: number): number {
    return u32(this.#bytes, index * 4);
  }

  /** The data of entry `index`. */
  data(index: number): Buffer {
    const from = (this.count + 1) * 4 + index * this.#size;
    return this.#bytes.subarray(from, from + this.#size);
  }

  /** The last entry that starts at or before `position`; -1 if there is none. */
  find(position: number): number {
    return countBefore(this.count, (index) => this.position(index) <= position) - 1;
  }
}
