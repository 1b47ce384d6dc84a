// The central directory of a zip container (APPNOTE 4.3): where it lies, and its records one after another in constant
// memory. Believes no length, count or offset; judges no name.

import { type Bytes, ReaderError, type Source } from '../contract/index.ts';

/** Where the directory lies in the file, and what the end record claims of it. */
export interface ZipDirectory {
  readonly offset: Bytes;
  readonly size: Bytes;
  /** As claimed; the records themselves decide. */
  readonly count: number;
  /** What stands before the zip's own first byte, as in a self-extracting file. */
  readonly shift: Bytes;
  /** Number of the part that this file is of an archive in several, from 0; 0 for a whole one. */
  readonly part: number;
}

/** One record. `name` and `extra` are valid until the next record is asked for. */
export interface ZipRecord {
  readonly name: Uint8Array;
  readonly extra: Uint8Array;
  /** The system that made it: 0 MS-DOS, 3 Unix, 19 macOS (APPNOTE 4.4.2). */
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
  /** Of the local header, in the file. */
  readonly offset: Bytes;
}

const END_SIGNATURE = 0x06054b50;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_END = 0x06064b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const END_LENGTH = 22;
const MAX_COMMENT = 0xffff;
const RECORD_LENGTH = 46;
/** Longer than any record: 46 bytes and three fields of up to 65 535. */
const WINDOW_BYTES = 512 * 1024;

/** CORRUPT_FILE with the advice that fits a container. */
export function corrupt(message: string, cause?: unknown): ReaderError {
  return new ReaderError(
    'CORRUPT_FILE',
    message,
    'Open the file in the program that made it and save it again.',
    cause,
  );
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function wide(data: DataView, at: number): number {
  return data.getUint32(at, true) + data.getUint32(at + 4, true) * 0x1_0000_0000;
}

/** Finds the directory by its end record. @throws {ReaderError} CORRUPT_FILE where there is none inside the file */
export async function findZipDirectory(source: Source): Promise<ZipDirectory> {
  const length = Math.min(source.size, END_LENGTH + MAX_COMMENT);
  const tail = await source.read(source.size - length, length);
  const data = view(tail);
  // A comment may hold what looks like an end record: the one whose own comment ends with the file comes first.
  for (const strict of [true, false])
    for (let at = tail.length - END_LENGTH; at >= 0; at--) {
      if (data.getUint32(at, true) !== END_SIGNATURE) continue;
      if (strict !== (at + END_LENGTH + data.getUint16(at + 20, true) === tail.length)) continue;
      const directory = await readEnd(source, data, at, source.size - length + at, strict);
      if (directory) return directory;
    }
  throw corrupt('The file is not a zip container, or its end is missing.');
}

/** What the end record at `at` of `data`, `end` of the file, says; undefined when its directory is not before it. */
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
  if (directory.count === 0xffff || directory.size === 0xffffffff || directory.offset === 0xffffffff) {
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
  // A directory in an earlier part of the archive cannot lie in this one.
  if (directory.offset + directory.size > before)
    return strict && part > 0 ? { ...directory, shift: 0, part } : undefined;
  // Records where they are said to be outweigh a gap behind them, which holds something else then.
  const first = await source.read(directory.offset, 4);
  const inPlace = first.length === 4 && view(first).getUint32(0, true) === CENTRAL_SIGNATURE;
  const shift = inPlace ? 0 : before - directory.size - directory.offset;
  return { ...directory, shift, part };
}

/**
 * The records of the directory, as long as they are records, whatever count is claimed. Returns how many bytes of the
 * directory are left over.
 */
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
    if (at + RECORD_LENGTH > bytes.length || data.getUint32(at, true) !== CENTRAL_SIGNATURE) break;
    const nameEnd = at + RECORD_LENGTH + data.getUint16(at + 28, true);
    const extraEnd = nameEnd + data.getUint16(at + 30, true);
    if (extraEnd > bytes.length) break;
    const sizes = {
      compressedSize: data.getUint32(at + 20, true),
      size: data.getUint32(at + 24, true),
      offset: data.getUint32(at + 42, true),
    };
    readZip64(data, nameEnd, extraEnd, sizes);
    yield {
      name: bytes.subarray(at + RECORD_LENGTH, nameEnd),
      extra: bytes.subarray(nameEnd, extraEnd),
      madeBy: data.getUint8(at + 5),
      flags: data.getUint16(at + 8, true),
      method: data.getUint16(at + 10, true),
      time: data.getUint16(at + 12, true),
      date: data.getUint16(at + 14, true),
      crc: data.getUint32(at + 16, true),
      compressedSize: sizes.compressedSize,
      size: sizes.size,
      attributes: data.getUint32(at + 38, true),
      offset: sizes.offset + shift,
    };
    at = extraEnd + data.getUint16(at + 32, true);
  }
  return { rest: Math.max(0, end - position - at) };
}

const MAX_RECORD = RECORD_LENGTH + 3 * 0xffff;

/** Fills in what the 32-bit fields could not hold (APPNOTE 4.5.3), from the extra fields between `from` and `to`. */
export function readZip64(
  data: DataView,
  from: number,
  to: number,
  entry: { compressedSize: number; size: number; offset: number },
): void {
  for (let at = from; at + 4 <= to; ) {
    const length = data.getUint16(at + 2, true);
    if (data.getUint16(at, true) === 1) {
      let field = at + 4;
      const end = Math.min(to, field + length);
      const next = (): number | undefined => {
        if (field + 8 > end) return undefined;
        field += 8;
        return wide(data, field - 8);
      };
      if (entry.size === 0xffffffff) entry.size = next() ?? entry.size;
      if (entry.compressedSize === 0xffffffff) entry.compressedSize = next() ?? entry.compressedSize;
      if (entry.offset === 0xffffffff) entry.offset = next() ?? entry.offset;
      return;
    }
    at += 4 + length;
  }
}

/** The first record that begins inside the data of another, as in a bomb of overlapping entries. */
export function overlapping<Stretch extends { readonly offset: Bytes; readonly compressedSize: Bytes }>(
  records: readonly Stretch[],
): Stretch | undefined {
  const sorted = [...records].sort((a, b) => a.offset - b.offset);
  let end = 0;
  for (const record of sorted) {
    if (record.offset < end) return record;
    end = record.offset + LOCAL_LENGTH + record.compressedSize;
  }
  return undefined;
}

/** Of a local header without its name and extra fields. */
export const LOCAL_LENGTH = 30;
const LOCAL_SIGNATURE = 0x04034b50;

/** What stands before an entry's data. */
export interface ZipLocal {
  readonly name: Uint8Array;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: Bytes;
  readonly size: Bytes;
  /** Of the entry's data, in the file. */
  readonly start: Bytes;
}

/** The local header at `offset`; undefined where there is none. */
export async function zipLocal(source: Source, offset: Bytes): Promise<ZipLocal | undefined> {
  const header = view(await source.read(offset, LOCAL_LENGTH));
  if (header.byteLength < LOCAL_LENGTH || header.getUint32(0, true) !== LOCAL_SIGNATURE) return undefined;
  const nameLength = header.getUint16(26, true);
  return {
    name: await source.read(offset + LOCAL_LENGTH, nameLength),
    flags: header.getUint16(6, true),
    method: header.getUint16(8, true),
    crc: header.getUint32(14, true),
    compressedSize: header.getUint32(18, true),
    size: header.getUint32(22, true),
    start: offset + LOCAL_LENGTH + nameLength + header.getUint16(28, true),
  };
}
