// Finds the values that a pattern of pointer tokens names in JSON text, in one pass over pieces of any size. What the
// pattern does not name is skipped at scan speed. Keeps one frame per token; the text may have any size and depth.

import type { Bytes } from '../../../../src/contract/index.ts';
import { JsonSkipper } from '../../../../src/scan/index.ts';
import { isBlankByte } from '../../byte-window.ts';
import { itemIndex, WILDCARD } from '../../pointer.ts';
import { closing, JsonSyntaxError, unexpected } from '../cursor.ts';
import {
  BYTE,
  decodedString,
  endOfString,
  endsLiteral,
  isLiteral,
  rawText,
  trailingBackslashes,
  valueEnd,
} from '../raw.ts';

/** Strings and numbers up to this size are passed to a sink whole. */
export const MAX_HELD_BYTES: Bytes = 16 * 1024 * 1024;
/** What a sink gets of a longer string. */
const PREFIX_BYTES = 4096;
/** Bytes looked at before the scanner is called. */
const NEAR_END_BYTES = 256;
/** Digits of a longer number are not plausible. */
const MAX_NUMBER_BYTES: Bytes = 1024 * 1024;

/** Receives the matches of a scan, in document order. */
export interface Sink {
  /** A match begins at the byte `start`. */
  begin(start: Bytes, scan: MatchScan): void;
  /** It is the string whose raw content is `bytes[from, to)`. */
  string(bytes: Uint8Array, from: number, to: number): void;
  /** It is a string too long to be held, with this beginning. */
  longString(prefix: Uint8Array): void;
  /** It is the valid number or the name `bytes[from, to)`. */
  literal(bytes: Uint8Array, from: number, to: number): void;
  container(isArray: boolean): void;
  /** It ends before the byte `end`. @returns true to pause the scan */
  end(end: Bytes): boolean;
  /** A value has nothing that the token at `level` names. */
  missing(level: number): void;
}

/** A place in a pattern: for each container on the way, its current child. */
export interface Place {
  readonly isArray: boolean;
  /** 0-based number of the child; in an object, of the member. */
  readonly index: number;
  /** The raw content of its key as byte offsets; equal in an array. */
  readonly keyStart: Bytes;
  readonly keyEnd: Bytes;
}

/** Where a match begins; a scan can continue there. */
export interface MatchStart {
  readonly at: Bytes;
  readonly places: readonly Place[];
}

const STATE = {
  value: 0,
  firstItem: 1,
  firstKey: 2,
  key: 3,
  colon: 4,
  after: 5,
  skip: 6,
  string: 7,
  done: 8,
} as const;
type State = (typeof STATE)[keyof typeof STATE];

/** What a skipped container or a long string is. */
const ROLE = { unwanted: 0, match: 1, rest: 2, key: 3 } as const;
type Role = (typeof ROLE)[keyof typeof ROLE];

interface Frame {
  isArray: boolean;
  index: number;
  keyStart: Bytes;
  keyEnd: Bytes;
  /** The child that a literal token names was found. */
  found: boolean;
}

interface Token {
  readonly any: boolean;
  /** As the name of a member. */
  readonly text: string;
  readonly bytes: Uint8Array;
  /** As the index of an item; -1 if it is not an index. */
  readonly index: number;
}

export class MatchScan {
  readonly #tokens: readonly Token[];
  readonly #sink: Sink;
  readonly #frames: Frame[];
  readonly #skipper = new JsonSkipper();
  #depth = 0;
  /** Frames that stay open: 1 for a record of JSON Lines. */
  #floor = 0;
  #state: State = STATE.value;
  #role: Role = ROLE.unwanted;
  /** Of the container being skipped, or of a string. */
  #opening: Bytes = 0;
  #open = 0;
  /** Nothing of the container was skipped yet. */
  #isFresh = false;
  /** The key before the colon names the wanted member. */
  #wanted = false;
  #base: Bytes = 0;
  paused = false;

