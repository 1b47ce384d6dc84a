// Reads a position from a cursor. Cursors come from outside, so every field is bounds-checked; a format only names its
// fields.

import { type ReaderError, staleCursor } from './error.ts';
import { isCount, type Position } from './part.ts';

/** Maximum entries of a position: those of JSON nested 256 levels deep, six for each level. */
export const MAX_POSITION = 2000;
const MAX_WORD_LENGTH = 2000;

/** The fields of a position, read in the order they were written. Every method throws STALE_CURSOR. */
export class PositionReader {
  readonly #position: Position;
  readonly #message: string;
  #next = 0;

  /** `message`: the error for a position that is not in this content. */
  constructor(position: Position, message: string) {
    this.#position = position;
    this.#message = message;
  }

  /** True if fields are left. */
  get more(): boolean {
    return this.#next < this.#position.length;
  }

  /** An integer from `least` to `most`. */
  count(most: number = Number.MAX_SAFE_INTEGER, least = 0): number {
    const value = this.#position[this.#next++];
    if (!isCount(value, most) || value < least) throw this.stale();
    return value;
  }

  /** Like `count`; `otherwise` if no fields are left. */
  countOr(otherwise: number, most?: number): number {
    return this.more ? this.count(most) : otherwise;
  }

  /** The numbers before the next word, or the end. */
  counts(most?: number): number[] {
    const found: number[] = [];
    while (typeof this.#position[this.#next] === 'number') found.push(this.count(most));
    return found;
  }

  word(): string {
    const value = this.#position[this.#next++];
    if (typeof value !== 'string' || value.length > MAX_WORD_LENGTH) throw this.stale();
    return value;
  }

  /** One of `values`. */
  oneOf<const T extends number | string>(values: readonly T[]): T {
    const value = this.#position[this.#next++];
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw this.stale();
    return found;
  }

  /** The next `length` fields, unread. */
  take(length: number): Position {
    const taken = this.#position.slice(this.#next, this.#next + length);
    this.check(taken.length === length);
    this.#next += length;
    return taken;
  }

  /** Checks a condition across fields. */
  check(holds: boolean): void {
    if (!holds) throw this.stale();
  }

  /** Checks that no fields are left. */
  end(): void {
    this.check(!this.more);
  }

  stale(): ReaderError {
    return staleCursor(this.#message);
  }
}
