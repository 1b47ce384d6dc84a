// A JSON pull parser at a position in a source: reads one token or skips one value at a time, in constant memory.
// Applies no limits and builds nothing.

import { type Bytes, quoted, type Source } from '../../../src/contract/index.ts';
import { JsonSkipper } from '../../../src/scan/index.ts';
import { ByteWindow, isBlankByte } from '../byte-window.ts';
import { BYTE, decodedString, endsLiteral, rawText } from './raw.ts';

/** A syntax error before it is converted to line and column. `at` is a byte offset. */
export class JsonSyntaxError extends Error {
  readonly at: Bytes;

  constructor(what: string, at: Bytes) {
    super(what);
    this.at = at;
  }
}

/** The start of a string or literal and its full length in UTF-16 units. */
export interface Scalar {
  readonly text: string;
  readonly of: number;
}

/** A skipped container: its number of items or keys, and its depth, itself included. */
export interface Skipped {
  readonly items: number;
  readonly levels: number;
}

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** Containers longer than this are skipped with read-ahead. */
const LARGE_BYTES = 2 * 1024 * 1024;

/** Every method that reads leaves `at` just after what it read. */
export class JsonCursor {
  at: Bytes;
  readonly window: ByteWindow;
  readonly #skipper = new JsonSkipper();
  readonly source: Source;
  readonly #signal: AbortSignal;

  constructor(source: Source, signal: AbortSignal, at: Bytes = 0) {
    this.source = source;
    this.#signal = signal;
    this.window = new ByteWindow(source, signal);
    this.at = at;
  }

  /** Moves `at` to the next byte that is not white space and returns it; -1 at the end. At once if it is loaded. */
  peek(): number | Promise<number> {
    const byte = this.#held();
    return byte < 0 ? this.#peekOn() : byte;
  }

  /** Like `peek`, but throws at the end. */
  expect(what: string): number | Promise<number> {
    const byte = this.#held();
    return byte < 0 ? this.#expectOn(what) : byte;
  }

