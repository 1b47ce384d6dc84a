// Counts the tokens of text exactly and in linear time, and finds the longest prefix within a token limit.

import { isInsidePair, quoted, ReaderError } from '../contract/index.ts';
import { mergedCount } from './merge.ts';
import { PieceCache } from './piece-cache.ts';
import { cl100kPieceEnd, o200kPieceEnd, type PieceEnd } from './pieces.ts';
import {
  type EncodingName,
  loadVocabulary,
  MAX_TOKEN_BYTES,
  NO_RANK,
  type Vocabulary,
} from './vocabulary.ts';

/**
 * Counts like js-tiktoken's `encode(text, [], [])`: text that looks like a special token is plain text, a lone
 * surrogate is U+FFFD. Linear time for any text.
 */
export interface TokenCounter {
  readonly encoding: EncodingName;
  count(text: string): number;
  /** The exact cost if it is at most `max`; otherwise any number above `max`. Stops early. */
  countUpTo(text: string, max: number): number;
  /** Whether `text` costs at most `tokens`. Does not count if the length decides. */
  fits(text: string, tokens: number): boolean;
  /**
   * Length in UTF-16 units of the longest prefix that costs at most `tokens`; never splits a surrogate pair. Inside a
   * piece of more than 256 units (such as a long run of letters) the prefix ends with a token, which can be a few units
   * shorter than the longest.
   */
  prefix(text: string, tokens: number): number;
}

const PIECE_ENDS: Readonly<Record<EncodingName, PieceEnd>> = {
  cl100k_base: cl100kPieceEnd,
  o200k_base: o200kPieceEnd,
};

/** Maximum UTF-8 bytes per UTF-16 unit. */
const MAX_UNIT_BYTES = 3;
/** Longer pieces are cut at a token; others are tried at every character. */
const LONG_PIECE = 256;
/** Size of the reused buffer; longer pieces allocate their own. */
const BUFFER_BYTES = 3 * 4096;

/** State shared by the counters of one encoding. */
interface Table {
  readonly pieceEnd: PieceEnd;
  readonly vocabulary: Vocabulary;
  readonly costs: PieceCache;
}

const tables = new Map<EncodingName, Table>();
const encoder = new TextEncoder();
const buffer = new Uint8Array(BUFFER_BYTES);

function tableOf(encoding: EncodingName): Table {
  let table = tables.get(encoding);
  if (!table) {
    table = { pieceEnd: PIECE_ENDS[encoding], vocabulary: loadVocabulary(encoding), costs: new PieceCache() };
    tables.set(encoding, table);
  }
  return table;
}

/** Contains the bytes of `text[from, to)`, up to `written`. */
interface Encoded {
  readonly bytes: Uint8Array;
  readonly written: number;
}

function encode(text: string, from: number, to: number): Encoded {
  const units = to - from;
  if (units * MAX_UNIT_BYTES > buffer.length) {
    const bytes = encoder.encode(text.slice(from, to));
    return { bytes, written: bytes.length };
  }
  const bytes = buffer;
  for (let at = 0; at < units; at++) {
    const unit = text.charCodeAt(from + at);
    if (unit > 0x7f) return { bytes, written: encoder.encodeInto(text.slice(from, to), bytes).written };
    bytes[at] = unit;
  }
  return { bytes, written: units };
}

/** Tokens of one piece, `text[from, to)`. */
function pieceCount({ vocabulary, costs }: Table, text: string, from: number, to: number): number {
  const { bytes, written } = encode(text, from, to);
  if (vocabulary.rank(bytes, 0, written) !== NO_RANK) return 1;
  return costs.costOf(bytes, written, () => mergedCount(vocabulary, bytes, written));
}

/**
 * A counter of `encoding`. The first count loads the token table.
 * @throws {ReaderError} BAD_INPUT for an unknown encoding
 */
