// Salvages a zip file without its directory, as after an interrupted download: reads its local headers one after
// another (APPNOTE 4.3.7 to 4.3.9). Reads forward only, inflates nothing, and accepts a length only if a header or the
// end of the file follows it.

import { setImmediate } from 'node:timers/promises';
import { type Bytes, type Source, throwIfAborted } from '../contract/index.ts';
import { withZip64, type ZipDirectory, type ZipRecord } from './directory.ts';
import {
  DESCRIPTOR,
  DESCRIPTOR_FLAG,
  DIRECTORY_HEADER,
  EXTRA_DATA,
  LOCAL_HEADER,
  LOCAL_LENGTH,
  SINGLE_PART,
} from './format.ts';

const CRC_LENGTH = 4;
const MAX_DESCRIPTOR = 24;
const WINDOW_BYTES = 256 * 1024;
/** Maximum passes over the file in the search for lost headers. */
const MAX_PASSES = 2;
/** Maximum signatures checked in that search. A legitimate file has few: those of nested zips. */
const MAX_FOUND = 200_000;

/** True if the directory found in a file that begins as a zip container belongs to a nested zip. */
export async function isInnerDirectory(
  source: Source,
  { offset, shift }: ZipDirectory,
  signal?: AbortSignal,
): Promise<boolean> {
  if (shift === 0) return false;
  for await (const record of salvagedRecords(source, signal)) {
    const end =
      record.offset + LOCAL_LENGTH + record.name.length + record.extra.length + record.compressedSize;
    if (record.offset < shift && end > offset + shift) return true;
    if (end > shift) return false;
  }
  return false;
}

/**
 * Entries in file order, not nested, as long as one header leads to the next; the last may be truncated. None for a
 * file that does not begin with a local header.
 */
export async function* salvagedRecords(
  source: Source,
  signal?: AbortSignal,
): AsyncGenerator<ZipRecord, void, undefined> {
  const window = new Window(source, signal);
  const mark = await window.signature(0);
  let at = mark === DESCRIPTOR || mark === SINGLE_PART ? 4 : 0;
  while ((await window.signature(at)) === LOCAL_HEADER) {
    const header = await readHeader(window, at);
    if (!header) return;
    const { next, ...record } = await measured(window, header);
    yield record;
    at = next;
    if (!isHeader(await window.signature(at))) at = await window.findHeader(at);
  }
}

interface Header {
  readonly record: Omit<ZipRecord, 'cut'>;
  /** Start of the data. */
  readonly start: Bytes;
}

async function readHeader(window: Window, offset: Bytes): Promise<Header | undefined> {
  const head = await window.read(offset, LOCAL_LENGTH);
  if (head.byteLength < LOCAL_LENGTH) return undefined;
  const flags = head.getUint16(6, true);
  const method = head.getUint16(8, true);
  const time = head.getUint16(10, true);
  const date = head.getUint16(12, true);
  const crc = head.getUint32(14, true);
  const nameLength = head.getUint16(26, true);
  const length = nameLength + head.getUint16(28, true);
  const place = { compressedSize: head.getUint32(18, true), size: head.getUint32(22, true), offset };
  const fields = await window.read(offset + LOCAL_LENGTH, length);
  if (fields.byteLength < length) return undefined;
  const bytes = new Uint8Array(fields.buffer, fields.byteOffset, length).slice();
  const extra = bytes.subarray(nameLength);
  const { compressedSize, size } = withZip64(extra, place);
  return {
    record: {
      name: bytes.subarray(0, nameLength),
      extra,
      madeBy: 0,
      flags,
      method,
      time,
      date,
      crc,
      compressedSize,
      size,
      attributes: 0,
      offset,
      shift: 0,
    },
    start: offset + LOCAL_LENGTH + length,
  };
}

/** The entry with its actual extent, and where the walk continues. */
async function measured(
  window: Window,
  { record, start }: Header,
): Promise<ZipRecord & { readonly next: Bytes }> {
  const { size: fileSize } = window;
  const end = start + record.compressedSize;
  // With bit 3, or without any sizes, they follow the data.
  if ((record.flags & DESCRIPTOR_FLAG) === 0 && record.compressedSize > 0) {
    if (end > fileSize) return { ...record, compressedSize: fileSize - start, cut: true, next: fileSize };
    const follower = await window.signature(end);
    return { ...record, cut: follower >= 0 && !isHeader(follower), next: end };
  }
  const follower = await window.signature(start);
  if ((record.flags & DESCRIPTOR_FLAG) === 0 && (follower < 0 || isHeader(follower)))
    return { ...record, cut: false, next: start };
  // Sizes that match their own position must belong to this entry, so a nested zip misleads nobody.
  let first: Bytes | undefined;
  for (let from = start; ; from += 4) {
    from = await window.findHeader(from);
    const sizes = await window.descriptor(start, from);
    if (sizes) return { ...record, ...sizes, cut: false, next: from };
    if (from >= fileSize) break;
    first ??= from;
  }
  // A few bytes of the next header may be there.
  for (let from = fileSize - 1; from > fileSize - 4 && from > start; from--) {
    const sizes = await window.descriptor(start, from);
    if (sizes) return { ...record, ...sizes, cut: false, next: fileSize };
  }
  const next = first ?? fileSize;
  const until = record.method === 0 ? await window.beforeDescriptor(start, next) : next;
  return { ...record, compressedSize: until - start, cut: true, next };
}

