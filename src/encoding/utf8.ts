// Checks whether a file is UTF-8, and how many bytes are not.

import { isUtf8 } from 'node:buffer';
import { type Bytes, type Source, throwIfAborted, wholeLength } from '../contract/index.ts';

const MIB = 1024 * 1024;
/** Files up to this size are checked completely, larger ones in their first and last MiB. */
const CHECKED_BYTES = 16 * MIB;
/** chardet takes 0.3 to 0.5 s per MiB, so it gets at most this much. */
export const SAMPLE_BYTES: Bytes = 64 * 1024;

/** Result of a check. */
export interface Utf8Check {
  readonly valid: boolean;
  readonly ascii: boolean;
  readonly sequences: number;
  readonly bad: number;
  /** Up to 64 KiB around the non-ASCII bytes, for statistics. */
  readonly sample: Uint8Array;
}

/** Reads the whole file up to 16 MiB, both ends of a larger one. */
export async function checkUtf8(source: Source, head: Uint8Array, signal: AbortSignal): Promise<Utf8Check> {
  const pieces: Uint8Array[] = [];
  if (source.size <= head.length) pieces.push(head);
  else if (source.size <= CHECKED_BYTES) {
    throwIfAborted(signal);
    pieces.push(await source.read(0, source.size));
  } else pieces.push(head, await source.read(source.size - MIB, MIB));
  let ascii = true;
  let valid = true;
  for (const [i, piece] of pieces.entries()) {
    const from = i === 0 ? 0 : continuationBytes(piece);
    const to = i === 0 && pieces.length > 1 ? wholeLength(piece) : piece.length;
    if (!isUtf8(piece.subarray(from, to))) valid = false;
    if (ascii && piece.some((byte) => byte >= 0x80)) ascii = false;
  }
  if (valid) return { valid, ascii, sequences: 0, bad: 0, sample: head };
  const all = pieces.length === 1 ? (pieces[0] ?? head) : Buffer.concat(pieces);
  const { sequences, bad, first } = countUtf8(all);
  return { valid, ascii: false, sequences, bad, sample: sampleOf(all, first) };
}

/** Counts the non-ASCII UTF-8 sequences and the invalid bytes, and finds the first of either. */
export function countUtf8(all: Uint8Array): {
  readonly sequences: number;
  readonly bad: number;
  readonly first: Bytes;
} {
  let sequences = 0;
  let bad = 0;
  let first = -1;
  for (let i = 0; i < all.length; ) {
    const byte = all[i] ?? 0;
    if (byte < 0x80) {
      i += 1;
      continue;
    }
    if (first < 0) first = i;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 0;
    if (length > 0 && i + length <= all.length && isUtf8(all.subarray(i, i + length))) {
      sequences += 1;
      i += length;
    } else {
      bad += 1;
      i += 1;
    }
  }
  return { sequences, bad, first: Math.max(0, first) };
}

/** The sample for statistics: 64 KiB around `first`, the first non-ASCII byte, since ASCII carries no information. */
export function sampleOf(all: Uint8Array, first: number): Uint8Array {
  const start = Math.max(0, first - 1024);
  return all.subarray(start, start + SAMPLE_BYTES);
}

function continuationBytes(piece: Uint8Array): number {
  let at = 0;
  while (at < 3 && ((piece[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}
