// Tokenises RTF: groups, control words, control symbols, bytes of text. Independent of destinations and code pages.

/** The kinds of token; `text` is one run of plain bytes. */
export type TokenKind = 'open' | 'close' | 'word' | 'symbol' | 'byte' | 'text';

/**
 * Walks the bytes of an RTF file. `next()` advances; the fields describe the current token. Linear time on any input.
 */
export class RtfTokens {
  kind: TokenKind = 'text';
  /** For a `word` its letters, for a `symbol` its character. */
  word = '';
  /** For a `word` its number; undefined without one. */
  value: number | undefined;
  /** For a `byte` (`\'hh`) its value. */
  byte = 0;
  /** For a `text` its start and end. */
  from = 0;
  to = 0;
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** False at the end. */
  next(): boolean {
    const bytes = this.#bytes;
    while (this.#at < bytes.length) {
      const byte = bytes[this.#at];
      if (byte === 0x7b || byte === 0x7d) {
        this.kind = byte === 0x7b ? 'open' : 'close';
        this.#at += 1;
        return true;
      }
      if (byte === 0x5c) {
        if (this.#control()) return true;
        continue;
      }
      if (byte === 10 || byte === 13 || byte === 0) {
        this.#at += 1;
        continue;
      }
      this.kind = 'text';
      this.from = this.#at;
      while (this.#at < bytes.length && !STOPS.has(bytes[this.#at] ?? 0)) this.#at += 1;
      this.to = this.#at;
      return true;
    }
    return false;
  }

  /** A control word or symbol; false for one without meaning (`\bin` and its data, a lone backslash at the end). */
  #control(): boolean {
    const bytes = this.#bytes;
    const first = bytes[this.#at + 1];
    if (first === undefined) {
      this.#at = bytes.length;
      return false;
    }
    if (!isLetter(first)) {
      this.#at += 2;
      if (first === 0x27) return this.#hex();
      this.kind = 'symbol';
      this.word = String.fromCharCode(first);
      return true;
    }
    let end = this.#at + 1;
    while (end < bytes.length && end - this.#at <= MAX_WORD && isLetter(bytes[end] ?? 0)) end += 1;
    this.word = latin1(bytes, this.#at + 1, end);
    let digits = end;
    if (bytes[digits] === 0x2d) digits += 1;
    while (digits < bytes.length && digits - end <= MAX_DIGITS && isDigit(bytes[digits] ?? 0)) digits += 1;
    const number = latin1(bytes, end, digits);
    this.value = /\d/.test(number) ? Number(number) : undefined;
    this.#at = this.value === undefined ? end : digits;
    if (bytes[this.#at] === 0x20) this.#at += 1;
    if (this.word === 'bin') {
      this.#at = Math.min(bytes.length, this.#at + Math.max(0, this.value ?? 0));
      return false;
    }
    this.kind = 'word';
    return true;
  }

  #hex(): boolean {
    const digits = latin1(this.#bytes, this.#at, Math.min(this.#bytes.length, this.#at + 2));
    if (!/^[0-9a-fA-F]{2}$/.test(digits)) return false;
    this.#at += 2;
    this.kind = 'byte';
    this.byte = Number.parseInt(digits, 16);
    return true;
  }
}

/** Longer words are truncated (RTF 1.9.1: 32 letters). */
const MAX_WORD = 32;
const MAX_DIGITS = 10;
/** `{`, `}`, backslash, and line ends, which are ignored. */
const STOPS: ReadonlySet<number> = new Set([0x7b, 0x7d, 0x5c, 10, 13, 0]);

const isLetter = (byte: number): boolean => (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122);
const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57;

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.max(0, to - from)).toString('latin1');
}
