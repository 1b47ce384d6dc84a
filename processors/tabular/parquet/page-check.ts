// Checks the runs and deltas of a decompressed page before hyparquet expands them: a run of two bytes may claim a
// thousand million values. Expands nothing.

import type { DataPageHeader, PageHeader } from 'hyparquet';
import type { Library } from './library.ts';

type DataPageHeaderV2 = NonNullable<PageHeader['data_page_header_v2']>;
type Encoding = DataPageHeader['encoding'];

/** Values of a page; writers use some ten thousand. */
export const MAX_PAGE_VALUES: number = 8 * 1024 * 1024;
/** Values past the last that a bit-packed run may pad with. */
const PADDING = 512;
/** Bytes that values sharing their prefixes expand to. */
const MAX_EXPANDED = 256 * 1024 * 1024;

/** The levels of a column, and its values' type. */
export interface Shape {
  readonly repetition: number;
  readonly definition: number;
  readonly isBoolean: boolean;
  readonly isInt32: boolean;
  readonly typeLength: number;
}

const bad = (what: string): Error => new Error(`invalid ${what} in a page`);
const widthOf = (level: number): number => 32 - Math.clz32(level);

/** @throws for a page that claims more than it can hold. */
export function checkDataPage(page: Uint8Array, head: DataPageHeader, shape: Shape, library: Library): void {
  let at = 0;
  for (const level of [shape.repetition, shape.definition]) {
    if (level === 0) continue;
    if (at + 4 > page.length) throw bad('level');
    const length = uint32(page, at);
    at += 4;
    if (length > page.length - at) throw bad('level');
    checkRuns(page.subarray(at, at + length), widthOf(level), head.num_values);
    at += length;
  }
  checkValues(page.subarray(at), head.encoding, head.num_values, shape, library);
}

/** The same of version 2, where the levels are not compressed. `page` is levels and decompressed values. */
export function checkDataPageV2(
  page: Uint8Array,
  head: DataPageHeaderV2,
  shape: Shape,
  library: Library,
): void {
  const { repetition_levels_byte_length: first, definition_levels_byte_length: second } = head;
  if (shape.repetition > 0) checkRuns(page.subarray(0, first), widthOf(shape.repetition), head.num_values);
  if (shape.definition > 0)
    checkRuns(page.subarray(first, first + second), widthOf(shape.definition), head.num_values);
  // The count of nulls is not to be relied on, so that of the values is not known.
  checkValues(page.subarray(first + second), head.encoding, head.num_values, shape, library);
}

function checkValues(
  bytes: Uint8Array,
  encoding: Encoding,
  count: number,
  shape: Shape,
  library: Library,
): void {
  if (encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY') {
    const width = bytes[0] ?? 0;
    if (width > 32) throw bad('width');
    checkRuns(bytes.subarray(1), width, count);
  } else if (encoding === 'RLE') checkRuns(bytes.subarray(4), shape.isBoolean ? 1 : 32, count);
  else if (encoding === 'DELTA_BINARY_PACKED' || encoding === 'DELTA_LENGTH_BYTE_ARRAY')
    deltaEnd(bytes, count);
  else if (encoding === 'DELTA_BYTE_ARRAY') checkPrefixes(bytes, count, library);
  else if (encoding === 'BYTE_STREAM_SPLIT' && shape.typeLength * count > MAX_EXPANDED) throw bad('length');
}

/** Runs of the hybrid of run lengths and bit packing (Parquet encodings, RLE). */
function checkRuns(bytes: Uint8Array, width: number, count: number): void {
  const valueBytes = (width + 7) >> 3;
  let at = 0;
  for (let seen = 0; seen < count && at < bytes.length; ) {
    const [head, next] = varint(bytes, at);
    const isPacked = head % 2 === 1;
    const values = isPacked ? ((head - 1) / 2) * 8 : head / 2;
    if (values > count - seen + PADDING) throw bad('run');
    at = next + (isPacked ? (values / 8) * width : valueBytes);
    seen += values;
  }
}

/** The offset after a delta encoding of up to `count` values, and how many it states. */
function deltaEnd(bytes: Uint8Array, count: number): { readonly end: number; readonly total: number } {
  const [blockSize, second] = varint(bytes, 0);
  const [miniBlocks, third] = varint(bytes, second);
  const [total, fourth] = varint(bytes, third);
  if (miniBlocks < 1 || miniBlocks > 4096 || blockSize > MAX_PAGE_VALUES || total > MAX_PAGE_VALUES)
    throw bad('delta');
  const perMini = blockSize / miniBlocks;
  if (!Number.isInteger(perMini) || perMini < 1) throw bad('delta');
  let at = varint(bytes, fourth)[1];
  for (let seen = 1; seen < Math.min(count, total); ) {
    at = varint(bytes, at)[1];
    const widths = at;
    at += miniBlocks;
    for (let mini = 0; mini < miniBlocks && seen < Math.min(count, total); mini += 1, seen += perMini) {
      const width = bytes[widths + mini];
      if (width === undefined || width > 64) throw bad('delta');
      at += Math.ceil((width * perMini) / 8);
    }
  }
  return { end: at, total: Math.min(count, total) };
}

/** Values that share a prefix with the one before: their lengths must add up to something that fits in memory. */
function checkPrefixes(bytes: Uint8Array, count: number, { deltaBinaryUnpack }: Library): void {
  const { total } = deltaEnd(bytes, count);
  const prefixes = new Int32Array(total);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reader = { view, offset: 0 };
  if (total > 0) deltaBinaryUnpack(reader, total, prefixes);
  deltaEnd(bytes.subarray(reader.offset), count);
  let expanded = 0;
  for (const length of prefixes) {
    if (length < 0) throw bad('prefix');
    expanded += length;
  }
  if (expanded > MAX_EXPANDED) throw bad('prefix');
}

function uint32(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true);
}

function varint(bytes: Uint8Array, from: number): readonly [value: number, next: number] {
  let value = 0;
  for (let index = 0; index < 10; index += 1) {
    const byte = bytes[from + index];
    if (byte === undefined) throw bad('number');
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return [value, from + index + 1];
  }
  throw bad('number');
}
