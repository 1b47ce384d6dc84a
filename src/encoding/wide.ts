// Detects UTF-16 and UTF-32 without a byte order mark, by zero bytes, line ends and punctuation.

import type { Guess } from './guess.ts';
import { implausibleIn } from './plausible-text.ts';

/** UTF-16 or UTF-32 without a mark, if decoding gives plausible text. */
export function wideWithoutMark(head: Uint8Array): Guess | undefined {
  const guess = wideByZeros(head);
  return guess && isWideText(head.subarray(0, 16 * 1024), guess.name) ? guess : undefined;
}

function isWideText(bytes: Uint8Array, name: string): boolean {
  const text = name.startsWith('utf-32') ? utf32Text(bytes, name) : new TextDecoder(name).decode(bytes);
  // The last character may be cut in half.
  return implausibleIn(text.slice(0, -1)) * 100 <= text.length;
}

function utf32Text(bytes: Uint8Array, name: string): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length & ~3);
  const characters: string[] = [];
  for (let at = 0; at < view.byteLength; at += 4) {
    const code = view.getUint32(at, name === 'utf-32le');
    characters.push(code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code));
  }
  return characters.join('');
}

/** By the position of the zero bytes in ASCII characters. */
function wideByZeros(head: Uint8Array): Guess | undefined {
  const length = Math.min(head.length, 4096) & ~3;
  if (length < 4) return undefined;
  const zeros = [0, 0, 0, 0];
  for (let i = 0; i < length; i += 1) if (head[i] === 0) zeros[i & 3] = (zeros[i & 3] ?? 0) + 1;
  const share = zeros.map((count) => count / (length / 4));
  const [a = 0, b = 0, c = 0, d = 0] = share;
  // The highest code point is U+10FFFF, so one byte of four is always zero and the next nearly always.
  if (d === 1 && c > 0.98 && a < 0.5) return { name: 'utf-32le', confidence: 0.95, mark: 0 };
  if (a === 1 && b > 0.98 && d < 0.5) return { name: 'utf-32be', confidence: 0.95, mark: 0 };
  // Half a page of another script still has spaces, digits and line ends, hence the low threshold on one side only.
  const even = (a + c) / 2;
  const odd = (b + d) / 2;
  if (Math.max(even, odd) < 0.9 && isAsciiOrZero(head.subarray(0, length))) return undefined;
  if (even < 0.01 && odd > 0.1) return { name: 'utf-16le', confidence: Math.min(1, 0.6 + odd / 2), mark: 0 };
  if (odd < 0.01 && even > 0.1) return { name: 'utf-16be', confidence: Math.min(1, 0.6 + even / 2), mark: 0 };
  return even + odd > 0 ? wideIdeographs(head.subarray(0, length)) : undefined;
}

/**
 * Single-byte text with zero bytes between, such as `key\0value`. UTF-16 of other scripts has bytes from 0x80 or
 * control characters, and UTF-16 of ASCII has a zero in every unit.
 */
function isAsciiOrZero(bytes: Uint8Array): boolean {
  return bytes.every(
    (byte) => byte === 0 || (byte >= 0x20 && byte < 0x7f) || byte === 9 || byte === 10 || byte === 13,
  );
}

/** Line ends, spaces and punctuation found in UTF-16 text of any script, which read as letters when byte-swapped. */
const COMMON_UNITS: ReadonlySet<number> = new Set([
  0x0a, 0x0d, 0x20, 0x2c, 0x2e, 0x3000, 0x3001, 0x3002, 0xff0c,
]);

/** UTF-16 of scripts whose characters have no zero bytes, recognised by its line ends and punctuation. */
function wideIdeographs(bytes: Uint8Array): Guess | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const little of [true, false]) {
    let common = 0;
    let swapped = 0;
    let odd = 0;
    for (let at = 0; at < bytes.length; at += 2) {
      const unit = view.getUint16(at, little);
      if (COMMON_UNITS.has(unit)) common += 1;
      if (COMMON_UNITS.has(((unit & 0xff) << 8) | (unit >> 8))) swapped += 1;
      if ((unit < 0x20 && !COMMON_UNITS.has(unit) && unit !== 9) || (unit >= 0xd800 && unit < 0xf900))
        odd += 1;
    }
    const units = bytes.length / 2;
    if (common > units / 100 && common > 4 * swapped && odd === 0)
      return { name: little ? 'utf-16le' : 'utf-16be', confidence: 0.7, mark: 0 };
  }
  return undefined;
}
