// Byte pair merging: computes the tokens of a piece. Short pieces repeatedly search for the lowest rank, longer ones use a
// heap, and very long ones use a heap per window, so that time is linear and memory is bounded.

import { NO_RANK, type Vocabulary } from './vocabulary.ts';

/** Length up to which searching is faster than the heap. Measured on words, digits, base64 and Chinese. */
const SHORT = 96;
/** Bytes per window of a very long piece. Half the size costs 25 % more time; twice the size gains nothing. */
const WINDOW = 2048;
/** Boundaries tried between two windows before the piece is merged as a whole. */
const JOINT_TRIES = 8;

/**
 * The number of tokens of `bytes[0, length)`: repeatedly merges the adjacent parts whose concatenation is the token of
 * lowest rank, leftmost first. Appends the end of each token to `tokenEnds`, if given. `window`, the number of bytes
 * merged at a time, does not affect the result.
 */
export function mergedCount(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  length: number,
  tokenEnds?: number[],
  window: number = WINDOW,
): number {
  if (length > window) {
    const joined: number[] | undefined = tokenEnds && [];
    const count = mergeWindows(vocabulary, bytes, length, joined, window);
    if (count !== undefined) {
      if (tokenEnds && joined) for (const end of joined) tokenEnds.push(end);
      return count;
    }
  }
  const count = merge(vocabulary, bytes, 0, length);
  if (tokenEnds)
    for (let token = 0; token < count; token++) tokenEnds.push(scratch.tokenEnds[token] ?? length);
  return count;
}

/**
 * Merges window by window. A sequence of tokens is the encoding of its bytes if every adjacent pair is the encoding of
 * its own bytes: the first merge across a boundary would also occur between just the two tokens it touches, because
 * merges elsewhere do not change those bytes. So only the pair where two windows join has to be checked. Undefined if two
 * windows share no boundary; no such text is known.
 */
function mergeWindows(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  length: number,
  tokenEnds: number[] | undefined,
  size: number,
): number | undefined {
  let count = 0;
  let window: Window = { to: size, ends: mergedEnds(vocabulary, bytes, 0, size) };
  while (window.to < length) {
    const joint = nextWindow(vocabulary, bytes, length, window, size);
    if (!joint) return undefined;
    count += joint.kept;
    if (tokenEnds) for (const end of window.ends.subarray(0, joint.kept)) tokenEnds.push(end);
    window = joint.next;
  }
  if (tokenEnds) for (const end of window.ends) tokenEnds.push(end);
  return count + window.ends.length;
}

/** A window: its end, and the end of each of its tokens. */
interface Window {
  readonly to: number;
  readonly ends: Int32Array;
}

/** The number of tokens of a window that are final, and the window that continues after them. */
function nextWindow(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  length: number,
  { to, ends }: Window,
  size: number,
): { readonly kept: number; readonly next: Window } | undefined {
  // The last tokens of a window may depend on where it was cut.
  let kept = ends.length;
  while (kept > 1 && (ends[kept - 1] ?? 0) > to - vocabulary.maxTokenLength) kept--;
  // The first is final, because it was checked against the previous window.
  for (let tries = 0; tries < JOINT_TRIES && kept > 1; tries++, kept--) {
    const boundary = ends[kept - 1] ?? to;
    const nextTo = Math.min(length, boundary + size);
    const next = { to: nextTo, ends: mergedEnds(vocabulary, bytes, boundary, nextTo) };
    const pair = merge(vocabulary, bytes, ends[kept - 2] ?? 0, next.ends[0] ?? nextTo);
    if (pair === 2 && scratch.tokenEnds[0] === boundary) return { kept, next };
  }
  return undefined;
}

/** The ends of the tokens of `bytes[from, to)`. */
function mergedEnds(vocabulary: Vocabulary, bytes: Uint8Array, from: number, to: number): Int32Array {
  const count = merge(vocabulary, bytes, from, to);
  return scratch.tokenEnds.slice(0, count);
}

/** Working memory of a merge, reused. */
interface Scratch {
  /** Token ends of the last merge. Only as many are valid as it returned. */
  readonly tokenEnds: Int32Array;
  /** Per part: its end, the start of the previous part, and the rank of this part merged with the next. */
  readonly ends: Int32Array;
  readonly previous: Int32Array;
  readonly ranks: Int32Array;
  /** Per part: its own rank. */
  readonly parts: Int32Array;
  /** Each merge removes one entry and adds at most two. */
  readonly heap: Float64Array;
}

function createScratch(length: number): Scratch {
  return {
    tokenEnds: new Int32Array(length + 1),
    ends: new Int32Array(length + 1),
    previous: new Int32Array(length + 1),
    ranks: new Int32Array(length + 1),
    parts: new Int32Array(length + 1),
    heap: new Float64Array(2 * length),
  };
}

