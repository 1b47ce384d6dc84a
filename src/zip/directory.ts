// The central directory of a zip file (APPNOTE 4.3): finds it, and reads its records one at a time in constant memory,
// and the local headers they point to. Trusts no length, count or offset, and does not decode names.

import { type Bytes, ReaderError, type Source } from '../contract/index.ts';
import {
  DIRECTORY_END,
  DIRECTORY_HEADER,
  LOCAL_HEADER,
  LOCAL_LENGTH,
  ZIP64_END,
  ZIP64_LOCATOR,
} from './format.ts';

/** The directory as the end record describes it. */
export interface ZipDirectory {
  readonly offset: Bytes;
  readonly size: Bytes;
  /** Number of entries as declared; a hint only. */
  readonly count: number;
  /** Bytes before the zip's own first byte, as in a self-extracting file. */
  readonly shift: Bytes;
  /** Which part of a split archive this file is, from 0; 0 for an archive in one file. */
  readonly part: number;
}

/** One record. `name` and `extra` are valid until the next record is read. */
export interface ZipRecord {
  readonly name: Uint8Array;
  readonly extra: Uint8Array;
  /** The system that created it: 0 MS-DOS, 3 Unix, 19 macOS (APPNOTE 4.4.2). */
  readonly madeBy: number;
  readonly flags: number;
  readonly method: number;
  /** MS-DOS time and date. */
  readonly time: number;
  readonly date: number;
  readonly crc: number;
  readonly compressedSize: Bytes;
  /** As declared; a hint only. */
  readonly size: Bytes;
  readonly attributes: number;
  /** Position of the local header in the file. */
  readonly offset: Bytes;
  /** `ZipDirectory.shift`, already added to `offset`. */
  readonly shift: Bytes;
  /** The end of the data is missing or uncertain: `compressedSize` covers what is there. */
  readonly cut: boolean;
}

const END_LENGTH = 22;
const MAX_COMMENT = 0xffff;
const RECORD_LENGTH = 46;
/** Marks a 32-bit field whose value is in the ZIP64 field. */
const IN_ZIP64 = 0xffffffff;
/** Longer than any record: 46 bytes and three fields of up to 65 535. */
const WINDOW_BYTES = 512 * 1024;

