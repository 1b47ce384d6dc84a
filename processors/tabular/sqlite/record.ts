// One row of an SQLite table: its cell, the overflow pages it continues on, and the values in it (Database file format,
// 1.6 and 2.1). Large values are not read further than a cell can show.

import type { Bytes } from '../../../src/contract/index.ts';
import type { Pages } from './pages.ts';
import type { TreeKind, TreePage } from './tree.ts';

/** Bytes of a blob that are read; longer ones are shown by their length. */
const MAX_BLOB_BYTES: Bytes = 16;
/** Columns of a table are limited to 32767 (SQLite limits, 2), and a serial type has up to 9 bytes. */
const MAX_HEADER_BYTES: Bytes = 9 * 32_768;

/** A value as stored. Texts are in the database's encoding, and may be cut. */
export type Value =
  | { readonly kind: 'null' }
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'real'; readonly value: number }
  | { readonly kind: 'text' | 'blob'; readonly bytes: Uint8Array; readonly length: Bytes }
  /** Its bytes are missing. */
  | { readonly kind: 'lost' };

export const NULL: Value = { kind: 'null' };
export const LOST: Value = { kind: 'lost' };

/** A row as stored. */
export interface Row {
  /** Undefined for a table WITHOUT ROWID. */
  readonly rowid: bigint | undefined;
  readonly values: readonly Value[];
}

/** The row in cell `index` of `page`, with up to `mostOfText` bytes of each text; undefined if it is damaged. */
export async function readRow(
  pages: Pages,
  page: TreePage,
  index: number,
  kind: TreeKind,
  mostOfText: Bytes,
): Promise<Row | undefined> {
  const cell = page.cells[index];
  if (cell === undefined) return undefined;
  const { usable } = pages.header;
  const bytes = page.bytes.subarray(0, usable);
  const size = varint(bytes, cell + (page.isLeaf ? 0 : 4));
  const id = kind === 'table' && size ? varint(bytes, size.next) : undefined;
  const start = (kind === 'table' ? id : size)?.next;
  if (!size || start === undefined) return undefined;
  const length = Number(size.value);
  // A row of 2 GiB is more than SQLite stores (SQLite limits, 1).
  if (length < 1 || length > 2 ** 31) return undefined;
  const local = localLength(length, usable, kind);
  if (start + local > usable) return undefined;
  const payload = new Payload(pages, bytes.slice(start, Math.min(usable, start + local + 4)), local, length);
  const values = await readValues(payload, mostOfText);
  return values && { rowid: id?.value, values };
}

/** Bytes of a payload on the page itself (Database file format, 1.6). */
function localLength(payload: Bytes, usable: Bytes, kind: TreeKind): Bytes {
  const most = kind === 'table' ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  if (payload <= most) return payload;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const fitting = least + ((payload - least) % (usable - 4));
  return fitting <= most ? fitting : least;
}

async function readValues(payload: Payload, mostOfText: Bytes): Promise<Value[] | undefined> {
  const head = varint(await payload.take(0, 9), 0);
  const headLength = Number(head?.value ?? 0n);
  if (!head || headLength < head.next || headLength > Math.min(payload.length, MAX_HEADER_BYTES))
    return undefined;
  const types = await payload.take(0, headLength);
  if (types.length < headLength) return undefined;
  const values: Value[] = [];
  let at = headLength;
  for (let next = head.next; next < headLength; ) {
    const type = varint(types, next);
    if (!type) return undefined;
    next = type.next;
    const serial = Number(type.value);
    const length = lengthOf(serial);
    values.push(
      at + length > payload.length || length < 0
        ? LOST
        : await readValue(payload, at, serial, length, mostOfText),
    );
    at += Math.max(0, length);
  }
  return values;
}

const LENGTHS = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, -1, -1];

/** -1 for types reserved for internal use. */
function lengthOf(serial: number): Bytes {
  return LENGTHS[serial] ?? (serial < 0 ? -1 : Math.floor((serial - 12) / 2));
}

