// Builds a sparse index in one pass over a source, with a checkpoint per chunk, and uses it to find the n-th unit,
// reading only the chunk that contains it. Knows nothing about a pass except its count of units.

import { type Bytes, largestFitting, type Source, throwIfAborted } from '../contract/index.ts';
import { type Kernel, type Pass, seek, withKernel } from './kernel.ts';
import { JSON_STATE, RECORD, STATE_SLOTS, XML_STATE } from './state.ts';

/** Exact totals of a source, and the positions of its units to within a chunk. */
export interface SparseIndex {
  /** Number of units, including an unterminated last one; 0 for an empty file. */
  readonly count: number;
  /** Bytes covered by the index: the source's size when the scan began, or where it ended if earlier. */
  readonly size: Bytes;
  readonly chunkBytes: Bytes;
  /** True if the source ended early, or its size changed during the scan. */
  readonly changed: boolean;
  /** For `locate` only. */
  readonly checkpoints: Checkpoints;
}

/** The state at the start of each chunk, one after another. */
export interface Checkpoints {
  readonly pass: Pass;
  readonly start: Bytes;
  readonly states: Float64Array;
}

/** Result of a pass over a source. */
export interface Sweep {
  readonly checkpoints: Checkpoints;
  readonly chunkBytes: Bytes;
  readonly state: Float64Array;
  /** Where the pass ended: just past the container, or at the end of the source. */
  readonly end: Bytes;
  readonly closed: boolean;
  readonly changed: boolean;
  readonly lastByte: number;
  /** Longest distance between unit ends that crosses a piece border: exact if over `PIECE_BYTES`. */
  readonly longest: Bytes;
}

/** Bytes read and scanned at a time. */
export const PIECE_BYTES: number = 1024 * 1024;
const FIRST_PIECE_BYTES = 64 * 1024;
/** A checkpoint takes 96 bytes; a larger source has larger chunks rather than more of them. */
const MAX_CHECKPOINTS = 4096;
const GAP_BYTES = 64;
const SEEK_PIECE_BYTES = 256 * 1024;
const SEEK_STEP_BYTES = 8 * 1024;

/** Scans `source` from `start` with a pass, to the end of the container or of the source. */
export function sweep(
  source: Source,
  pass: Pass,
  start: Bytes,
  initial: Float64Array,
  signal: AbortSignal,
): Promise<Sweep> {
  return withKernel(async (kernel) => {
    const size = source.size;
    const span = Math.max(0, size - start);
    const chunkBytes = PIECE_BYTES * Math.max(1, Math.ceil(span / PIECE_BYTES / MAX_CHECKPOINTS));
    const states: number[] = [];
    const state = initial.slice();
    const firstBytes = pass === 'json' || pass === 'xml' ? FIRST_PIECE_BYTES : PIECE_BYTES;
    const ahead = new ReadAhead(source, kernel.input, { start, chunkBytes, firstBytes });
    let position = start;
    let lastByte = -1;
    let closed = false;
    let longest = 0;
    let open = start;
    try {
      for (;;) {
        const piece = await ahead.next();
        if (!piece) break;
        const { from, to } = piece;
        throwIfAborted(signal);
        if ((position - start) % chunkBytes === 0) for (const slot of state) states.push(slot);
        kernel.state.set(state);
        const stopped = kernel.run(pass, from, to);
        state.set(kernel.state);
        lastByte = kernel.input[(stopped < 0 ? to : stopped) - 1] ?? -1;
        if (pass === 'lines' || pass === 'records') {
          const [first, last] = ends(kernel, pass, from, to);
          if (first >= 0) {
            longest = Math.max(longest, position + first - from - open);
            open = position + last - from;
          }
        }
        closed = stopped >= 0;
        position += (closed ? stopped : to) - from;
        if (closed) break;
      }
    } finally {
      await ahead.settled();
    }
    if (states.length === 0) states.push(...initial);
    return {
      checkpoints: { pass, start, states: Float64Array.from(states) },
      chunkBytes,
      state,
      end: position,
      closed,
      changed: source.size !== size || (!closed && position < size),
      lastByte,
      longest: Math.max(longest, position - open),
    };
  });
}

/** Reads the next piece of a source into one half of the kernel's memory while the other half is scanned. */
class ReadAhead {
  readonly #source: Source;
  readonly #memory: Uint8Array;
  readonly #start: Bytes;
  readonly #chunkBytes: Bytes;
  readonly #size: Bytes;
  #pieceBytes: Bytes;
  #position: Bytes;
  #half = GAP_BYTES;
  #pending: Promise<number>;

