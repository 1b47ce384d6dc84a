// Encodes text as UTF-8 and buffers it into large chunks; one chunk is written while the next is filled. Knows no
// format and opens no file.

import type { Bytes } from '../../contract/index.ts';
import { encodable, type Remarks } from './encodable.ts';

/** Where bytes are written. The buffer passed must not change until the promise resolves. */
export interface ByteTarget {
  write(bytes: Uint8Array): Promise<void>;
}

/** Bytes buffered before a write, and spare room on top. */
const PIECE_BYTES = 128 * 1024;
const ROOM_BYTES = 2 * PIECE_BYTES;

/** Up to this length a loop over the characters is faster than the encoder. */
const MOST_LOOPED = 64;

/** By character code: 1 for characters `addPlain` must not add. Only ASCII can be plain. */
export function marked(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (characters.test(String.fromCharCode(code)) ? 1 : 0));
}

/** Buffers text and writes it as UTF-8. Holds at most two chunks and the text added since. */
export class TextSink {
  /** Bytes handed on so far. */
  bytes: Bytes = 0;
  #piece: Buffer = Buffer.allocUnsafeSlow(ROOM_BYTES);
  /** The other buffer, once it is written. */
  #spare: Buffer | undefined;
  #at = 0;
  /** The buffer being written. */
  #lent: Buffer | undefined;
  #writing: Promise<void> | undefined;
  readonly #target: ByteTarget;
  readonly #remarks: Remarks;

  constructor(target: ByteTarget, remarks: Remarks) {
    this.#target = target;
    this.#remarks = remarks;
  }

  /** A chunk is complete: call `flush` before adding more. */
  get full(): boolean {
    return this.#at >= PIECE_BYTES;
  }

  /** Bytes buffered and not yet handed on. */
  get gathered(): Bytes {
    return this.#at;
  }

  add(text: string): void {
    const { length } = text;
    this.#reserve(length * 3);
    if (length <= MOST_LOOPED) {
      const piece = this.#piece;
      let to = this.#at;
      let at = 0;
      for (; at < length; at += 1) {
        const code = text.charCodeAt(at);
        if (code >= 0x80) break;
        piece[to] = code;
        to += 1;
      }
      if (at === length) {
        this.#at = to;
        return;
      }
    }
    this.#at += this.#piece.write(encodable(text, this.#remarks), this.#at, 'utf8');
  }

  /** Adds a short text with no `marked` character; for any other, adds nothing and returns false. */
  addPlain(text: string, mark: Uint8Array): boolean {
    const { length } = text;
    if (length > MOST_LOOPED) return false;
    this.#reserve(length);
    const piece = this.#piece;
    let to = this.#at;
    for (let at = 0; at < length; at += 1) {
      const code = text.charCodeAt(at);
      if (mark[code] !== 0) return false;
      piece[to] = code;
      to += 1;
    }
    this.#at = to;
    return true;
  }

  /** One ASCII character. */
  addCode(code: number): void {
    if (this.#at === this.#piece.length) this.#reserve(1);
    this.#piece[this.#at] = code;
    this.#at += 1;
  }

  /**
   * Hands on the buffered text. Resolves once the previous chunk is written, so that a fast source waits for a slow
   * disk.
   */
  async flush(): Promise<void> {
    if (this.#at === 0) return;
    const piece = this.#piece;
    const bytes = piece.subarray(0, this.#at);
    this.#at = 0;
    this.#piece = this.#spare ?? Buffer.allocUnsafeSlow(ROOM_BYTES);
    this.#spare = undefined;
    await this.#hand(bytes);
    // A buffer that grew for one long text is not reused; the one just handed over will be free by the next flush.
    this.#lent = piece.length === ROOM_BYTES ? piece : undefined;
  }

  /** Writes bytes unchanged, after the text added so far. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.flush();
    for (let from = 0; from < bytes.length; from += PIECE_BYTES)
      await this.#hand(bytes.subarray(from, from + PIECE_BYTES));
    // The bytes belong to the caller, who may change them after this returns.
    await this.#writing;
  }

  /** Resolves when everything added is written. */
  async end(): Promise<void> {
    await this.flush();
    await this.#writing;
  }

  async #hand(bytes: Uint8Array): Promise<void> {
    await this.#writing;
    this.#spare = this.#lent;
    this.#lent = undefined;
    this.bytes += bytes.length;
    const writing = this.#target.write(bytes);
    // The next await reports the error; until then nobody is listening.
    writing.catch(() => undefined);
    this.#writing = writing;
  }

  #reserve(bytes: number): void {
    const needed = this.#at + bytes;
    if (needed <= this.#piece.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#piece.length));
    this.#piece.copy(larger, 0, 0, this.#at);
    this.#piece = larger;
  }
}
