// Lengths of lines and of the text between them, in bytes and UTF-16 units.

import { isUtf8 } from 'node:buffer';
import { type Bytes, type TextSource, throwIfAborted, unitsIn } from '../../src/contract/index.ts';
import { type LineIndex, locate, type Newline } from '../../src/scan/index.ts';

/** Bytes read at a time to count the characters of a long line. */
const COUNT_BYTES = 1024 * 1024;

/** UTF-16 length of a line without its newline, as `lineLength` measures it. */
export function bodyLength(line: string, newline: Newline): number {
  if (line.charCodeAt(line.length - 1) !== newline) return line.length;
  return line.length - (newline === 10 && line.endsWith('\r\n') ? 2 : 1);
}

/** Number of leading `bytes` that decode to `content`. */
export function byteLengthOf(bytes: Uint8Array, content: string): Bytes {
  const length = Buffer.byteLength(content);
  if (length <= bytes.length && isUtf8(bytes.subarray(0, length))) return length;
  // Invalid bytes become U+FFFD, so lengths differ: decode byte by byte until enough text has been produced.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let units = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    units += decoder.decode(bytes.subarray(at, at + 1), { stream: true }).length;
    if (units >= content.length) return at + 1;
  }
  return bytes.length;
}

/** UTF-16 lengths of two lines without terminators. Reads both. */
export async function lineLengths(
  text: TextSource,
  index: LineIndex,
  first: number,
  last: number,
  newline: Newline,
  signal: AbortSignal,
): Promise<{ readonly first: number; readonly last: number }> {
  const one = await lineLength(text, index, first, newline, signal);
  return { first: one, last: last === first ? one : await lineLength(text, index, last, newline, signal) };
}

export async function lineLength(
  text: TextSource,
  index: LineIndex,
  line: number,
  newline: Newline,
  signal: AbortSignal,
): Promise<number> {
  const from = await locate(text, index, line, signal);
  const to = await locate(text, index, line + 1, signal);
  let units = 0;
  const piece = new Uint8Array(Math.min(COUNT_BYTES, to - from));
  for (let at = from; at < to; ) {
    throwIfAborted(signal);
    const filled = await text.readInto(piece.subarray(0, Math.min(piece.length, to - at)), at);
    if (filled === 0) break;
    units += unitsIn(piece.subarray(0, filled));
    at += filled;
  }
  const tail = await text.read(Math.max(from, to - 2), to - Math.max(from, to - 2));
  const ends = tail.at(-1) === newline ? (newline === 10 && tail.at(-2) === 13 ? 2 : 1) : 0;
  return units - ends;
}
