// Remembers what short pieces cost: names in code and data come again and again, and are no tokens. Bounded; a piece
// that falls on the place of another takes it.

import { hashOf } from './vocabulary.ts';

/** Places: 2 to this power. */
const PLACE_BITS = 13;
/** Length, cost, then the bytes of the longest piece remembered. */
const STRIDE = 32;
const LONGEST = STRIDE - 2;

/** Carries the hash's low bits up to those the place is taken from: FNV's own factor. */
const SPREAD = 0x01000193;

/** Costs by the bytes of a piece, for pieces of up to 30 bytes. Takes 256 KiB. */
export class PieceCache {
  readonly #places = new Uint8Array(STRIDE << PLACE_BITS);

  /** What `bytes[0, length)` costs, or else `cost()`, remembered. */
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