  /** The next byte that is not white space, if it is loaded, else -1; `at` moves there, or to the end of the window. */
  #held(): number {
    const { bytes, start, end } = this.window;
    if (this.at < start || this.at >= end) return -1;
    for (let index = this.at - start; index < bytes.length; index++) {
      const byte = bytes[index] ?? 0;
      if (!isBlankByte(byte)) {
        this.at = start + index;
        return byte;
      }
    }
    this.at = end;
    return -1;
  }

  async #peekOn(): Promise<number> {
    while (await this.window.load(this.at)) {
      const byte = this.#held();
      if (byte >= 0) return byte;
    }
    return -1;
  }

  async #expectOn(what: string): Promise<number> {
    const byte = await this.#peekOn();
    if (byte < 0) throw new JsonSyntaxError(`expected ${what}, found the end`, this.at);
    return byte;
  }

  /** Reads the colon after a key. */
  async colon(): Promise<void> {
    const byte = await this.expect('`:`');
    if (byte !== BYTE.colon) throw unexpected(byte, '`:`', this.at);
    this.at++;
  }

  /** Reads the string at `at`: at least its first `keep` units, if it has that many, and its exact length. */
  async string(keep: number): Promise<Scalar> {
    const { window } = this;
    const opening = this.at;
    const kept: Uint8Array[] = [];
    let units = 0;
    let keeping = true;
    // Bytes of an incomplete escape still to come.
    let pending = 0;
    // Without escapes, the bytes are the text.
    let plain = true;
    this.at++;
    for (;;) {
      if (!window.holds(this.at) && !(await window.load(this.at)))
        throw new JsonSyntaxError('a string is not closed', opening);
      const { bytes } = window;
      const from = this.at - window.start;
      let keptEnd = keeping ? bytes.length : from;
      let index = from;
      let closed = false;
      for (; index < bytes.length; index++) {
        const byte = bytes[index] ?? 0;
        if (pending > 0) {
          pending = pending === 5 && byte === 0x75 ? 4 : pending === 5 ? 0 : pending - 1;
          continue;
        }
        if (byte === BYTE.quote) {
          closed = true;
          break;
        }
        if (byte >= 0x80 && byte < 0xc0) continue;
        if (keeping && units >= keep) {
          keeping = false;
          keptEnd = index;
        }
        if (byte === BYTE.backslash) pending = 5;
        if (byte === BYTE.backslash || byte < 0x20) plain = false;
        units += byte >= 0xf0 ? 2 : 1;
      }
      const end = Math.min(keptEnd, index);
      if (closed && plain && kept.length === 0) {
        this.at = window.start + index + 1;
        const text = rawText(bytes, from, end);
        return { text, of: keeping ? text.length : Math.max(units, text.length) };
      }
      if (end > from) kept.push(bytes.slice(from, end));
      this.at = window.start + index;
      if (!closed) continue;
      this.at++;
      const text = this.#decode(kept, opening);
      return { text, of: keeping ? text.length : Math.max(units, text.length) };
    }
  }

  #decode(kept: readonly Uint8Array[], opening: Bytes): string {
    const raw = kept.length === 1 && kept[0] ? kept[0] : Buffer.concat(kept);
    const text = decodedString(raw, 0, raw.length);
    if (text === undefined) throw faultIn(raw, opening + 1);
    return text;
  }

  /**
   * Reads the number or name at `at`: at least its first `keep` characters, if it has that many, and its exact length.
   */
  async literal(keep: number): Promise<Scalar> {
    const { window } = this;
    const start = this.at;
    let text = '';
    for (;;) {
      if (!window.holds(this.at) && !(await window.load(this.at))) break;
      const { bytes } = window;
      const from = this.at - window.start;
      let index = from;
      while (index < bytes.length && !endsLiteral(bytes[index] ?? 0)) index++;
      if (text.length < keep) text += rawText(bytes, from, Math.min(index, from + keep));
      this.at = window.start + index;
      if (index < bytes.length) break;
    }
    const of = this.at - start;
    const valid =
      of > text.length
        ? /^-?[0-9][0-9.eE+-]*$/.test(text)
        : text === 'true' || text === 'false' || text === 'null' || NUMBER.test(text);
    if (!valid) throw unexpected(text === '' ? await this.peek() : text, 'a value', start);
    return { text, of };
  }

  /** Skips the value at `at`. */
  async skip(): Promise<Skipped> {
    const byte = await this.expect('a value');
    if (byte === BYTE.openArray || byte === BYTE.openObject) {
      const opening = this.at;
      this.at++;
      return await this.rest(byte, opening);
    }
    if (byte === BYTE.quote) await this.string(0);
    else await this.literal(64);
    return { items: 0, levels: 0 };
  }

  /** Skips from just inside the container opened at `opening`, or just after one of its commas, to its end. */
  async rest(open: number, opening: Bytes): Promise<Skipped> {
    const { window } = this;
    const skipper = this.#skipper;
    skipper.begin();
    const started = this.at;
    let end = -1;
    while (end < 0) {
      if (!window.holds(this.at) && !(await window.load(this.at))) throw unclosed(open, opening);
      const found = skipper.push(window.bytes, this.at - window.start);
      if (found >= 0) end = window.start + found;
      else this.at = window.end;
      if (found < 0 && skipper.items > 0 && this.at - started > LARGE_BYTES) {
        end = await skipper.finish(this.source, this.at, this.#signal);
        if (end < 0) throw unclosed(open, opening);
        await window.load(end - 1);
      }
    }
    this.at = end;
    const close = window.bytes[end - 1 - window.start] ?? 0;
    if (close !== open + 2) throw unexpected(close, closing(open), end - 1);
    return { items: skipper.items, levels: skipper.maxDepth };
  }
}

const STRING_FAULT = /[^ -\xff]|\\(?!["\\/bfnrtu])|\\u(?![0-9a-fA-F]{4})[0-9a-fA-F]{0,3}/;

/** The first error in raw string bytes, which start at `at`. */
function faultIn(raw: Uint8Array, at: Bytes): JsonSyntaxError {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.length);
  // One character a byte, so that an index is an offset.
  const found = STRING_FAULT.exec(bytes.toString('latin1').replace(/\\["\\]/g, '..'));
  const index = found?.index ?? 0;
  const code = raw[index] ?? 0;
  if (code !== BYTE.backslash) {
    const hex = code.toString(16).padStart(2, '0');
    return new JsonSyntaxError(`a string holds the control character 0x${hex} unescaped`, at + index);
  }
  const end = index + (found?.[0].length ?? 1);
  const expected = end > index + 1 ? 'four hexadecimal digits' : 'an escape that JSON knows';
  return unexpected(raw[end] ?? -1, expected, at + end);
}

/** The error of the container that `open` opens at `opening`. */
export function unclosed(open: number, opening: Bytes): JsonSyntaxError {
  const what = open === BYTE.openArray ? 'array' : 'object';
  return new JsonSyntaxError(`the ${what} that starts here is not closed`, opening);
}

/** The closing bracket for an opening one, for messages. */
export function closing(open: number): string {
  return open === BYTE.openArray ? '`]`' : '`}`';
}

/** `found` is a byte, -1 for the end, or a piece of text. */
export function unexpected(found: number | string, expected: string, at: Bytes): JsonSyntaxError {
  const what =
    typeof found === 'string'
      ? quoted(found.slice(0, 40))
      : found < 0
        ? 'the end'
        : found > 0x20 && found < 0x7f
          ? quoted(String.fromCharCode(found))
          : `byte 0x${found.toString(16).padStart(2, '0')}`;
  return new JsonSyntaxError(`expected ${expected}, found ${what}`, at);
}
