// Byte pair merging: how many tokens a piece becomes. Short pieces by repeated search of the lowest rank, long ones by
// a heap, so that no piece costs more than n log n.

import type { Vocabulary } from './vocabulary.ts';

/** Above this the heap is faster. Measured on words, digits, base64 and Chinese. */
const SHORT_PIECE = 96;
const NO_RANK = 0x7fffffff;

const shortStarts = new Int32Array(SHORT_PIECE + 2);
const shortRanks = new Int32Array(SHORT_PIECE + 2);

/**
 * The tokens of `bytes[0, length)`: of the adjacent parts that join to a token, those of the lowest rank are joined,
 * the leftmost first, until none are left. Where `boundaries` is given, the end of each token is added to it.
 */
export function mergedCount(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  length: number,
  boundaries?: number[],
): number {
  return length <= SHORT_PIECE
    ? mergeShort(vocabulary, bytes, length, boundaries)
    : mergeLong(vocabulary, bytes, length, boundaries);
}

function pairRank(vocabulary: Vocabulary, bytes: Uint8Array, from: number, to: number): number {
  if (to - from > vocabulary.maxTokenLength) return NO_RANK;
  const rank = vocabulary.rank(bytes, from, to);
  return rank < 0 ? NO_RANK : rank;
}

function mergeShort(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  length: number,
  boundaries: number[] | undefined,
): number {
  const starts = shortStarts;
  const ranks = shortRanks;
  for (let part = 0; part <= length; part++) starts[part] = part;
  for (let part = 0; part + 1 < length; part++) ranks[part] = pairRank(vocabulary, bytes, part, part + 2);
  let count = length;
  for (;;) {
    let lowest = NO_RANK;
    let best = 0;
    for (let part = 0; part + 1 < count; part++) {
      const rank = ranks[part] ?? NO_RANK;
      if (rank < lowest) {
        lowest = rank;
        best = part;
      }
    }
    if (lowest === NO_RANK) break;
    starts.copyWithin(best + 1, best + 2, count + 1);
    ranks.copyWithin(best + 1, best + 2, count);
    count--;
    const start = starts[best] ?? 0;
    const end = starts[best + 1] ?? 0;
    if (best + 1 < count) ranks[best] = pairRank(vocabulary, bytes, start, starts[best + 2] ?? 0);
    if (best > 0) ranks[best - 1] = pairRank(vocabulary, bytes, starts[best - 1] ?? 0, end);
  }
  if (boundaries) for (let part = 1; part <= count; part++) boundaries.push(starts[part] ?? 0);
  return count;
}

/** Rank and position in one number, so that the heap compares one value: 2^18 ranks times 2^32 positions are exact. */
const POSITIONS = 2 ** 32;

function mergeLong(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  length: number,
  boundaries: number[] | undefined,
): number {
  // A part is named by the position it starts at.
  const ends = new Int32Array(length);
  const previous = new Int32Array(length);
  // The rank of a part joined with the next; an entry of the heap whose rank differs is out of date.
  const ranks = new Int32Array(length).fill(NO_RANK);
  const heap = new PositionHeap(length);
  for (let part = 0; part < length; part++) {
    ends[part] = part + 1;
    previous[part] = part - 1;
    if (part + 1 < length) {
      const rank = pairRank(vocabulary, bytes, part, part + 2);
      ranks[part] = rank;
      if (rank !== NO_RANK) heap.push(rank * POSITIONS + part);
    }
  }

  let count = length;
  for (let entry = heap.pop(); entry !== undefined; entry = heap.pop()) {
    const rank = Math.floor(entry / POSITIONS);
    const part = entry - rank * POSITIONS;
    if (ranks[part] !== rank) continue;
    const joined = ends[part] ?? length;
    const end = ends[joined] ?? length;
    ranks[joined] = NO_RANK;
    ends[part] = end;
    if (end < length) previous[end] = part;
    count--;
    const left = previous[part] ?? -1;
    const after = end < length ? pairRank(vocabulary, bytes, part, ends[end] ?? length) : NO_RANK;
    ranks[part] = after;
    if (after !== NO_RANK) heap.push(after * POSITIONS + part);
    if (left >= 0) {
      const before = pairRank(vocabulary, bytes, left, end);
      ranks[left] = before;
      if (before !== NO_RANK) heap.push(before * POSITIONS + left);
    }
  }
  if (boundaries)
    for (let part = 0; part < length; part = ends[part] ?? length) boundaries.push(ends[part] ?? length);
  return count;
}

/** A binary heap of numbers, the smallest on top. */
class PositionHeap {
  #entries: Float64Array;
  #size = 0;

  constructor(capacity: number) {
    this.#entries = new Float64Array(capacity);
  }

  push(entry: number): void {
    if (this.#size === this.#entries.length) {
      const grown = new Float64Array(this.#size * 2);
      grown.set(this.#entries);
      this.#entries = grown;
    }
    const entries = this.#entries;
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = entries[parent] ?? 0;
      if (above <= entry) break;
      entries[at] = above;
      at = parent;
    }
    entries[at] = entry;
  }

  pop(): number | undefined {
    if (this.#size === 0) return undefined;
    const entries = this.#entries;
    const top = entries[0];
    const last = entries[--this.#size] ?? 0;
    const size = this.#size;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      let below = entries[child] ?? 0;
      const right = entries[child + 1] ?? 0;
      if (child + 1 < size && right < below) {
        child++;
        below = right;
      }
      if (last <= below) break;
      entries[at] = below;
      at = child;
    }
    entries[at] = last;
    return top;
  }
}
