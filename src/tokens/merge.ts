// Byte pair merging: how many tokens a piece becomes. Short pieces by repeated search of the lowest rank, longer ones
// by a heap, very long ones by a heap in windows, so that time grows with the length and memory does not.

import { NO_RANK, type Vocabulary } from './vocabulary.ts';

/** Bytes up to which searching beats the heap. Measured on words, digits, base64 and Chinese. */
const SHORT = 96;
/** Bytes merged at a time in a very long piece; half as many cost a quarter more, twice as many gain nothing. */
const WINDOW = 2048;
/** Boundaries tried between two windows before the piece is merged as one. */
const JOINT_TRIES = 8;

/**
 * The number of tokens of `bytes[0, length)`: of the adjacent parts that join to a token, those of the lowest rank
 * are joined, the leftmost first, until none are left. Where each token ends is added to `tokenEnds`, if given. The
 * result does not depend on `window`, the bytes merged at a time.
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
 * Tokens follow from their neighbours alone: a row of tokens is the encoding of its bytes if every two adjacent ones
 * are the encoding of theirs. (The first merge across a boundary of the row would also be made between just the two
 * tokens it touches, since merges elsewhere do not change those bytes.) So windows are merged one by one, and only the
 * pair where two meet is checked. Undefined when two windows do not meet; no text is known where they do not.
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

/** Bytes merged at a time: where they end, and where each of their tokens ends. */
interface Window {
  readonly to: number;
  readonly ends: Int32Array;
}

/** How many tokens of a window stand, and the window that goes on after them. */
function nextWindow(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  length: number,
  { to, ends }: Window,
  size: number,
): { readonly kept: number; readonly next: Window } | undefined {
  // The last tokens of a window may be what its edge made of them.
  let kept = ends.length;
  while (kept > 1 && (ends[kept - 1] ?? 0) > to - vocabulary.maxTokenLength) kept--;
  // The first stands: the window before has met it.
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

/** Working memory of one merge, kept between merges. */
interface Scratch {
  /** Where the tokens of the last merge end; as many are valid as it returned. */
  readonly tokenEnds: Int32Array;
  /** By part: its end, where the part before starts, and the rank of the two joined parts it begins. */
  readonly ends: Int32Array;
  readonly previous: Int32Array;
  readonly ranks: Int32Array;
  /** By part: its own rank. */
  readonly parts: Int32Array;
  /** Each merge takes one entry out and puts at most two in. */
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

/** An entry of the heap is rank times this plus position, so that one comparison orders both; exact below 2^53. */
const POSITIONS = 2 ** 32;

function mergeByHeap(vocabulary: Vocabulary, bytes: Uint8Array, from: number, to: number): number {
  const { tokenEnds, ends, previous, ranks, parts, heap } = scratch;
  const length = to - from;
  // A part is named by where it starts.
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
    // An entry whose rank is no longer its part's is out of date.
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

/** Adds to a heap of `size` entries, the smallest first; returns its new size. */
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

/** Takes the smallest entry off; returns the new size. */
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
