// Raw bytes of JSON: where strings and containers end, which literals are valid, and the text of a string.

import { decodeUtf8, isBlankByte } from '../byte-window.ts';

export const BYTE = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  backslash: 0x5c,
  openArray: 0x5b,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/** True for a byte that ends a number or a name. */
export const endsLiteral = (byte: number): boolean =>
  isBlankByte(byte) ||
  byte === BYTE.comma ||
  byte === BYTE.closeArray ||
  byte === BYTE.closeObject ||
  byte === BYTE.colon ||
  byte === BYTE.quote ||
  byte === BYTE.openArray ||
  byte === BYTE.openObject;

/** A run of raw string bytes. */
export interface RawCut {
  /** Index after the last whole character or escape. */
  readonly end: number;
  /** Decoded length in UTF-16 units. */
  readonly units: number;
  /** True if the closing quote is at `end`. */
  readonly closed: boolean;
}

/**
 * Scans raw string bytes from `from` to the closing quote, in whole characters and escapes. Stops before one that is
 * cut off by `to` or that would exceed `units`.
 */
export function cutRaw(
  bytes: Uint8Array,
  from: number,
  to: number,
  units: number = Number.POSITIVE_INFINITY,
): RawCut {
  let at = from;
  let taken = 0;
  while (at < to) {
    const byte = bytes[at] ?? 0;
    if (byte === BYTE.quote) return { end: at, units: taken, closed: true };
    let length = 1;
    let cost = 1;
    if (byte === BYTE.backslash) {
      if (at + 1 >= to) break;
      length = bytes[at + 1] === 0x75 ? 6 : 2;
    } else if (byte >= 0x80) {
      length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
      cost = byte >= 0xf0 ? 2 : byte >= 0xc0 ? 1 : 0;
    }
    if (at + length > to || taken + cost > units) break;
    at += length;
    taken += cost;
  }
  return { end: at, units: taken, closed: false };
}

/** The index of the first byte from `from` on that is not white space. */
export function afterSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isBlankByte(bytes[at] ?? 0)) at++;
  return at;
}

export const rawText = (bytes: Uint8Array, from: number, to: number): string =>
  decodeUtf8(bytes.subarray(from, to));

/**
 * The index after the value at `from`; at `open` 1, after the container whose content, or a rest of it, starts there. -1
 * if that is not before `to`.
 */
export function valueEnd(bytes: Uint8Array, from: number, to: number, open = 0): number {
  let depth = open;
  for (let at = from; at < Math.min(to, bytes.length); at++) {
    const byte = bytes[at] ?? 0;
    const bracket = byte | 0x20;
    if (byte === BYTE.quote) {
      const end = endOfString(bytes, at + 1);
      if (end < 0 || depth === 0) return end;
      at = end - 1;
    } else if (bracket === BYTE.openObject) depth++;
    else if (bracket === BYTE.closeObject) {
      if (depth === 0) return at;
      depth--;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && byte === BYTE.comma) return at;
  }
  return -1;
}

/** Bytes looked at one by one before searching for a quote. */
const NEAR_BYTES = 48;

/** The index after the closing quote of a string whose content, or a whole rest of it, starts at `from`; -1 if none. */
export function endOfString(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; ) {
    for (const near = Math.min(bytes.length, at + NEAR_BYTES); at < near; at++) {
      const byte = bytes[at];
      if (byte === BYTE.quote) return at + 1;
      if (byte === BYTE.backslash) at++;
    }
    const quote = bytes.indexOf(BYTE.quote, at);
    if (quote < 0) return -1;
    let before = quote;
    while (before > at && bytes[before - 1] === BYTE.backslash) before--;
    if (((quote - before) & 1) === 0) return quote + 1;
    at = quote + 1;
  }
  return -1;
}

/** The text of raw string bytes; undefined if they are not valid. */
export function decodedString(bytes: Uint8Array, from: number, to: number): string | undefined {
  const text = rawText(bytes, from, to);
  try {
    // A string literal parses to a string.
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return undefined;
  }
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** True for `true`, `false`, `null` and numbers of RFC 8259. */
export function isLiteral(bytes: Uint8Array, from: number, to: number): boolean {
  const first = bytes[from];
  if (first === 0x74 || first === 0x66 || first === 0x6e) {
    const name = first === 0x74 ? 'true' : first === 0x66 ? 'false' : 'null';
    if (to - from !== name.length) return false;
    for (let at = 0; at < name.length; at++) if (bytes[from + at] !== name.charCodeAt(at)) return false;
    return true;
  }
  let at = first === 0x2d ? from + 1 : from;
  const pass = (): boolean => {
    const start = at;
    while (at < to && isDigit(bytes[at])) at++;
    return at > start;
  };
  const zero = bytes[at] === 0x30;
  const digits = at;
  if (!pass() || (zero && at > digits + 1)) return false;
  if (bytes[at] === 0x2e && at < to) {
    at++;
    if (!pass()) return false;
  }
  if (at < to && ((bytes[at] ?? 0) | 0x20) === 0x65) {
    at++;
    if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++;
    if (!pass()) return false;
  }
  return at === to;
}
