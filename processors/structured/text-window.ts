// A sliding byte window over a text source: finds bytes and sequences, decodes and measures short ranges. Independent
// of any language.

import { type Bytes, unitsIn } from '../../src/contract/index.ts';
import { ByteWindow, decodeUtf8, isBlankByte } from './byte-window.ts';

/** The window of one reader. All positions are byte offsets into the source. Not for concurrent use. */
export class TextWindow extends ByteWindow {
  /** The byte at `position`, or -1 past the end. */
  async byteAt(position: Bytes): Promise<number> {
    if (!this.holds(position) && !(await this.load(position))) return -1;
    return this.bytes[position - this.start] ?? -1;
  }

  /** Offset of the next `byte` from `position` on; -1 if there is none. */
  async find(byte: number, position: Bytes): Promise<Bytes> {
    for (let at = position; await this.load(at, 1); at = this.end) {
      const found = this.bytes.indexOf(byte, at - this.start);
      if (found >= 0) return this.start + found;
    }
    return -1;
  }

  /** Offset after the ASCII sequence `closing` (which ends in `>`) at or after `position`; -1 if there is none. */
  async findClosing(closing: string, position: Bytes): Promise<Bytes> {
    const lead = closing.length - 1;
    const last = closing.charCodeAt(lead);
    for (let at = position; await this.load(at, closing.length); at = Math.max(at + 1, this.end - lead)) {
      const { bytes } = this;
      let found = bytes.indexOf(last, at - this.start + lead);
      while (found >= 0) {
        let matched = 0;
        while (matched < lead && bytes[found - lead + matched] === closing.charCodeAt(matched)) matched++;
        if (matched === lead) return this.start + found + 1;
        found = bytes.indexOf(last, found + 1);
      }
      if (this.end >= this.size) return -1;
    }
    return -1;
  }

  /** True if the source has the ASCII `text` at `position`. */
  async startsWith(text: string, position: Bytes): Promise<boolean> {
    if (!(await this.load(position, text.length))) return false;
    const from = position - this.start;
    for (let index = 0; index < text.length; index++)
      if (this.bytes[from + index] !== text.charCodeAt(index)) return false;
    return true;
  }

  /** The first position in `[from, to)` that is not white space; `to` if there is none. */
  async skipBlank(from: Bytes, to: Bytes): Promise<Bytes> {
    for (let at = from; at < to && (await this.load(at, 1)); at = this.end) {
      const stop = Math.min(to, this.end) - this.start;
      for (let index = at - this.start; index < stop; index++)
        if (!isBlankByte(this.bytes[index] ?? 0)) return this.start + index;
    }
    return to;
  }

  /** Moves `to` back over white space, at most `most` bytes and never before `from`. */
  async trimBlank(from: Bytes, to: Bytes, most = 256): Promise<Bytes> {
    const least = Math.max(from, to - most);
    await this.load(least, to - least);
    let at = to;
    while (at > least && isBlankByte(this.bytes[at - 1 - this.start] ?? 0)) at--;
    return at;
  }

  /** Length of `[from, to)` in UTF-16 units. Reads the whole range. */
  async units(from: Bytes, to: Bytes): Promise<number> {
    let units = 0;
    for (let at = from; at < to && (await this.load(at, 1)); ) {
      const stop = Math.min(to, this.end);
      units += unitsIn(this.bytes, at - this.start, stop - this.start);
      at = stop;
    }
    return units;
  }

  /** The bytes `[from, to)`, valid until the next call. The caller bounds the length. */
  async slice(from: Bytes, to: Bytes): Promise<Uint8Array> {
    if (to <= from) return new Uint8Array(0);
    await this.load(from, to - from);
    return this.bytes.subarray(from - this.start, to - this.start);
  }

  /** The text of `[from, to)`. The caller bounds the length. */
  async text(from: Bytes, to: Bytes): Promise<string> {
    return decodeUtf8(await this.slice(from, to));
  }
}
