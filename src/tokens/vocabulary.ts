// The tokens of an encoding: maps byte strings to ranks with the hash table that `.config/build-ranks.mjs` writes.

import { tableOf } from '#token-tables';
import { ReaderError } from '../contract/index.ts';

/** OpenAI's name of an encoding. */
export type EncodingName = 'cl100k_base' | 'o200k_base';

/** The tokens of one encoding. */
export interface Vocabulary {
  /** Length of the longest token in bytes. */
  readonly maxTokenLength: number;
  /** The rank of the token `bytes[from, to)`, or NO_RANK. Lower ranks are merged first. */
  rank(bytes: Uint8Array, from: number, to: number): number;
  /** The same for `bytes[from, to)` as the concatenation of two tokens with the given ranks. Caches pairs. */
  joinedRank(left: number, right: number, bytes: Uint8Array, from: number, to: number): number;
}

/** Greater than every rank. */
export const NO_RANK = 0x7fffffff;

/** Maximum bytes of a token in both encodings. */
export const MAX_TOKEN_BYTES = 128;

const NONE = -1;
/** Log2 of the number of cached pairs. More gains nothing on text, code, Chinese or base64. */
const PAIR_BITS = 14;
const HASH_SEED = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;
/** Odd multipliers with evenly spread bits: the fractions of the golden ratio and of the square root of 2, times 2^32. */
const PAIR_LEFT_FACTOR = 0x9e3779b1;
const PAIR_RIGHT_FACTOR = 0x6a09e667;

/** A hash of `bytes[from, to)`: FNV-1a, folded so that the low bits depend on all bits; the same as in the build. */
export function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = HASH_SEED;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), HASH_FACTOR);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function vocabularyOf(table: Uint8Array): Vocabulary {
  const mask = (1 << (table[0] ?? 0)) - 1;

  /** A number of three bytes. */
  const numberAt = (at: number): number =>
    (table[at] ?? 0) | ((table[at + 1] ?? 0) << 8) | ((table[at + 2] ?? 0) << 16);

  function rank(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from;
    if (length > MAX_TOKEN_BYTES) return NO_RANK;
    const bucket = 1 + 3 * (hashOf(bytes, from, to) & mask);
    const end = numberAt(bucket + 3);
    for (let at = numberAt(bucket); at < end; at += 4 + (table[at] ?? 0)) {
      if (table[at] !== length) continue;
      let same = 0;
      while (same < length && table[at + 4 + same] === bytes[from + same]) same++;
      if (same === length) return numberAt(at + 1);
    }
    return NO_RANK;
  }

  const pairLefts = new Int32Array(1 << PAIR_BITS).fill(NONE);
  const pairRights = new Int32Array(1 << PAIR_BITS);
  const pairRanks = new Int32Array(1 << PAIR_BITS);

  function joinedRank(left: number, right: number, bytes: Uint8Array, from: number, to: number): number {
    const pair =
      (Math.imul(left, PAIR_LEFT_FACTOR) ^ Math.imul(right, PAIR_RIGHT_FACTOR)) >>> (32 - PAIR_BITS);
    if (pairLefts[pair] === left && pairRights[pair] === right) return pairRanks[pair] ?? NO_RANK;
    const joined = rank(bytes, from, to);
    pairLefts[pair] = left;
    pairRights[pair] = right;
    pairRanks[pair] = joined;
    return joined;
  }

  return { maxTokenLength: MAX_TOKEN_BYTES, rank, joinedRank };
}

/** @throws {ReaderError} INTERNAL if the file is missing because the package was not built. */
export function loadVocabulary(encoding: EncodingName): Vocabulary {
  let table: Uint8Array;
  try {
    table = tableOf(encoding);
  } catch (cause) {
    throw new ReaderError(
      'INTERNAL',
      `The token table of \`${encoding}\` is missing.`,
      'Rebuild or reinstall the package.',
      cause,
    );
  }
  return vocabularyOf(table);
}
