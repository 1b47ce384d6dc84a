// Cuts a text into the pieces that byte pairs are merged in, as the encodings' patterns do with a regular expression:
// the same pieces, but visits every character of any text a bounded number of times.
//
// The patterns are the `pat_str` of js-tiktoken's ranks. Each is a list of alternatives, the first that matches wins:
// a contraction; letters with at most one leading sign; up to three digits; signs with at most one leading space and
// the line breaks after them; white space up to its last line break; white space short of the last before a word.

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

/** Where the piece that starts at `from`, which must lie inside `text`, ends. */
export type PieceEnd = (text: string, from: number) => number;

const WHITE = SPACE | NEWLINE;
const SIGN = OTHER | MARK;
/** What may lead a word. */
const LEAD = SPACE | SIGN;
/** What a capitalised word begins with, and what it goes on with. */
const HEAD = UPPER | CASELESS | MARK;
const TAIL = LOWER | CASELESS | MARK;

const APOSTROPHE = 0x27;
const SLASH = 0x2f;
const BLANK = 0x20;

/** `'s 't 'm 'd 're 've 'll`, in either case; `from` itself when there is none. */
function contractionEnd(text: string, from: number): number {
  if (text.charCodeAt(from) !== APOSTROPHE) return from;
  // Bit 5 is what tells ASCII letters' cases apart; charCodeAt is NaN, here 0x20, past the end.
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

/** The line breaks, and slashes if they count, after a run of signs. */
function breaksEnd(text: string, from: number, slashes: boolean): number {
  let end = skip(text, from, NEWLINE);
  while (slashes && text.charCodeAt(end) === SLASH) end = skip(text, end + 1, NEWLINE);
  return end;
}

/** Both patterns end alike; `from` holds no letter, number, or sign. */
function whiteEnd(text: string, from: number): number {
  const end = skip(text, from, WHITE);
  for (let at = end; at > from; at--) if (kindAt(text, at - 1) === NEWLINE) return at;
  return end === text.length || end === from + 1 ? end : end - 1;
}

/** Signs, with the space before them if `from` is at one; `from` itself when there are none. */
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
 * A word whose capitals come first and which has at least one letter that is no capital: `[HEAD]*[TAIL]+`. `from`
 * itself when there is none.
 */
function wordEnd(text: string, from: number): number {
  const heads = skip(text, from, HEAD);
  const end = skip(text, heads, TAIL);
  if (end > heads) return end;
  // The run of heads gives back as little as it can: up to the last of its letters that are also tails.
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
    // Each pattern of a word is tried with the leading sign first, then, as a mark may be either, without.
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
