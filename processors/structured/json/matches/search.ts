// Finds the values that a pattern of pointer tokens names in JSON, in one pass: one document, or JSON Lines, where a
// damaged record ends alone. Small values are searched in the loaded bytes; only what is larger is read token by token.

import { type Bytes, type Source, throwIfAborted } from '../../../../src/contract/index.ts';
import { itemIndex, WILDCARD } from '../../pointer.ts';
import { TextWindow } from '../../text-window.ts';
import { pointerTo } from '../../tree/extents.ts';
import { closing, JsonCursor, JsonSyntaxError, unexpected } from '../cursor.ts';
import {
  afterSpace,
  BYTE,
  decodedString,
  endOfString,
  endsLiteral,
  isLiteral,
  rawText,
  valueEnd,
} from '../raw.ts';

/** What to search. */
export interface Searched {
  readonly source: Source;
  readonly tokens: readonly string[];
  /** The pointer of the value that the tokens are relative to, and its start. */
  readonly prefix: string;
  readonly start: Bytes;
  /** The byte that ends a record of JSON Lines; undefined for one document. */
  readonly newline: number | undefined;
  readonly signal: AbortSignal;
}

/** What a search found wrong. */
export interface Damage {
  /** Where a document ends to be valid. */
  error?: JsonSyntaxError;
  /** 1-based numbers of the first records that are not valid, and how many there are. */
  readonly records: number[];
  badRecords: number;
}

/** A value: its bytes, or where they are in the source if they are too many. `pointer` is empty unless asked for. */
export interface Match {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  readonly start: Bytes;
  readonly end: Bytes;
  readonly pointer: string;
}

/** Receives the matches of a search, in document order. */
export interface Sink {
  /** Pointers are needed. */
  readonly named: boolean;
  match(match: Match): void;
  /** A value has nothing that the token at `level` names. */
  missing(level: number): void;
}

/** A child of the outermost container, or a record: a search can start there. `number`: its first match. */
export interface Start {
  readonly at: Bytes;
  readonly index: number;
  readonly number: number;
}

interface Token {
  readonly any: boolean;
  /** As the name of a member. */
  readonly text: string;
  readonly bytes: Uint8Array;
  /** As the index of an item; -1 if it is not an index. */
  readonly index: number;
}

/** Scalars up to this size are passed to a sink whole. */
const MAX_HELD_BYTES: Bytes = 16 * 1024 * 1024;
/** Values up to this size are searched at once. */
const SMALL_BYTES = 256 * 1024;
/** The beginning of a long key. */
const MAX_KEY_LENGTH = 4096;
const MAX_RECORDS_NAMED = 5;
/** Matches found before a search pauses. */
const BATCH = 256;
const CR = 13;

export class MatchSearch {
  readonly damage: Damage = { records: [], badRecords: 0 };
  readonly starts: Start[] = [];
  readonly #searched: Searched;
  readonly #tokens: readonly Token[];
  readonly #sink: Sink;
  readonly #interval: Bytes;
  readonly #cursor: JsonCursor;
  #count = 0;
  #paused = 0;
  #nextStart: Bytes = 0;
  /** Pointers to the containers on the way. */
  readonly #path: string[];
  /** No bytes follow those that are searched. */
  #isFinal = false;
  /** Of the value that is searched: its matches, as places in the bytes, and levels that miss something. */
  readonly #found: { from: number; to: number; pointer: string }[] = [];
  readonly #missing: number[] = [];