  constructor(tokens: readonly string[], sink: Sink) {
    this.#tokens = tokens.map((text) => ({
      any: text === WILDCARD,
      text,
      bytes: Buffer.from(text),
      index: itemIndex(text, Number.MAX_SAFE_INTEGER) ?? -1,
    }));
    this.#frames = tokens.map(() => ({ isArray: true, index: 0, keyStart: 0, keyEnd: 0, found: false }));
    this.#sink = sink;
  }

  get done(): boolean {
    return this.#state === STATE.done;
  }

  /** True if the first token names item `index` of the records. */
  names(index: number): boolean {
    const token = this.#tokens[0];
    return token !== undefined && (token.any || token.index === index);
  }

  /** Starts at the record of JSON Lines with this 0-based number, which the first token names. */
  beginRecord(index: number): void {
    Object.assign(this.#frame(0), { isArray: true, index, keyStart: 0, keyEnd: 0, found: true });
    this.#depth = 1;
    this.#floor = 1;
    this.#state = STATE.value;
  }

  /** Starts at a match; `isRecord` if its first place is a record of JSON Lines. */
  resume({ places }: MatchStart, isRecord: boolean): void {
    for (const [level, place] of places.entries()) Object.assign(this.#frame(level), place, { found: true });
    this.#depth = places.length;
    this.#floor = isRecord ? 1 : 0;
    this.#wanted = true;
    this.#state = STATE.value;
  }

  /** The way to the current match. */
  places(): Place[] {
    return this.#frames.map(({ isArray, index, keyStart, keyEnd }) => ({ isArray, index, keyStart, keyEnd }));
  }

  /**
   * Reads on in `bytes` from `from`; `base` is the offset of their first byte, `final` says that none follow.
   * @returns the index up to which the bytes are consumed: the rest must come again, with more behind it. Stops early
   * when done or paused
   * @throws {JsonSyntaxError}
   */
  push(bytes: Uint8Array, from: number, base: Bytes, final: boolean): number {
    this.#base = base;
    this.paused = false;
    const to = bytes.length;
    let at = from;
    while (!this.paused && this.#state !== STATE.done) {
      if (this.#state === STATE.skip || this.#state === STATE.string) {
        const end = this.#state === STATE.skip ? this.#skip(bytes, at) : this.#passString(bytes, at);
        if (end < 0) {
          if (!final) return ~end;
          throw unclosed(this.#open, this.#opening);
        }
        at = end;
        continue;
      }
      while (at < to && isBlankByte(bytes[at] ?? 0)) at++;
      if (at === to) {
        if (final) throw unexpected(-1, this.#expected(), base + at);
        return at;
      }
      const end = this.#step(bytes, at, final);
      if (end < 0) return at;
      at = end;
    }
    return at;
  }

  #frame(level: number): Frame {
    const frame = this.#frames[level];
    if (!frame) throw new TypeError('A frame is missing.');
    return frame;
  }

  /** @returns the index after the next token, -1 if it is not complete */
  #step(bytes: Uint8Array, at: number, final: boolean): number {
    const byte = bytes[at] ?? 0;
    switch (this.#state) {
      case STATE.firstItem:
        if (byte === BYTE.closeArray) return this.#close(at);
        this.#state = STATE.value;
        return this.#child(bytes, at, final);
      case STATE.value:
        return this.#depth === this.#floor || this.#frames[this.#depth - 1]?.isArray === false
          ? this.#value(bytes, at, final)
          : this.#child(bytes, at, final);
      case STATE.firstKey:
      case STATE.key:
        if (byte === BYTE.closeObject && this.#state === STATE.firstKey) return this.#close(at);
        if (byte !== BYTE.quote) throw unexpected(byte, this.#expected(), this.#base + at);
        return this.#key(bytes, at, final);
      case STATE.colon:
        if (byte !== BYTE.colon) throw unexpected(byte, '`:`', this.#base + at);
        this.#state = STATE.value;
        return at + 1;
      default:
        return this.#after(byte, at);
    }
  }

  /** The item at `at` of the innermost array. */
  #child(bytes: Uint8Array, at: number, final: boolean): number {
    const frame = this.#frame(this.#depth - 1);
    const token = this.#tokens[this.#depth - 1];
    this.#wanted = token !== undefined && (token.any || token.index === frame.index);
    return this.#value(bytes, at, final);
  }

  /** The value at `at`, which is a match, leads to matches, or is skipped. */
  #value(bytes: Uint8Array, at: number, final: boolean): number {
    const byte = bytes[at] ?? 0;
    const level = this.#depth;
    const leads = level === this.#floor || this.#wanted;
    if (leads && level > this.#floor) this.#frame(level - 1).found = true;
    const isMatch = leads && level === this.#tokens.length;
    if (byte === BYTE.openArray || byte === BYTE.openObject) {
      const isArray = byte === BYTE.openArray;
      const token = this.#tokens[level];
      if (leads && token && (!isArray || token.any || token.index >= 0)) {
        const frame = this.#frame(level);
        frame.isArray = isArray;
        frame.index = 0;
        frame.keyStart = 0;
        frame.keyEnd = 0;
        frame.found = token.any;
        this.#depth++;
        this.#state = isArray ? STATE.firstItem : STATE.firstKey;
        return at + 1;
      }
      if (isMatch) {
        this.#sink.begin(this.#base + at, this);
        this.#sink.container(isArray);
      } else if (leads) this.#sink.missing(level);
      this.#beginSkip(byte, at, isMatch ? ROLE.match : ROLE.unwanted);
      return at + 1;
    }
    const end =
      byte === BYTE.quote ? this.#stringValue(bytes, at, final, isMatch) : this.#literal(bytes, at, final);
    if (end < 0) return -1;
    if (leads && !isMatch) this.#sink.missing(level);
    if (this.#state === STATE.string) return end;
    if (isMatch) {
      this.#sink.begin(this.#base + at, this);
      if (byte === BYTE.quote) this.#sink.string(bytes, at + 1, end - 1);
      else this.#sink.literal(bytes, at, end);
    }
    return this.#leave(end, isMatch);
  }

  /** Moves on after a value that ends at `end`. */
  #leave(end: number, isMatch: boolean): number {
    this.#state = this.#depth === this.#floor ? STATE.done : STATE.after;
    if (isMatch && this.#sink.end(this.#base + end)) this.paused = true;
    return end;
  }

  #stringValue(bytes: Uint8Array, at: number, final: boolean, isMatch: boolean): number {
    const end = endOfString(bytes, at + 1);
    if (end >= 0) return end;
    this.#noteOpening(BYTE.quote, at);
    if (final) throw unclosed(BYTE.quote, this.#opening);
    if (isMatch && bytes.length - at < MAX_HELD_BYTES) return -1;
    if (isMatch) {
      this.#sink.begin(this.#base + at, this);
      this.#sink.longString(bytes.subarray(at + 1, at + 1 + PREFIX_BYTES));
    }
    this.#state = STATE.string;
    this.#role = isMatch ? ROLE.match : ROLE.unwanted;
    return at + 1;
  }

  #literal(bytes: Uint8Array, at: number, final: boolean): number {
    let end = at;
    while (end < bytes.length && !endsLiteral(bytes[end] ?? 0)) end++;
    if (end === bytes.length && !final && end - at < MAX_NUMBER_BYTES) return -1;
    if (!isLiteral(bytes, at, end)) {
      const text = rawText(bytes, at, Math.min(end, at + 80));
      throw unexpected(text === '' ? (bytes[at] ?? -1) : text, 'a value', this.#base + at);
    }
    return end;
  }

  #key(bytes: Uint8Array, at: number, final: boolean): number {
    const end = endOfString(bytes, at + 1);
    const frame = this.#frame(this.#depth - 1);
    const token = this.#tokens[this.#depth - 1];
    if (end < 0) {
      this.#noteOpening(BYTE.quote, at);
      if (final) throw unclosed(BYTE.quote, this.#opening);
      if (bytes.length - at < MAX_HELD_BYTES) return -1;
      // No token is that long.
      this.#wanted = token?.any === true;
      Object.assign(frame, { keyStart: this.#opening + 1, keyEnd: this.#opening + 1 + PREFIX_BYTES });
      this.#state = STATE.string;
      this.#role = ROLE.key;
      return at + 1;
    }
    frame.keyStart = this.#base + at + 1;
    frame.keyEnd = this.#base + end - 1;
    this.#wanted = token !== undefined && (token.any || isKey(bytes, at + 1, end - 1, token));
    this.#state = STATE.colon;
    return end;
  }

  /** After a child: the next one, the rest of its container if nothing in it is wanted, or the end of it. */
  #after(byte: number, at: number): number {
    const frame = this.#frame(this.#depth - 1);
    const open = frame.isArray ? BYTE.openArray : BYTE.openObject;
    if (byte === open + 2) return this.#close(at);
    if (byte !== BYTE.comma) throw unexpected(byte, this.#expected(), this.#base + at);
    if (frame.found && this.#tokens[this.#depth - 1]?.any === false) {
      this.#beginSkip(open, at, ROLE.rest);
      return at + 1;
    }
    frame.index++;
    this.#state = frame.isArray ? STATE.value : STATE.key;
    return at + 1;
  }

  #close(at: number): number {
    const level = this.#depth - 1;
    if (!this.#frame(level).found) this.#sink.missing(level);
    this.#depth--;
    return this.#leave(at + 1, false);
  }

  #noteOpening(open: number, at: number): void {
    this.#open = open;
    this.#opening = this.#base + at;
  }

  #beginSkip(open: number, at: number, role: Role): void {
    this.#noteOpening(open, at);
    this.#state = STATE.skip;
    this.#role = role;
    this.#isFresh = true;
  }

  /** @returns the index after the container, or the complement of the consumed bytes */
  #skip(bytes: Uint8Array, at: number): number {
    // Most containers are small, and a call of the scanner costs as much as a hundred bytes.
    const near = this.#isFresh ? nearEnd(bytes, at) : -1;
    if (this.#isFresh && near < 0) this.#skipper.begin();
    this.#isFresh = false;
    const end = near >= 0 ? near : this.#skipper.push(bytes, at);
    if (end < 0) return ~bytes.length;
    const close = bytes[end - 1] ?? 0;
    if (close !== this.#open + 2) throw unexpected(close, closing(this.#open), this.#base + end - 1);
    if (this.#role === ROLE.rest) {
      if (near < 0 && this.#skipper.items === 0) throw unexpected(close, 'a value', this.#base + end - 1);
      return this.#close(end - 1);
    }
    return this.#leave(end, this.#role === ROLE.match);
  }

  /** The rest of a string. @returns the index after it, or the complement of the consumed bytes */
  #passString(bytes: Uint8Array, at: number): number {
    const end = endOfString(bytes, at);
    if (end < 0) return ~(bytes.length - (trailingBackslashes(bytes, at) & 1));
    if (this.#role !== ROLE.key) return this.#leave(end, this.#role === ROLE.match);
    this.#state = STATE.colon;
    return end;
  }

  #expected(): string {
    switch (this.#state) {
      case STATE.firstKey:
        return 'a key in double quotes or `}`';
      case STATE.key:
        return 'a key in double quotes';
      case STATE.colon:
        return '`:`';
      case STATE.after:
        return this.#frames[this.#depth - 1]?.isArray === false ? '`,` or `}`' : '`,` or `]`';
      default:
        return 'a value';
    }
  }
}

/** The index after a container near its opening or a comma; -1 if whether a value comes before it is not clear. */
function nearEnd(bytes: Uint8Array, from: number): number {
  const end = valueEnd(bytes, from, from + NEAR_END_BYTES, 1);
  return end === from + 1 || isBlankByte(bytes[end - 2] ?? 0) ? -1 : end;
}

function unclosed(open: number, at: Bytes): JsonSyntaxError {
  const what = open === BYTE.quote ? 'string' : open === BYTE.openArray ? 'array' : 'object';
  return new JsonSyntaxError(`the ${what} that starts here is not closed`, at);
}

function isKey(bytes: Uint8Array, from: number, to: number, token: Token): boolean {
  const { length } = token.bytes;
  if (to - from === length) {
    let at = 0;
    while (at < length && bytes[from + at] === token.bytes[at]) at++;
    if (at === length && !token.text.includes('\\')) return true;
  }
  // An escape takes two to six bytes for one to three.
  if (to - from <= length || to - from > length * 6) return false;
  for (let at = from; at < to; at++)
    if (bytes[at] === BYTE.backslash) return decodedString(bytes, from, to) === token.text;
  return false;
}
