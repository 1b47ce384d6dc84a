// An encoding's tokens in memory: the rank of a byte string, found by hash. Read from the file that
// `.config/build-ranks.mjs` writes, on first use.

import { readFileSync } from 'node:fs';
import { ReaderError } from '../contract/index.ts';

/** The name of an encoding, as OpenAI names it. */
export type EncodingName = 'cl100k_base' | 'o200k_base';

export interface Vocabulary {
  /** Bytes of the longest token; 128 in both encodings. */
  readonly maxTokenLength: number;
  /** The rank of the token that is `bytes[from, to)`, or -1. The lower, the sooner it is merged. */
  rank(bytes: Uint8Array, from: number, to: number): number;
}

const NONE = -1;
const HASH_SEED = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;

/** FNV-1a, folded so that the low bits depend on all. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = HASH_SEED;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), HASH_FACTOR);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function parse(file: Uint8Array): Vocabulary {
  const count = new DataView(file.buffer, file.byteOffset).getUint32(0, true);
  const starts = new Uint32Array(count + 1);
  let slotCount = 1;
  while (slotCount < count * 2) slotCount *= 2;
  const mask = slotCount - 1;
  const slots = new Int32Array(slotCount).fill(NONE);
  let maxTokenLength = 0;
  let start = 4 + count;
  for (let rank = 0; rank < count; rank++) {
    const length = file[4 + rank] ?? 0;
    const end = start + length;
    starts[rank] = start;
    if (length > maxTokenLength) maxTokenLength = length;
    let slot = hashOf(file, start, end) & mask;
    while (slots[slot] !== NONE) slot = (slot + 1) & mask;
    slots[slot] = rank;
    start = end;
  }
  starts[count] = start;

  return {
    maxTokenLength,
    rank(bytes, from, to) {
      const length = to - from;
      let slot = hashOf(bytes, from, to) & mask;
      for (;;) {
        const rank = slots[slot] ?? NONE;
        if (rank === NONE) return NONE;
        const offset = starts[rank] ?? 0;
        if ((starts[rank + 1] ?? 0) - offset === length) {
          let same = 0;
          while (same < length && file[offset + same] === bytes[from + same]) same++;
          if (same === length) return rank;
        }
        slot = (slot + 1) & mask;
      }
    },
  };
}

/** @throws {ReaderError} INTERNAL when the file is missing: the package was not built. */
export function loadVocabulary(encoding: EncodingName): Vocabulary {
  let file: Uint8Array;
  try {
    file = readFileSync(new URL(`./${encoding}.generated.bin`, import.meta.url));
  } catch (cause) {
    throw new ReaderError(
      'INTERNAL',
      `The token table of \`${encoding}\` is missing.`,
      'Build or install the package again.',
      cause,
    );
  }
  return parse(file);
}