async function readValue(
  payload: Payload,
  at: Bytes,
  serial: number,
  length: Bytes,
  mostOfText: Bytes,
): Promise<Value> {
  if (serial === 0) return NULL;
  if (serial === 8 || serial === 9) return { kind: 'integer', value: BigInt(serial - 8) };
  if (serial < 12) {
    const bytes = await payload.take(at, length);
    if (bytes.length < length) return LOST;
    if (serial === 7)
      return { kind: 'real', value: new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0) };
    return {
      kind: 'integer',
      value: BigInt.asIntN(8 * length, BigInt(`0x${Buffer.from(bytes).toString('hex')}`)),
    };
  }
  const kind = serial % 2 === 0 ? 'blob' : 'text';
  const wanted = kind === 'blob' ? (length > MAX_BLOB_BYTES ? 0 : length) : Math.min(length, mostOfText);
  const bytes = await payload.take(at, wanted);
  return bytes.length < wanted ? LOST : { kind, bytes, length };
}

/** The bytes of a row, of which overflow pages are read as far as they are asked for. */
class Payload {
  readonly length: Bytes;
  readonly #pages: Pages;
  readonly #pieces: Uint8Array[];
  /** Place of the first piece. */
  #start: Bytes = 0;
  #known: Bytes;
  #next: number;

  constructor(pages: Pages, cell: Uint8Array, local: Bytes, length: Bytes) {
    this.#pages = pages;
    this.length = length;
    this.#pieces = [cell.subarray(0, local)];
    this.#known = local;
    this.#next =
      local < length && cell.length >= local + 4
        ? new DataView(cell.buffer, cell.byteOffset, cell.byteLength).getUint32(local)
        : 0;
  }

  /** The bytes from `from` on, fewer where they are missing or past what is read. */
  async take(from: Bytes, length: Bytes): Promise<Uint8Array> {
    const end = Math.min(from + length, this.length);
    while (this.#known < end && this.#pages.follows() && (await this.#follow()))
      // Values are asked for in order: what is before this one is not needed again.
      while (this.#pieces.length > 1 && this.#start + (this.#pieces[0]?.length ?? 0) <= from)
        this.#start += this.#pieces.shift()?.length ?? 0;
    const parts: Uint8Array[] = [];
    let at = this.#start;
    for (const piece of this.#pieces) {
      if (at + piece.length > from && at < end) parts.push(piece.subarray(Math.max(0, from - at), end - at));
      at += piece.length;
    }
    const [only] = parts;
    return parts.length === 1 && only ? only : Buffer.concat(parts);
  }

  /** Reads the next overflow page. The length of the payload bounds a chain that loops. */
  async #follow(): Promise<boolean> {
    const page = this.#next === 0 ? undefined : await this.#pages.page(this.#next);
    if (!page) return false;
    this.#next = new DataView(page.buffer, page.byteOffset, page.byteLength).getUint32(0);
    const piece = page.slice(4, Math.min(this.#pages.header.usable, 4 + this.length - this.#known));
    this.#pieces.push(piece);
    this.#known += piece.length;
    return true;
  }
}

/** A varint of up to 9 bytes, big-endian, as a signed number of 64 bits. */
function varint(
  bytes: Uint8Array,
  at: number,
): { readonly value: bigint; readonly next: number } | undefined {
  let value = 0;
  for (let index = 0; index < 8; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) return undefined;
    // Exact up to 7 bytes; longer ones are read again.
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      if (index < 7) return { value: BigInt(value), next: at + index + 1 };
      return { value: wide(bytes, at, 8), next: at + 8 };
    }
  }
  if (bytes[at + 8] === undefined) return undefined;
  return { value: wide(bytes, at, 9), next: at + 9 };
}

function wide(bytes: Uint8Array, at: number, count: number): bigint {
  let value = 0n;
  for (let index = 0; index < Math.min(count, 8); index += 1)
    value = (value << 7n) | BigInt((bytes[at + index] ?? 0) & 0x7f);
  if (count === 9) value = (value << 8n) | BigInt(bytes[at + 8] ?? 0);
  return BigInt.asIntN(64, value);
}
