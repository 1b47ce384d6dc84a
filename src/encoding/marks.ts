// Byte order marks.

import type { Guess } from './guess.ts';

const MARKS: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
  ['gb18030', [0x84, 0x31, 0x95, 0x33]],
];

/** The encoding whose mark the file starts with. */
export function markOf(head: Uint8Array): Guess | undefined {
  for (const [name, bytes] of MARKS)
    if (bytes.every((byte, i) => head[i] === byte)) return { name, confidence: 1, mark: bytes.length };
  return undefined;
}
