// UTF-8 byte arithmetic by lead bytes: where a character is cut off, and the length of the decoded text.

import { isAscii } from 'node:buffer';
import type { Bytes } from './format.ts';

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Length of `bytes` without a character cut off at the end. */
export function wholeLength(bytes: Uint8Array): Bytes {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** UTF-16 units that `bytes[from, to)` decode to; exact for valid UTF-8. */
export function unitsIn(bytes: Uint8Array, from: number = 0, to: number = bytes.length): number {
  if (isAscii(bytes.subarray(from, to))) return to - from;
  let units = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) units += 1;
    else if (!isContinuation(byte)) units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
}