/** CORRUPT_FILE with a hint that suits both archives and documents. */
export function corrupt(message: string): ReaderError {
  return new ReaderError('CORRUPT_FILE', message, 'Check that the file was saved or transferred completely.');
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function wide(data: DataView, at: number): number {
  return data.getUint32(at, true) + data.getUint32(at + 4, true) * 0x1_0000_0000;
}

/** Finds the directory by its end record. @throws {ReaderError} CORRUPT_FILE if the file has none */
export async function findZipDirectory(source: Source): Promise<ZipDirectory> {
  const length = Math.min(source.size, END_LENGTH + MAX_COMMENT);
  const tail = await source.read(source.size - length, length);
  const data = view(tail);
  // A comment may contain something like an end record: prefer the record whose own comment ends with the file.
  for (const strict of [true, false])
    for (let at = tail.length - END_LENGTH; at >= 0; at--) {
      if (data.getUint32(at, true) !== DIRECTORY_END) continue;
      if (strict !== (at + END_LENGTH + data.getUint16(at + 20, true) === tail.length)) continue;
      const directory = await readEnd(source, data, at, source.size - length + at, strict);
      if (directory) return directory;
    }
  throw corrupt('The file is not a zip container, or its end is missing.');
}

/** Parses the end record at `at` of `data`, `end` of the file; undefined when its directory does not precede it. */
async function readEnd(
  source: Source,
  data: DataView,
  at: number,
  end: Bytes,
  strict: boolean,
): Promise<ZipDirectory | undefined> {
  let directory = {
    count: data.getUint16(at + 10, true),
    size: data.getUint32(at + 12, true),
    offset: data.getUint32(at + 16, true),
  };
  const disk = data.getUint16(at + 4, true);
  const part = disk === 0xffff ? 0 : disk;
  let before = end;
  if (directory.count === 0xffff || directory.size === IN_ZIP64 || directory.offset === IN_ZIP64) {
    const locator = view(await source.read(Math.max(0, end - 20), 20));
    if (locator.byteLength === 20 && locator.getUint32(0, true) === ZIP64_LOCATOR) {
      const place = wide(locator, 8);
      const record = place <= source.size ? view(await source.read(place, 56)) : locator;
      if (record.byteLength === 56 && record.getUint32(0, true) === ZIP64_END) {
        directory = { count: wide(record, 32), size: wide(record, 40), offset: wide(record, 48) };
        before = place;
      }
    }
  }
  // The directory is in an earlier part of the archive, not in this file.
  if (directory.offset + directory.size > before)
    return strict && part > 0 ? { ...directory, shift: 0, part } : undefined;
  // Records at the stated offset outweigh a gap after them, which then holds something else.
  const first = await source.read(directory.offset, 4);
  const inPlace = first.length === 4 && view(first).getUint32(0, true) === DIRECTORY_HEADER;
  const shift = inPlace ? 0 : before - directory.size - directory.offset;
  return { ...directory, shift, part };
}

/** The records of the directory up to the first damaged one. Returns how many bytes of the directory remain. */
export async function* zipRecords(
  source: Source,
  { offset, size, shift }: ZipDirectory,
): AsyncGenerator<ZipRecord, { readonly rest: Bytes }, undefined> {
  const end = Math.min(source.size, offset + shift + size);
  let position = offset + shift;
  let bytes: Uint8Array = new Uint8Array();
  let data = view(bytes);
  let at = 0;
  while (position + at < end) {
    if (bytes.length - at < MAX_RECORD && position + bytes.length < end) {
      position += at;
      bytes = await source.read(position, Math.min(WINDOW_BYTES, end - position));
      data = view(bytes);
      at = 0;
    }
    if (at + RECORD_LENGTH > bytes.length || data.getUint32(at, true) !== DIRECTORY_HEADER) break;
    const nameEnd = at + RECORD_LENGTH + data.getUint16(at + 28, true);
    const extraEnd = nameEnd + data.getUint16(at + 30, true);
    if (extraEnd > bytes.length) break;
    const extra = bytes.subarray(nameEnd, extraEnd);
    const place = withZip64(extra, {
      compressedSize: data.getUint32(at + 20, true),
      size: data.getUint32(at + 24, true),
      offset: data.getUint32(at + 42, true),
    });
    yield {
      name: bytes.subarray(at + RECORD_LENGTH, nameEnd),
      extra,
      madeBy: data.getUint8(at + 5),
      flags: data.getUint16(at + 8, true),
      method: data.getUint16(at + 10, true),
      time: data.getUint16(at + 12, true),
      date: data.getUint16(at + 14, true),
      crc: data.getUint32(at + 16, true),
      compressedSize: place.compressedSize,
      size: place.size,
      attributes: data.getUint32(at + 38, true),
      offset: place.offset + shift,
      shift,
      cut: false,
    };
    at = extraEnd + data.getUint16(at + 32, true);
  }
  return { rest: Math.max(0, end - position - at) };
}

const MAX_RECORD = RECORD_LENGTH + 3 * 0xffff;

/** The data of the first extra field with that id (APPNOTE 4.5.1), at most up to the end of `extra`. */
export function extraField(extra: Uint8Array, id: number): DataView | undefined {
  const data = view(extra);
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = data.getUint16(at + 2, true);
    const start = at + 4;
    if (data.getUint16(at, true) === id) return view(extra.subarray(start, start + length));
    at = start + length;
  }
  return undefined;
}

const ZIP64_FIELD = 1;

interface EntrySizes {
  readonly compressedSize: Bytes;
  readonly size: Bytes;
  readonly offset: Bytes;
}

/** `place` with the values that do not fit in 32 bits, from the extra field that holds them (APPNOTE 4.5.3). */
export function withZip64(extra: Uint8Array, place: EntrySizes): EntrySizes {
  const { size, compressedSize, offset } = place;
  if (size !== IN_ZIP64 && compressedSize !== IN_ZIP64 && offset !== IN_ZIP64) return place;
  const field = extraField(extra, ZIP64_FIELD);
  let at = 0;
  const read = (held: number): number => {
    if (held !== IN_ZIP64 || !field || at + 8 > field.byteLength) return held;
    at += 8;
    return wide(field, at - 8);
  };
  return { size: read(size), compressedSize: read(compressedSize), offset: read(offset) };
}

/** The header before an entry's data. */
export interface ZipLocal {
  readonly name: Uint8Array;
  readonly flags: number;
  readonly method: number;
  /** MS-DOS time. */
  readonly time: number;
  readonly compressedSize: Bytes;
  /** Position of the entry's data in the file. */
  readonly start: Bytes;
}

/** The local header at `offset`; undefined if there is none. */
export async function zipLocal(source: Source, offset: Bytes): Promise<ZipLocal | undefined> {
  const header = view(await source.read(offset, LOCAL_LENGTH));
  if (header.byteLength < LOCAL_LENGTH || header.getUint32(0, true) !== LOCAL_HEADER) return undefined;
  const nameLength = header.getUint16(26, true);
  return {
    name: await source.read(offset + LOCAL_LENGTH, nameLength),
    flags: header.getUint16(6, true),
    method: header.getUint16(8, true),
    time: header.getUint16(10, true),
    compressedSize: header.getUint32(18, true),
    start: offset + LOCAL_LENGTH + nameLength + header.getUint16(28, true),
  };
}
