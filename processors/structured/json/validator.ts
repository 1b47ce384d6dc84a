// A strict single-pass JSON validator (RFC 8259) that keeps one bit per open container. It builds nothing and reports
// the first error.

import { type Bytes, type Source, throwIfAborted } from '../../../src/contract/index.ts';
import { BYTE, endsLiteral, isSpace, JsonCursor, JsonSyntaxError, unexpected } from './cursor.ts';

const STATE = {
  value: 0,
  firstItem: 1,
  firstKey: 2,
  key: 3,
  colon: 4,
  after: 5,
  string: 6,
  escape: 7,
  hex: 8,
  literal: 9,
} as const;
type State = (typeof STATE)[keyof typeof STATE];

/** Of a longer line only the closing brackets are checked. */
const MAX_CHECKED_BYTES = 1024 * 1024;
const MAX_LITERAL_KEPT = 4096;
const NUMBER_BYTES = new Set([...'-+.0123456789eE'].map((character) => character.charCodeAt(0)));
const LITERAL = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;

/** Escapes after a backslash: `"` `\` `/` `b` `f` `n` `r` `t`. `u` is handled separately. */
const ESCAPES = new Set([0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74]);

const isHex = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);

/** Validates a whole source. @throws {JsonSyntaxError} at the first invalid byte */
export async function validateJson(source: Source, signal: AbortSignal): Promise<void> {
  const validator = new JsonValidator();
  for await (const chunk of source.chunks()) {
    throwIfAborted(signal);
    validator.push(chunk);
  }
  validator.finish();
}

/** Validates bytes in memory. @throws {JsonSyntaxError} */
export function validateJsonBytes(bytes: Uint8Array): void {
  const validator = new JsonValidator();
  validator.push(bytes);
  validator.finish();
}

/** Accepts bytes in chunks of any size; throws at the first invalid byte. */
class JsonValidator {
  #state: State = STATE.value;
  #depth = 0;
  /** One bit per level: 1 for an object. */
  #levels = new Uint8Array(64);
  #inKey = false;
  #hexLeft = 0;
  #literal = '';
  #literalAt: Bytes = 0;
  #at: Bytes = 0;

