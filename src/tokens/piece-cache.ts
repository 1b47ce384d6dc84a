// Caches the cost of short pieces, because names in code and data are repeated and are rarely single tokens. Bounded: a
// colliding piece replaces the previous one.

import { hashOf } from './vocabulary.ts';

/** Log2 of the number of slots. */
const PLACE_BITS = 13;
/** Size of a slot: length, cost, and the bytes of the longest cached piece. */
const STRIDE = 32;
const LONGEST = STRIDE - 2;

/** Mixes the low bits of the hash into those that select the slot: the FNV prime. */
const SPREAD = 0x01000193;

/** Costs of pieces of up to 30 bytes. Uses 256 KiB. */
export class PieceCache {
  readonly #places = new Uint8Array(STRIDE << PLACE_BITS);

  /** The cached cost of `bytes[0, length)`; otherwise calls `cost()` and caches the result. */
  costOf(bytes: Uint8Array, length: number, cost: () => number): number {
    if (length > LONGEST) return cost();
    const places = this.#places;
    const place = (Math.imul(hashOf(bytes, 0, length), SPREAD) >>> (32 - PLACE_BITS)) * STRIDE;
    if (places[place] === length) {
      let same = 0;
      while (same < length && places[place + 2 + same] === bytes[same]) same++;
      if (same === length) return places[place + 1] ?? 0;
    }
    const tokens = cost();
    places[place] = length;
    places[place + 1] = tokens;
    for (let at = 0; at < length; at++) places[place + 2 + at] = bytes[at] ?? 0;
    return tokens;
  }
}