const isHeader = (signature: number): boolean =>
  signature === LOCAL_HEADER || signature === DIRECTORY_HEADER || signature === EXTRA_DATA;

/** A window on the source that moves forward. */
class Window {
  readonly size: Bytes;
  readonly #source: Source;
  readonly #signal: AbortSignal | undefined;
  #bytes: Buffer = Buffer.alloc(0);
  #from: Bytes = 0;
  #searched: Bytes = 0;
  #found = 0;

  constructor(source: Source, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#signal = signal;
    this.size = source.size;
  }

  /** Up to `length` bytes, at most those of the window; valid until the next call. */
  async read(at: Bytes, length: Bytes): Promise<DataView> {
    const wanted = Math.max(0, Math.min(length, this.size - at));
    if (at < this.#from || at + wanted > this.#from + this.#bytes.length) {
      if (this.#signal) throwIfAborted(this.#signal);
      // Reads from memory never yield to the event loop, so an abort would not be noticed.
      await setImmediate();
      const piece = await this.#source.read(at, Math.min(WINDOW_BYTES, this.size - at));
      this.#bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      this.#from = at;
    }
    const held = this.#bytes.subarray(at - this.#from, at - this.#from + wanted);
    return new DataView(held.buffer, held.byteOffset, held.byteLength);
  }

  /** The four bytes there as a number; -1 past the end. */
  async signature(at: Bytes): Promise<number> {
    if (at + 4 > this.size) return -1;
    const data = await this.read(at, 4);
    return data.byteLength === 4 ? data.getUint32(0, true) : -1;
  }

  /** Start of the next header at or after `from`; the end of the file if there is none. */
  async findHeader(from: Bytes): Promise<Bytes> {
    let at = from;
    while (at + 4 <= this.size && this.#searched <= MAX_PASSES * this.size && this.#found < MAX_FOUND) {
      await this.read(at, 4);
      const held = this.#bytes;
      const start = at - this.#from;
      if (start + 4 > held.length) break;
      let found = held.indexOf('PK', start, 'latin1');
      while (found >= 0 && found + 4 <= held.length && !isHeader(held.readUInt32LE(found)))
        found = held.indexOf('PK', found + 2, 'latin1');
      const whole = found >= 0 && found + 4 <= held.length;
      // A signature may span the end of the window.
      const to = whole ? found : Math.max(start + 1, held.length - 3);
      this.#searched += to - start + 4;
      at = this.#from + to;
      if (whole) {
        this.#found += 1;
        return at;
      }
    }
    return this.size;
  }

  /** The sizes of the data from `start`, if they are right before `end`, in any of their four forms (APPNOTE 4.3.9). */
  async descriptor(
    start: Bytes,
    end: Bytes,
  ): Promise<Pick<ZipRecord, 'crc' | 'compressedSize' | 'size'> | undefined> {
    const from = Math.max(start, end - MAX_DESCRIPTOR);
    const length = end - from;
    const data = await this.read(from, length);
    if (data.byteLength < length) return undefined;
    for (const wide of [false, true])
      for (const signed of [true, false]) {
        const at = length - (signed ? 4 : 0) - CRC_LENGTH - (wide ? 16 : 8);
        if (at < 0 || (signed && data.getUint32(at, true) !== DESCRIPTOR)) continue;
        const crcAt = at + (signed ? 4 : 0);
        const field = (index: number): number => {
          const place = crcAt + CRC_LENGTH + index * (wide ? 8 : 4);
          const low = data.getUint32(place, true);
          return wide ? low + data.getUint32(place + 4, true) * 0x1_0000_0000 : low;
        };
        const compressedSize = field(0);
        if (compressedSize !== from + at - start) continue;
        // A signature that led to an entry does not count against the limit.
        this.#found -= 1;
        return { crc: data.getUint32(crcAt, true), compressedSize, size: field(1) };
      }
    return undefined;
  }

  /** `end`, or the start of a possibly truncated descriptor before it. */
  async beforeDescriptor(start: Bytes, end: Bytes): Promise<Bytes> {
    const from = Math.max(start, end - MAX_DESCRIPTOR - 3);
    const data = await this.read(from, end - from);
    const tail = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const mark = Buffer.from('PK\u0007\u0008', 'latin1');
    const at = tail.lastIndexOf(mark);
    if (at >= 0) return from + at;
    for (let length = 3; length > 0; length--)
      if (tail.length >= length && tail.subarray(tail.length - length).equals(mark.subarray(0, length)))
        return end - length;
    return end;
  }
}