  constructor(
    source: Source,
    memory: Uint8Array,
    { start, chunkBytes, firstBytes }: { start: Bytes; chunkBytes: Bytes; firstBytes: Bytes },
  ) {
    this.#source = source;
    this.#memory = memory;
    this.#start = start;
    this.#position = start;
    this.#chunkBytes = chunkBytes;
    this.#size = source.size;
    this.#pieceBytes = firstBytes;
    this.#pending = this.#fetch();
  }

  /** Position of the next piece in memory, valid until `next` is called again; undefined at the end. */
  async next(): Promise<{ readonly from: number; readonly to: number } | undefined> {
    const length = await this.#pending;
    if (length === 0) return undefined;
    const from = this.#half;
    this.#position += length;
    this.#pending = this.#fetch();
    return { from, to: from + length };
  }

  /** Resolves when nothing writes to the memory any more. */
  async settled(): Promise<void> {
    await this.#pending.catch(() => 0);
  }

  #fetch(): Promise<number> {
    const at = this.#position;
    if (at >= this.#size) return Promise.resolve(0);
    this.#half = this.#half === GAP_BYTES ? 2 * GAP_BYTES + PIECE_BYTES : GAP_BYTES;
    // Pieces end on chunk borders, so that a checkpoint always falls between two.
    const toBorder = this.#chunkBytes - ((at - this.#start) % this.#chunkBytes);
    const length = Math.min(this.#pieceBytes, toBorder, this.#size - at);
    this.#pieceBytes = Math.min(PIECE_BYTES, this.#pieceBytes * 4);
    return fill(this.#source, this.#memory.subarray(this.#half, this.#half + length), at);
  }
}

/** Just past the first and past the last unit end of the piece just scanned, -1 when none ended. */
function ends(kernel: Kernel, pass: Pass, from: number, to: number): [number, number] {
  if (pass === 'records') return [kernel.state[RECORD.first] ?? -1, kernel.state[RECORD.last] ?? -1];
  const newline = kernel.state[RECORD.newline] ?? 0;
  const piece = kernel.input.subarray(from, to);
  const first = piece.indexOf(newline);
  return first < 0 ? [-1, -1] : [from + first + 1, from + piece.lastIndexOf(newline) + 1];
}

/** Reads until `target` is full or the source ends. */
async function fill(source: Source, target: Uint8Array, position: Bytes): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    const count = await source.readInto(filled === 0 ? target : target.subarray(filled), position + filled);
    if (count <= 0) break;
    filled += count;
  }
  return filled;
}

function units(pass: Pass, states: Float64Array, offset: number): number {
  switch (pass) {
    case 'lines':
      return states[offset + RECORD.ended] ?? 0;
    case 'records':
      return (
        (states[offset + RECORD.ended] ?? 0) -
        (states[offset + RECORD.skipBlank] === 1 ? (states[offset + RECORD.blank] ?? 0) : 0)
      );
    case 'json':
      return states[offset + JSON_STATE.commas] ?? 0;
    case 'xml':
      return states[offset + XML_STATE.children] ?? 0;
  }
}

/**
 * The position just past the byte that completes `until` units (for XML: two past the `<` of that child), or undefined
 * if there are fewer, or the source no longer has them.
 */
export function seekUnit(
  source: Source,
  index: SparseIndex,
  end: Bytes,
  until: number,
  signal: AbortSignal,
): Promise<Bytes | undefined> {
  const { pass, start, states } = index.checkpoints;
  const low = largestFitting(
    states.length / STATE_SLOTS - 1,
    (at) => units(pass, states, at * STATE_SLOTS) < until,
  );
  return withKernel(async (kernel) => {
    const state = states.slice(low * STATE_SLOTS, (low + 1) * STATE_SLOTS);
    let position = start + low * index.chunkBytes;
    while (position < end) {
      throwIfAborted(signal);
      const wanted = Math.min(SEEK_PIECE_BYTES, end - position);
      const length = await fill(source, kernel.input.subarray(GAP_BYTES, GAP_BYTES + wanted), position);
      if (length === 0) return undefined;
      const to = GAP_BYTES + length;
      for (let from = GAP_BYTES; from < to; from += SEEK_STEP_BYTES) {
        const stop = Math.min(to, from + SEEK_STEP_BYTES);
        kernel.state.set(state);
        const closed = kernel.run(pass, from, stop);
        if (closed >= 0 || units(pass, kernel.state, 0) >= until) {
          const found = seek(kernel.input, pass, state, from, stop, until);
          const reached = found >= 0 && units(pass, state, 0) === until;
          return reached ? position + found - GAP_BYTES : undefined;
        }
        state.set(kernel.state);
      }
      position += length;
    }
    return undefined;
  });
}