  push(bytes: Uint8Array): void {
    const base = this.#at;
    let state: State = this.#state;
    for (let index = 0; index < bytes.length; index++) {
      let byte = bytes[index] ?? 0;
      if (state === STATE.string) {
        let inside = byte;
        while (inside >= 0x20 && inside !== BYTE.quote && inside !== BYTE.backslash && ++index < bytes.length)
          inside = bytes[index] ?? 0;
        if (index === bytes.length) break;
        if (inside === BYTE.quote) state = this.#inKey ? STATE.colon : STATE.after;
        else if (inside === BYTE.backslash) state = STATE.escape;
        else
          throw new JsonSyntaxError(
            `a string holds the control character 0x${hex(inside)} unescaped`,
            base + index,
          );
        continue;
      }
      if (state === STATE.literal) {
        let end = index;
        while (end < bytes.length && !endsLiteral(bytes[end] ?? 0)) end++;
        this.#keep(bytes, index, end, base);
        index = end;
        if (end === bytes.length) break;
        this.#endLiteral();
        state = STATE.after;
        byte = bytes[index] ?? 0;
      }
      if (state === STATE.escape) {
        if (byte === 0x75) {
          this.#hexLeft = 4;
          state = STATE.hex;
        } else if (ESCAPES.has(byte)) state = STATE.string;
        else throw unexpected(byte, 'an escape that JSON knows', base + index);
        continue;
      }
      if (state === STATE.hex) {
        if (!isHex(byte)) throw unexpected(byte, 'four hexadecimal digits', base + index);
        this.#hexLeft--;
        if (this.#hexLeft === 0) state = STATE.string;
        continue;
      }
      if (isSpace(byte)) continue;
      switch (state) {
        case STATE.firstItem:
        case STATE.value:
          if (byte === BYTE.quote) {
            this.#inKey = false;
            state = STATE.string;
          } else if (byte === BYTE.openArray || byte === BYTE.openObject) {
            this.#open(byte === BYTE.openObject);
            state = byte === BYTE.openObject ? STATE.firstKey : STATE.firstItem;
          } else if (byte === BYTE.closeArray && state === STATE.firstItem) {
            this.#depth--;
            state = STATE.after;
          } else if (endsLiteral(byte)) throw unexpected(byte, 'a value', base + index);
          else {
            this.#literal = '';
            this.#literalAt = base + index;
            index--;
            state = STATE.literal;
          }
          break;
        case STATE.firstKey:
        case STATE.key:
          if (byte === BYTE.quote) {
            this.#inKey = true;
            state = STATE.string;
          } else if (byte === BYTE.closeObject && state === STATE.firstKey) {
            this.#depth--;
            state = STATE.after;
          } else
            throw unexpected(
              byte,
              state === STATE.key ? 'a key in double quotes' : 'a key in double quotes or `}`',
              base + index,
            );
          break;
        case STATE.colon:
          if (byte !== BYTE.colon) throw unexpected(byte, '`:`', base + index);
          state = STATE.value;
          break;
        case STATE.after: {
          if (this.#depth === 0) throw unexpected(byte, 'nothing after the value', base + index);
          const inObject = this.#inObject();
          if (byte === BYTE.comma) state = inObject ? STATE.key : STATE.value;
          else if (byte === (inObject ? BYTE.closeObject : BYTE.closeArray)) this.#depth--;
          else throw unexpected(byte, inObject ? '`,` or `}`' : '`,` or `]`', base + index);
          break;
        }
      }
    }
    this.#state = state;
    this.#at = base + bytes.length;
  }

  /** @throws {JsonSyntaxError} if the text is incomplete */
  finish(): void {
    if (this.#state === STATE.literal) {
      this.#endLiteral();
      this.#state = STATE.after;
    }
    if (this.#state === STATE.after && this.#depth === 0) return;
    const what =
      this.#state === STATE.string || this.#state === STATE.escape || this.#state === STATE.hex
        ? 'a closing `"`'
        : this.#depth === 0
          ? 'a value'
          : this.#inObject()
            ? '`}`'
            : '`]`';
    throw unexpected(-1, what, this.#at);
  }

  #open(isObject: boolean): void {
    const slot = this.#depth >> 3;
    if (slot >= this.#levels.length) {
      const grown = new Uint8Array(this.#levels.length * 2);
      grown.set(this.#levels);
      this.#levels = grown;
    }
    const bit = 1 << (this.#depth & 7);
    const level = this.#levels[slot] ?? 0;
    this.#levels[slot] = isObject ? level | bit : level & ~bit;
    this.#depth++;
  }

  #inObject(): boolean {
    const top = this.#depth - 1;
    return ((this.#levels[top >> 3] ?? 0) & (1 << (top & 7))) !== 0;
  }

  #keep(bytes: Uint8Array, from: number, to: number, base: Bytes): void {
    const room = MAX_LITERAL_KEPT - this.#literal.length;
    for (let index = from; index < Math.min(to, from + room); index++)
      this.#literal += String.fromCharCode(bytes[index] ?? 0);
    for (let index = from + room; index < to; index++) {
      const byte = bytes[index] ?? 0;
      if (!NUMBER_BYTES.has(byte)) throw unexpected(byte, 'a digit', base + index);
    }
  }

  #endLiteral(): void {
    const text = this.#literal;
    // The retained part of an overlong number may end anywhere in it.
    const valid = text.length < MAX_LITERAL_KEPT ? LITERAL.test(text) : /^-?[0-9][0-9.eE+-]*$/.test(text);
    if (!valid) throw unexpected(text, 'a value', this.#literalAt);
  }
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** Converts a byte offset to a 1-based line and column in characters. */
export async function placeOf(
  source: Source,
  offset: Bytes,
  signal: AbortSignal,
): Promise<{ readonly line: number; readonly column: number }> {
  let line = 1;
  let column = 1;
  let position = 0;
  for await (const chunk of source.chunks()) {
    throwIfAborted(signal);
    const bytes = chunk.subarray(0, Math.max(0, offset - position));
    let lineStart = 0;
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
      line++;
      column = 1;
      lineStart = at + 1;
    }
    for (let index = lineStart; index < bytes.length; index++) {
      const byte = bytes[index] ?? 0;
      if (byte < 0x80 || byte >= 0xc0) column++;
    }
    position += chunk.length;
    if (position >= offset) break;
  }
  return { line, column };
}

/** True if the first line is one JSON value and the next non-blank line is too. */
export async function looksLikeLines(utf8: Source, signal: AbortSignal): Promise<boolean> {
  try {
    const cursor = new JsonCursor(utf8, signal);
    if ((await cursor.peek()) < 0) return false;
    const start = cursor.at;
    await cursor.skip();
    const end = cursor.at;
    if ((await cursor.peek()) < 0) return false;
    const next = cursor.at;
    const between = await utf8.read(end, Math.min(next - end, MAX_CHECKED_BYTES));
    const first = await utf8.read(start, Math.min(end - start, MAX_CHECKED_BYTES));
    if (!between.includes(10) || first.includes(10)) return false;
    validateJsonBytes(first.length < end - start ? new Uint8Array([0x31]) : first);
    await cursor.skip();
    const second = await utf8.read(next, Math.min(cursor.at - next, MAX_CHECKED_BYTES));
    if (second.includes(10)) return false;
    validateJsonBytes(second.length < cursor.at - next ? new Uint8Array([0x31]) : second);
    return true;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}
