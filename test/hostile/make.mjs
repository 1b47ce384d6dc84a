// Writes files of any size in pieces of a megabyte, and files with holes.

import { closeSync, ftruncateSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';

const PIECE_BYTES = 1 << 20;

/** `content` as a file named `name`. */
export const file = (name, content) => (folder) => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'function' ? content() : content);
  return path;
};

/** A file of `fixtures/`, with `flips` bytes changed as `seed` says, and cut to `part` of its length. */
export const damaged =
  (fixture, { seed = 1, flips = 40, part = 1, from = 0 } = {}) =>
  (folder) => {
    const whole = readFileSync(new URL(`../../fixtures/${fixture}`, import.meta.url));
    const bytes = whole.subarray(0, Math.ceil(whole.length * part));
    // Park and Miller's generator: the same damage every time.
    let state = seed;
    const next = (below) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    for (let flip = 0; flip < flips; flip++) bytes[from + next(bytes.length - from)] = next(256);
    const path = join(folder, basename(fixture));
    writeFileSync(path, bytes);
    return path;
  };

/** `head`, then `piece` until the file has `bytes` bytes or just over, then `tail`. `bytes` may depend on the scale. */
export const repeated =
  (name, piece, bytes, { head = '', tail = '' } = {}) =>
  (folder, full) => {
    const path = join(folder, name);
    const descriptor = openSync(path, 'w');
    try {
      const one = Buffer.from(piece);
      const block = Buffer.concat(new Array(Math.max(1, Math.ceil(PIECE_BYTES / one.length))).fill(one));
      if (head.length > 0) writeSync(descriptor, head);
      const total = full ? bytes.full : bytes.smoke;
      for (let written = 0; written < total; ) {
        const left = Math.ceil((total - written) / one.length) * one.length;
        written += writeSync(descriptor, block, 0, Math.min(block.length, left));
      }
      if (tail.length > 0) writeSync(descriptor, tail);
    } finally {
      closeSync(descriptor);
    }
    return path;
  };

/** `count` lines, each made by `line`, between `head` and `tail`. */
export const lines =
  (name, count, line, { head = '', tail = '' } = {}) =>
  (folder) => {
    const path = join(folder, name);
    const descriptor = openSync(path, 'w');
    try {
      let piece = head;
      for (let index = 0; index < count; index++) {
        piece += line(index);
        if (piece.length > PIECE_BYTES) {
          writeSync(descriptor, piece);
          piece = '';
        }
      }
      writeSync(descriptor, piece + tail);
    } finally {
      closeSync(descriptor);
    }
    return path;
  };

/** `head`, then a hole up to `bytes`: takes no room on disk. */
export const sparse =
  (name, bytes, head = '') =>
  (folder) => {
    const path = join(folder, name);
    const descriptor = openSync(path, 'w');
    try {
      if (head.length > 0) writeSync(descriptor, head);
      ftruncateSync(descriptor, bytes);
    } finally {
      closeSync(descriptor);
    }
    return path;
  };

/** Bytes that look like noise and are the same in every run (xorshift32). */
export function noise(bytes) {
  const words = new Uint32Array(Math.ceil(bytes / 4));
  let state = 2463534242;
  for (let index = 0; index < words.length; index++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[index] = state;
  }
  return Buffer.from(words.buffer, 0, bytes);
}