let scratch: Scratch = createScratch(WINDOW);

function merge(vocabulary: Vocabulary, bytes: Uint8Array, from: number, to: number): number {
  if (to - from <= SHORT) return mergeBySearch(vocabulary, bytes, from, to);
  if (to - from >= scratch.ends.length) scratch = createScratch(to - from);
  return mergeByHeap(vocabulary, bytes, from, to);
}

function mergeBySearch(vocabulary: Vocabulary, bytes: Uint8Array, from: number, to: number): number {
  const { tokenEnds, ranks, parts } = scratch;
  let count = to - from;
  for (let part = 0; part < count; part++) {
    tokenEnds[part] = from + part + 1;
    parts[part] = vocabulary.rank(bytes, from + part, from + part + 1);
  }
  const joinedRank = (part: number): number =>
    part + 1 < count
      ? vocabulary.joinedRank(
          parts[part] ?? 0,
          parts[part + 1] ?? 0,
          bytes,
          part > 0 ? (tokenEnds[part - 1] ?? from) : from,
          tokenEnds[part + 1] ?? to,
        )
      : NO_RANK;
  for (let part = 0; part < count; part++) ranks[part] = joinedRank(part);
  for (;;) {
    let lowest = NO_RANK;
    let best = 0;
    for (let part = 0; part < count; part++) {
      const rank = ranks[part] ?? NO_RANK;
      if (rank < lowest) {
        lowest = rank;
        best = part;
      }
    }
    if (lowest === NO_RANK) return count;
    count--;
    tokenEnds[best] = tokenEnds[best + 1] ?? to;
    parts[best] = lowest;
    for (let part = best + 1; part < count; part++) {
      tokenEnds[part] = tokenEnds[part + 1] ?? to;
      parts[part] = parts[part + 1] ?? 0;
      ranks[part] = ranks[part + 1] ?? NO_RANK;
    }
    ranks[best] = joinedRank(best);
    if (best > 0) ranks[best - 1] = joinedRank(best - 1);
  }
}

/** A heap entry is rank times this plus position, so that one comparison orders both; exact below 2^53. */
const POSITIONS = 2 ** 32;

function mergeByHeap(vocabulary: Vocabulary, bytes: Uint8Array, from: number, to: number): number {
  const { tokenEnds, ends, previous, ranks, parts, heap } = scratch;
  const length = to - from;
  // A part is identified by its start.
  for (let part = 0; part < length; part++) {
    ends[part] = part + 1;
    previous[part] = part - 1;
    parts[part] = vocabulary.rank(bytes, from + part, from + part + 1);
  }
  let size = 0;
  const join = (part: number): void => {
    const next = ends[part] ?? length;
    let rank = NO_RANK;
    if (next < length) {
      const end = ends[next] ?? length;
      rank = vocabulary.joinedRank(parts[part] ?? 0, parts[next] ?? 0, bytes, from + part, from + end);
      if (rank !== NO_RANK) size = push(heap, size, rank * POSITIONS + part);
    }
    ranks[part] = rank;
  };
  for (let part = 0; part < length; part++) join(part);
  while (size > 0) {
    const entry = heap[0] ?? 0;
    size = pop(heap, size);
    const rank = Math.floor(entry / POSITIONS);
    const part = entry - rank * POSITIONS;
    // Skip an entry if the rank of its part has changed.
    if (ranks[part] !== rank) continue;
    const joined = ends[part] ?? length;
    const end = ends[joined] ?? length;
    ranks[joined] = NO_RANK;
    parts[part] = rank;
    ends[part] = end;
    previous[end] = part;
    join(part);
    if (part > 0) join(previous[part] ?? 0);
  }
  let count = 0;
  for (let part = 0; part < length; part = ends[part] ?? length)
    tokenEnds[count++] = from + (ends[part] ?? length);
  return count;
}

/** Adds an entry to a min-heap of `size` entries. Returns the new size. */
function push(heap: Float64Array, size: number, entry: number): number {
  let at = size;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] ?? 0;
    if (above <= entry) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = entry;
  return size + 1;
}

/** Removes the smallest entry. Returns the new size. */
function pop(heap: Float64Array, size: number): number {
  const left = size - 1;
  const last = heap[left] ?? 0;
  let at = 0;
  for (let child = 1; child < left; child = 2 * at + 1) {
    let below = heap[child] ?? 0;
    const sibling = heap[child + 1] ?? 0;
    if (child + 1 < left && sibling < below) {
      child++;
      below = sibling;
    }
    if (last <= below) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = last;
  return left;
}