  /** Keeps places to start from at most every `interval` bytes. */
  constructor(searched: Searched, sink: Sink, interval: Bytes = Number.POSITIVE_INFINITY) {
    this.#searched = searched;
    this.#sink = sink;
    this.#interval = interval;
    this.#tokens = searched.tokens.map((text) => ({
      any: text === WILDCARD,
      text,
      bytes: Buffer.from(text),
      index: itemIndex(text, Number.MAX_SAFE_INTEGER) ?? -1,
    }));
    this.#path = [searched.prefix];
    this.#cursor = new JsonCursor(searched.source, searched.signal, searched.start);
  }

  /** Finds all matches from `from` on; pauses where it yields, after some of them. */
  async *run(from?: Start): AsyncGenerator<void> {
    this.#count = (from?.number ?? 1) - 1;
    const { newline, prefix, start } = this.#searched;
    if (newline !== undefined) {
      yield* this.#lines(newline, from);
      return;
    }
    try {
      if (from) {
        this.#cursor.at = start;
        const open = await this.#cursor.expect('a value');
        this.#cursor.at = from.at;
        yield* this.#children(open, 0, from.index);
      } else yield* this.#value(0);
      const more = prefix === '' ? await this.#cursor.peek() : -1;
      if (more >= 0) throw unexpected(more, 'nothing after the value', this.#cursor.at);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      this.damage.error = error;
    }
  }

  /** The value at the cursor, which the tokens before `level` name. */
  async *#value(level: number): AsyncGenerator<void> {
    const cursor = this.#cursor;
    const byte = await cursor.expect('a value');
    if (level > 0 && (await this.#small(level))) return;
    const start = cursor.at;
    const token = this.#tokens[level];
    const isArray = byte === BYTE.openArray;
    const isOpen = isArray || byte === BYTE.openObject;
    if (token && isOpen && (!isArray || token.any || token.index >= 0)) {
      cursor.at++;
      if ((await cursor.expect(closing(byte))) === byte + 2) {
        cursor.at++;
        if (!token.any) this.#sink.missing(level);
      } else yield* this.#children(byte, level, 0);
      return;
    }
    await cursor.skip();
    if (token) this.#sink.missing(level);
    else {
      const end = cursor.at;
      const isHeld = !isOpen && end - start <= MAX_HELD_BYTES;
      const bytes = isHeld ? await this.#searched.source.read(start, end - start) : Uint8Array.of(byte);
      this.#take({ bytes, from: 0, to: bytes.length, start, end, pointer: this.#path[level] ?? '' });
    }
  }

  /** The children of a container from the one at the cursor on. */
  async *#children(open: number, level: number, first: number): AsyncGenerator<void> {
    const cursor = this.#cursor;
    const token = this.#tokens[level];
    const isArray = open === BYTE.openArray;
    const opening = cursor.at;
    let isFound = false;
    for (let index = first; ; index++) {
      if (level === 0) this.#note(index);
      let isWanted = token?.any === true || (isArray && token?.index === index);
      let name: string | number = index;
      if (!isArray) {
        const quote = await cursor.expect('a key in double quotes');
        if (quote !== BYTE.quote) throw unexpected(quote, 'a key in double quotes', cursor.at);
        const { text, of } = await cursor.string(Math.max(MAX_KEY_LENGTH, token?.text.length ?? 0));
        await cursor.colon();
        isWanted ||= of === text.length && text === token?.text;
        name = text;
      }
      if (isWanted) {
        isFound = true;
        this.#path[level + 1] = this.#sink.named ? pointerTo(this.#path[level] ?? '', name) : '';
        if (!this.#isSmall(level + 1)) yield* this.#value(level + 1);
        if (this.#count - this.#paused >= BATCH) {
          this.#paused = this.#count;
          yield;
        }
      } else await cursor.skip();
      const expected = `\`,\` or ${closing(open)}`;
      const after = cursor.expect(expected);
      const byte = typeof after === 'number' ? after : await after;
      if (byte !== BYTE.comma && byte !== open + 2) throw unexpected(byte, expected, cursor.at);
      cursor.at++;
      if (byte !== BYTE.comma) break;
      if (isFound && !token?.any) {
        await cursor.rest(open, opening);
        break;
      }
      const next = cursor.expect('a value');
      if (typeof next !== 'number') await next;
    }
    if (!isFound && !token?.any) this.#sink.missing(level);
  }

  /** Searches the value at the cursor, if it is in the window or can be. */
  async #small(level: number): Promise<boolean> {
    const { window, at } = this.#cursor;
    if (this.#isSmall(level)) return true;
    if (at === window.start || window.end === window.size) return false;
    await window.load(at, SMALL_BYTES);
    return this.#isSmall(level);
  }

  /** Searches the value at the cursor, if all of it is in the window. */
  #isSmall(level: number): boolean {
    const cursor = this.#cursor;
    const { window, at } = cursor;
    if (!window.holds(at)) return false;
    this.#isFinal = window.end === window.size;
    const end = this.#search(window.bytes, at - window.start, level, window.start);
    if (end < 0) return false;
    cursor.at = window.start + end;
    return true;
  }

  /** Searches the value in `bytes` at `from`. @returns the index after it, -1 if it is not complete */
  #search(bytes: Uint8Array, from: number, level: number, base: Bytes): number {
    let end = -1;
    try {
      end = this.#within(bytes, afterSpace(bytes, from), level, base);
    } catch (error) {
      this.#tell(bytes, base);
      throw error;
    }
    if (end >= 0) this.#tell(bytes, base);
    this.#found.length = 0;
    this.#missing.length = 0;
    return end;
  }

  #tell(bytes: Uint8Array, base: Bytes): void {
    for (const { from, to, pointer } of this.#found)
      this.#take({ bytes, from, to, start: base + from, end: base + to, pointer });
    for (const level of this.#missing) this.#sink.missing(level);
  }

  #take(match: Match): void {
    this.#count++;
    this.#sink.match(match);
  }

  /** `#search` at a byte that is not white space. */
  #within(bytes: Uint8Array, at: number, level: number, base: Bytes): number {
    const byte = bytes[at];
    if (byte === undefined) return -1;
    const token = this.#tokens[level];
    const isArray = byte === BYTE.openArray;
    const isOpen = isArray || byte === BYTE.openObject;
    if (token && isOpen && (!isArray || token.any || token.index >= 0))
      return this.#members(bytes, at, level, token, base);
    const end = this.#end(bytes, at, base);
    if (end < 0) return -1;
    if (token) this.#missing.push(level);
    else this.#found.push({ from: at, to: end, pointer: this.#path[level] ?? '' });
    return end;
  }

  #members(bytes: Uint8Array, opening: number, level: number, token: Token, base: Bytes): number {
    const open = bytes[opening] ?? 0;
    const isArray = open === BYTE.openArray;
    let at = afterSpace(bytes, opening + 1);
    let isFound = token.any;
    for (let index = 0; ; index++) {
      if (at >= bytes.length) return -1;
      if (index === 0 && bytes[at] === open + 2) break;
      let isWanted = token.any || token.index === index;
      const key = at;
      let keyEnd = at;
      if (!isArray) {
        if (bytes[at] !== BYTE.quote) throw unexpected(bytes[at] ?? 0, 'a key in double quotes', base + at);
        keyEnd = endOfString(bytes, at + 1);
        const colon = keyEnd < 0 ? bytes.length : afterSpace(bytes, keyEnd);
        if (colon >= bytes.length) return -1;
        if (bytes[colon] !== BYTE.colon) throw unexpected(bytes[colon] ?? 0, '`:`', base + colon);
        isWanted = token.any || isKey(bytes, key + 1, keyEnd - 1, token);
        at = afterSpace(bytes, colon + 1);
      }
      if (isWanted) {
        isFound = true;
        if (this.#sink.named) {
          const name = isArray ? index : token.any ? textIn(bytes, key + 1, keyEnd - 1) : token.text;
          this.#path[level + 1] = pointerTo(this.#path[level] ?? '', name);
        }
      }
      const end = isWanted ? this.#within(bytes, at, level + 1, base) : this.#end(bytes, at, base);
      at = end < 0 ? bytes.length : afterSpace(bytes, end);
      if (at >= bytes.length) return -1;
      if (bytes[at] === open + 2) break;
      if (bytes[at] !== BYTE.comma) throw unexpected(bytes[at] ?? 0, `\`,\` or ${closing(open)}`, base + at);
      at = afterSpace(bytes, at + 1);
      if (isFound && !token.any) return this.#closed(bytes, valueEnd(bytes, at, bytes.length, 1), open, base);
    }
    if (!isFound) this.#missing.push(level);
    return at + 1;
  }

  /** The index after the value at `at`; -1 if it is not complete. */
  #end(bytes: Uint8Array, at: number, base: Bytes): number {
    const byte = bytes[at] ?? BYTE.quote;
    if (byte === BYTE.openArray || byte === BYTE.openObject)
      return this.#closed(bytes, valueEnd(bytes, at, at + SMALL_BYTES), byte, base);
    if (byte === BYTE.quote) return endOfString(bytes, at + 1);
    let end = at;
    while (end < bytes.length && !endsLiteral(bytes[end] ?? 0)) end++;
    if (end === bytes.length && !this.#isFinal) return -1;
    if (isLiteral(bytes, at, end)) return end;
    const text = rawText(bytes, at, Math.min(end, at + 80));
    throw unexpected(text === '' ? byte : text, 'a value', base + at);
  }

  #closed(bytes: Uint8Array, end: number, open: number, base: Bytes): number {
    const close = bytes[end - 1] ?? 0;
    if (end >= 0 && close !== open + 2) throw unexpected(close, closing(open), base + end - 1);
    return end;
  }

  #note(index: number): void {
    const { at } = this.#cursor;
    if (at < this.#nextStart) return;
    this.#nextStart = at + this.#interval;
    this.starts.push({ at, index, number: this.#count + 1 });
  }

  async *#lines(newline: number, from: Start | undefined): AsyncGenerator<void> {
    const { source, signal, prefix } = this.#searched;
    const window = new TextWindow(source, signal);
    const [token] = this.#tokens;
    let index = from?.index ?? 0;
    for (let at = from?.at ?? 0; at < source.size; ) {
      throwIfAborted(signal);
      if (!window.holds(at)) await window.load(at);
      let end = window.bytes.indexOf(newline, at - window.start);
      if (end < 0) {
        await window.load(at, SMALL_BYTES);
        end = window.bytes.indexOf(newline, at - window.start);
      }
      const isHeld = end >= 0 || window.end === source.size;
      const found = isHeld ? (end < 0 ? source.size : window.start + end) : await window.find(newline, at);
      const stop = found < 0 ? source.size : found;
      const isBlank = stop === at || (stop === at + 1 && window.bytes[at - window.start] === CR);
      if (!isBlank && (token?.any || token?.index === index)) {
        this.#cursor.at = at;
        this.#note(index);
        this.#path[1] = pointerTo(prefix, index);
        yield* isHeld ? this.#held(window, at, stop, index) : this.#long(at, stop, index);
      }
      if (!isBlank) index++;
      if (!token?.any && index > (token?.index ?? 0)) return;
      at = stop + 1;
    }
  }

  /** A record in the window. */
  *#held({ bytes, start }: TextWindow, at: Bytes, stop: Bytes, index: number): Generator<void> {
    const record = bytes.subarray(0, stop - start);
    this.#isFinal = true;
    try {
      const end = this.#search(record, at - start, 1, start);
      if (end < 0 || afterSpace(record, end) < record.length) this.#bad(index);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      this.#bad(index);
    }
    if (this.#count - this.#paused < BATCH) return;
    this.#paused = this.#count;
    yield;
  }

  async *#long(at: Bytes, stop: Bytes, index: number): AsyncGenerator<void> {
    this.#cursor.at = at;
    try {
      yield* this.#value(1);
      if ((await this.#cursor.peek()) >= 0 && this.#cursor.at < stop) this.#bad(index);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      this.#bad(index);
    }
  }

  #bad(index: number): void {
    this.damage.badRecords++;
    if (this.damage.records.length < MAX_RECORDS_NAMED) this.damage.records.push(index + 1);
  }
}

/** The text of a string's raw bytes; as written, if they are not valid. */
export function textIn(bytes: Uint8Array, from: number, to: number): string {
  const raw = rawText(bytes, from, to);
  return raw.includes('\\') ? (decodedString(bytes, from, to) ?? raw) : raw;
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