export function createTokenCounter(encoding: EncodingName = 'cl100k_base'): TokenCounter {
  if (!Object.hasOwn(PIECE_ENDS, encoding))
    throw new ReaderError(
      'BAD_INPUT',
      `Unknown encoding ${quoted(String(encoding))}; expected ${Object.keys(PIECE_ENDS).map(quoted).join(' or ')}.`,
      'Use `cl100k_base`.',
    );
  return {
    encoding,
    count: (text) => countUpTo(tableOf(encoding), text, Number.POSITIVE_INFINITY),
    countUpTo: (text, max) => countUpTo(tableOf(encoding), text, max),
    fits(text, tokens) {
      if (text.length * MAX_UNIT_BYTES <= tokens) return true;
      if (text.length > tokens * MAX_TOKEN_BYTES) return false;
      return countUpTo(tableOf(encoding), text, tokens) <= tokens;
    },
    prefix(text, tokens) {
      if (!(tokens > 0)) return 0;
      if (text.length * MAX_UNIT_BYTES <= tokens) return text.length;
      return prefix(tableOf(encoding), text, tokens);
    },
  };
}

function countUpTo(table: Table, text: string, max: number): number {
  let tokens = 0;
  for (let from = 0; from < text.length && tokens <= max; ) {
    const to = table.pieceEnd(text, from);
    // Skip merging a piece whose minimum cost exceeds the rest.
    const least = Math.ceil((to - from) / MAX_TOKEN_BYTES);
    tokens += tokens + least > max ? least : pieceCount(table, text, from, to);
    from = to;
  }
  return tokens;
}

function prefix(table: Table, text: string, tokens: number): number {
  let before = 0;
  let beforeStart = 0;
  let spent = 0;
  let start = 0;
  while (start < text.length) {
    const end = table.pieceEnd(text, start);
    const least = Math.ceil((end - start) / MAX_TOKEN_BYTES);
    const cost = spent + least > tokens ? least : pieceCount(table, text, start, end);
    if (spent + cost > tokens) {
      const fits = (cut: number): boolean => {
        // A cut after the space before a word changes the previous piece: white space then includes that space.
        const [from, left] = cut === start + 1 ? [beforeStart, tokens - before] : [start, tokens - spent];
        return countUpTo(table, text.slice(from, cut), left) <= left;
      };
      return end - start > LONG_PIECE
        ? cutAtToken(table.vocabulary, text, start, end, tokens - spent, fits)
        : cutAtCharacter(text, start, end, fits);
    }
    before = spent;
    beforeStart = start;
    spent += cost;
    start = end;
  }
  return text.length;
}

/** The last fitting cut of a piece, or of the white space before it, searched from the end. */
function cutAtCharacter(text: string, start: number, end: number, fits: (cut: number) => boolean): number {
  for (let cut = Math.min(end + 1, text.length); cut > start; cut--)
    if (!isInsidePair(text, cut) && fits(cut)) return cut;
  return start;
}

/** The end of the last token of a piece that fits and ends at a character boundary. */
function cutAtToken(
  vocabulary: Vocabulary,
  text: string,
  start: number,
  end: number,
  tokens: number,
  fits: (cut: number) => boolean,
): number {
  // More bytes than this cannot fit.
  let window = Math.min(end, start + (tokens + 1) * MAX_TOKEN_BYTES);
  if (isInsidePair(text, window)) window--;
  const { bytes, written } = encode(text, start, window);
  const cuts: number[] = [];
  let bytesBefore = 0;
  let unit = start;
  const tokenEnds: number[] = [];
  mergedCount(vocabulary, bytes, written, tokenEnds);
  for (const boundary of tokenEnds.slice(0, tokens)) {
    while (unit < window) {
      const width = bytesAt(text, unit);
      if (bytesBefore + width > boundary) break;
      bytesBefore += width;
      unit += isInsidePair(text, unit + 1) ? 2 : 1;
    }
    cuts.push(unit);
  }
  for (let at = cuts.length - 1; at >= 0; at--) {
    const cut = cuts[at] ?? start;
    if (cut > start && fits(cut)) return cut;
  }
  return start;
}

/** UTF-8 length of the character at `at`. */
function bytesAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit < 0x80 ? 1 : unit < 0x800 ? 2 : isInsidePair(text, at + 1) ? 4 : 3;
}
