// Checks a structure of the Thrift compact protocol before hyparquet reads it, which trusts lengths: a varint of a
// million bytes would keep it busy for minutes. Reads no values.

/** Deeper than any structure of Parquet: footer, row group, column, metadata, statistics. */
const MAX_DEPTH = 24;
/** Bytes of a 64-bit varint. */
const MAX_VARINT = 10;

// Thrift compact protocol: types of fields and elements.
const STOP = 0;
const FALSE = 2;
const BYTE = 3;
const I64 = 6;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

/** Thrown for bytes that are not a structure, or end inside one. */
export class BrokenThrift extends Error {
  override readonly name = 'BrokenThrift';
  /** More bytes may complete it. */
  readonly short: boolean;

  constructor(message: string, short = false) {
    super(message);
    this.short = short;
  }
}

/** The offset after the structure that starts at `at`. @throws {BrokenThrift} */
export function thriftEnd(bytes: Uint8Array, at: number): number {
  const walk = new Walk(bytes, at);
  walk.struct(0);
  return walk.at;
}

class Walk {
  at: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  struct(depth: number): void {
    if (depth > MAX_DEPTH) throw new BrokenThrift('nested too deeply');
    for (;;) {
      const field = this.#byte();
      if ((field & 15) === STOP) return;
      if (field >> 4 === 0) this.#varint();
      this.#value(field & 15, depth, false);
    }
  }

  #value(type: number, depth: number, element: boolean): void {
    if (type <= FALSE) {
      if (element) this.#skip(1);
    } else if (type === BYTE) this.#skip(1);
    else if (type <= I64) this.#varint();
    else if (type === DOUBLE) this.#skip(8);
    else if (type === BINARY) this.#skip(this.#varint());
    else if (type === LIST) this.#list(depth);
    else if (type === STRUCT) this.struct(depth + 1);
    else throw new BrokenThrift('unknown type');
  }

  #list(depth: number): void {
    if (depth > MAX_DEPTH) throw new BrokenThrift('nested too deeply');
    const head = this.#byte();
    const count = head >> 4 === 15 ? this.#varint() : head >> 4;
    // Every element takes a byte at least.
    if (count > this.#bytes.length - this.at) throw new BrokenThrift('list past the end', true);
    for (let index = 0; index < count; index += 1) this.#value(head & 15, depth + 1, true);
  }

  #byte(): number {
    const byte = this.#bytes[this.at];
    if (byte === undefined) throw new BrokenThrift('ends early', true);
    this.at += 1;
    return byte;
  }

  #skip(length: number): void {
    if (length > this.#bytes.length - this.at) throw new BrokenThrift('ends early', true);
    this.at += length;
  }

  #varint(): number {
    let value = 0;
    for (let index = 0; index < MAX_VARINT; index += 1) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    throw new BrokenThrift('varint too long');
  }
}
