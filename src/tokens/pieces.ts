// Pre-tokenizer: splits a text into the pieces in which byte pairs are merged. Gives the same pieces as the encodings'
// regular expressions, but in linear time for any text.
//
// The patterns are the `pat_str` of js-tiktoken's ranks. Each is a list of alternatives, and the first match wins: a
// contraction; letters with at most one leading sign; up to three digits; signs with at most one leading space and
// trailing line breaks; white space up to its last line break; white space except the last one before a word.

import {
  CASELESS,
  characterEnd,
  kindAt,
  LETTER,
  LOWER,
  MARK,
  NEWLINE,
  NUMBER,
  OTHER,
  SPACE,
  skip,
  UPPER,
} from './characters.ts';

/** End of the piece that starts at `from`, which must be inside `text`. */
export type PieceEnd = (text: string, from: number) => number;

const WHITE = SPACE | NEWLINE;
const SIGN = OTHER | MARK;
/** Characters that may precede a word. */
const LEAD = SPACE | SIGN;
/** Characters at the start of a capitalised word, and those that follow. */
const HEAD = UPPER | CASELESS | MARK;
const TAIL = LOWER | CASELESS | MARK;

const APOSTROPHE = 0x27;
const SLASH = 0x2f;
const BLANK = 0x20;

/** `'s 't 'm 'd 're 've 'll`, in either case; `from` if there is none. */
function contractionEnd(text: string, from: number): number {
  if (text.charCodeAt(from) !== APOSTROPHE) return from;
  // Bit 5 is the case of an ASCII letter. Past the end charCodeAt is NaN, which becomes 0x20 here.
  const first = text.charCodeAt(from + 1) | 0x20;
  const second = text.charCodeAt(from + 2) | 0x20;
  switch (first) {
    case 0x73: // s
    case 0x74: // t
    case 0x6d: // m
    case 0x64: // d
      return from + 2;
    case 0x72: // re
    case 0x76: // ve
      return second === 0x65 ? from + 3 : from;
    case 0x6c: // ll
      return second === 0x6c ? from + 3 : from;
    default:
      return from;
  }
}

function numberEnd(text: string, from: number): number {
  let end = from;
  for (let digits = 0; digits < 3 && kindAt(text, end) === NUMBER; digits++) end = characterEnd(text, end);
  return end;
}

/** Skips the line breaks, and slashes if included, after a run of signs. */
function breaksEnd(text: string, from: number, slashes: boolean): number {
  let end = skip(text, from, NEWLINE);
  while (slashes && text.charCodeAt(end) === SLASH) end = skip(text, end + 1, NEWLINE);
  return end;
}

/** The alternatives shared by both patterns. `from` is not at a letter, number or sign. */
function whiteEnd(text: string, from: number): number {
  const end = skip(text, from, WHITE);
  for (let at = end; at > from; at--) if (kindAt(text, at - 1) === NEWLINE) return at;
  return end === text.length || end === from + 1 ? end : end - 1;
}

/** Skips a run of signs, with a leading space; `from` if there is none. */
function signsEnd(text: string, from: number, slashes: boolean): number {
  const start = text.charCodeAt(from) === BLANK ? from + 1 : from;
  const end = skip(text, start, SIGN);
  return end === start ? from : breaksEnd(text, end, slashes);
}

/** The pieces of `cl100k_base`. */
export const cl100kPieceEnd: PieceEnd = (text, from) => {
  const kind = kindAt(text, from);
  if (kind & LETTER) return skip(text, from, LETTER);
  if (kind === NUMBER) return numberEnd(text, from);
  const contraction = contractionEnd(text, from);
  if (contraction > from) return contraction;
  if (kind & LEAD) {
    const word = characterEnd(text, from);
    const end = skip(text, word, LETTER);
    if (end > word) return end;
    const signs = signsEnd(text, from, false);
    if (signs > from) return signs;
  }
  return whiteEnd(text, from);
};

/**
 * A word that matches `[HEAD]*[TAIL]+`: capitals followed by at least one letter that is not a capital. `from` if there
 * is none.
 */
function wordEnd(text: string, from: number): number {
  const heads = skip(text, from, HEAD);
  const end = skip(text, heads, TAIL);
  if (end > heads) return end;
  // Backtrack as little as possible: to the last letter of the run that is also in TAIL.
  let at = heads;
  while (at > from) {
    const low = text.charCodeAt(at - 1);
    const start =
      (low & 0xfc00) === 0xdc00 && at - 2 >= from && characterEnd(text, at - 2) === at ? at - 2 : at - 1;
    if (kindAt(text, start) & TAIL) return at;
    at = start;
  }
  return from;
}

/** The pieces of `o200k_base`. */
export const o200kPieceEnd: PieceEnd = (text, from) => {
  const kind = kindAt(text, from);
  if (kind === NUMBER) return numberEnd(text, from);
  if (kind !== NEWLINE) {
    const lead = kind & LEAD ? characterEnd(text, from) : from;
    // Try each word pattern with the leading sign first, then without, because a mark may be either.
    if (lead > from) {
      const led = wordEnd(text, lead);
      if (led > lead) return contractionEnd(text, led);
    }
    const end = wordEnd(text, from);
    if (end > from) return contractionEnd(text, end);
    const capitals = skip(text, lead, HEAD);
    if (capitals > lead) return contractionEnd(text, capitals);
    const signs = signsEnd(text, from, true);
    if (signs > from) return signs;
  }
  return whiteEnd(text, from);
};
