// Tells whether bytes or characters can be text at all, by properties common to all scripts: no control characters,
// words separated by spaces and punctuation, assigned characters. Does not guess an encoding.

import type { Bytes } from '../contract/index.ts';

/**
 * Bell (it ends a terminal's OSC sequence), backspace, tab, line feed, vertical tab, form feed, carriage return, end of
 * file (Ctrl-Z), shift, escape.
 */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([7, 8, 9, 10, 11, 12, 13, 14, 15, 26, 27]);

/** Number of control characters that text does not use, not counting NUL. */
export function strayControls(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte > 0 && byte < 0x20 && !TEXT_CONTROLS.has(byte)) count += 1;
  return count;
}

/** White space and punctuation that separates words and fields; the same byte in every encoding that extends ASCII. */
const SEPARATORS: ReadonlySet<number> = new Set([...Buffer.from(' \t\n\r,;.|"')]);

/** Below this many bytes the shares are not meaningful. */
const COUNTABLE: Bytes = 64;

/**
 * Statistics that separate legacy text from other data before trying any encoding. Measured on 2,800 texts in 40
 * encodings and 700 binary files: share of separators (text has 8 % or more, dense data 5 % or less), and bits of
 * entropy per byte (single-byte text has at most 5.2, dense data mostly 5.4 or more).
 */
export interface ByteProfile {
  /** Few enough control characters. */
  readonly clean: boolean;
  /** Mostly ASCII, separated into words, or too short to tell. */
  readonly parted: boolean;
  /** Uses few distinct bytes often, as an alphabet does. */
  readonly repetitive: boolean;
}

export function profileOf(bytes: Uint8Array): ByteProfile {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1;
  let high = 0;
  let separators = 0;
  let entropy = 0;
  for (const [byte, count] of counts.entries()) {
    if (count === 0) continue;
    if (byte >= 0x80) high += count;
    if (SEPARATORS.has(byte)) separators += count;
    entropy -= (count / bytes.length) * Math.log2(count / bytes.length);
  }
  return {
    clean: strayControls(bytes) <= 1 + bytes.length / 500,
    parted: bytes.length < COUNTABLE || high * 10 < bytes.length || separators * 16 >= bytes.length,
    repetitive: entropy < 5.3,
  };
}

/** Control characters, unpaired surrogates, private and unassigned characters, and U+FFFD. */
const IMPLAUSIBLE = /[\p{Cn}\p{Co}\p{Cs}\p{Cc}\ufffd]/gu;

/** Number of characters in `text` that text does not use. */
export function implausibleIn(text: string): number {
  let count = 0;
  for (const [character] of text.matchAll(IMPLAUSIBLE))
    if (!TEXT_CONTROLS.has(character.charCodeAt(0))) count += 1;
  return count;
}
