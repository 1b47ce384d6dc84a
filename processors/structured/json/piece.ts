// Cuts pieces for a walk over JSON: where children end in raw bytes, how much of a string is whole, and the line that
// names a place. Pure functions.

import { type Extent, oneLine, safeCut } from '../../../src/contract/index.ts';

import { BYTE, cutRaw, endOfString, type RawCut } from './raw.ts';

const CR = 13;
/** Maximum length of a place name in a view, in UTF-16 units. */
const MAX_NAME_LENGTH = 120;

/** The line that names a piece: `/items, items 51-80 of 100000:`. Sanitised and bounded. */
export function placeLine({ unit, name = '', from, to }: Extent, of: number | undefined): string {
  const flat = oneLine(name);
  const half = MAX_NAME_LENGTH / 2;
  const short =
    flat.length > MAX_NAME_LENGTH
      ? `${flat.slice(0, safeCut(flat, half))}…${flat.slice(flat.length - half)}`
      : flat;
  const range = from === to ? `${unit} ${from}` : `${unit}s ${from}-${to}`;
  return `${short === '' ? '' : `${short}, `}${range}${of === undefined ? '' : ` of ${of}`}:\n`;
}

/** End offsets of the children that are complete in `bytes`, which start at a child; at most `most` of them. */
export function childrenIn(bytes: Uint8Array, most: number): number[] {
  const ends: number[] = [];
  let depth = 0;
  let end = 0;
  for (let index = 0; index < bytes.length && ends.length < most; index++) {
    const byte = bytes[index] ?? 0;
    if (byte === BYTE.quote) {
      const past = endOfString(bytes, index + 1);
      if (past < 0) return ends;
      end = past;
      index = past - 1;
      continue;
    }
    const bracket = byte | 0x20;
    if (bracket === BYTE.openObject) depth++;
    else if (bracket === BYTE.closeObject) {
      if (depth === 0) {
        ends.push(end);
        return ends;
      }
      depth--;
    } else if (byte === BYTE.comma && depth === 0) {
      ends.push(end);
      continue;
    }
    if (byte > 0x20) end = index + 1;
  }
  return ends;
}

/**
 * End offsets of the records that are complete in `bytes`, which start at one; blank lines belong to the record after
 * them. `final`: nothing follows `bytes`, so that the last record needs no line end, and blank lines at the end are its.
 */
export function rowsIn(bytes: Uint8Array, newline: number, final: boolean): number[] {
  const ends: number[] = [];
  let open = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, open)) {
    const isBlank = at === open || (at === open + 1 && bytes[open] === CR);
    if (!isBlank) ends.push(at + 1);
    open = at + 1;
  }
  const rest = bytes.length - open;
  const isRecord = rest > 1 || (rest === 1 && bytes[open] !== CR);
  if (final && isRecord) ends.push(bytes.length);
  else if (final && ends.length > 0) ends[ends.length - 1] = bytes.length;
  return ends;
}

/** The longest run of whole characters and escapes within the first `length` units of `raw`, the text of `bytes`. */
export function cutWhole(bytes: Uint8Array, raw: string, length: number): RawCut {
  const kept = raw.slice(0, safeCut(raw, length));
  const limit = kept.length === raw.length ? bytes.length : Buffer.byteLength(kept);
  const cut = cutRaw(bytes, 0, Math.min(bytes.length, limit));
  // Keep an escaped surrogate pair together.
  const pair = /\\u[dD][89abAB][0-9a-fA-F]{2}$/.test(kept.slice(-6)) && cut.end > 6;
  if (pair && /^\\u[dD][c-fC-F]/.test(raw.slice(kept.length, kept.length + 6)))
    return { end: cut.end - 6, units: cut.units - 1, closed: false };
  return cut;
}
