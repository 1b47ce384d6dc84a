// One entry of a zip file, for archives and packages: its decoded name, and access to its data.

import { type Bytes, passwordNeeded, quoted, type Source, visibleName } from '../contract/index.ts';
import { corrupt, type ZipLocal, type ZipRecord, zipLocal } from './directory.ts';
import { AES, ENCRYPTED_FLAG, STORED, UTF8_FLAG } from './format.ts';
import { inflateRaw, type Pieces, storedBytes } from './inflate.ts';
import type { CountInflated } from './meter.ts';
import { zipName } from './name.ts';

/** What is needed to read an entry, from its record. */
export interface ZipData {
  /** As in the file. Untrusted. */
  readonly name: string;
  /** Compression method (APPNOTE 4.4.5). */
  readonly method: number;
  readonly encrypted: boolean;
  readonly crc: number;
  readonly compressedSize: Bytes;
  /** As declared; a hint only. */
  readonly size: Bytes | undefined;
  /** Position of the local header in the file. */
  readonly offset: Bytes;
  /**
   * Bytes before the zip's own first byte: some writers count offsets from there, others from the start of the file.
   */
  readonly shift: Bytes;
  /** The end of the data is missing or uncertain: it inflates to the beginning of the whole. */
  readonly cut: boolean;
}

/** An entry as described by its record. */
export interface ZipEntry extends ZipData {
  readonly size: Bytes;
}

export function zipEntryOf(record: ZipRecord): ZipEntry {
  const { name, extra, flags, method, crc, compressedSize, size, offset, shift, cut } = record;
  return {
    name: zipName(name, extra, (flags & UTF8_FLAG) !== 0),
    method,
    encrypted: (flags & ENCRYPTED_FLAG) !== 0 || method === AES,
    crc,
    compressedSize,
    size,
    offset,
    shift,
    cut,
  };
}

/** The entry's local header; undefined if there is none. */
export async function entryLocal(source: Source, { offset, shift }: ZipData): Promise<ZipLocal | undefined> {
  const local = await zipLocal(source, offset);
  return local || shift === 0 ? local : zipLocal(source, offset - shift);
}

/**
 * The local header of an entry to be read.
 * @throws {ReaderError} ENCRYPTED_FILE by either header, CORRUPT_FILE if there is no local one
 */
export async function readableLocal(source: Source, entry: ZipData): Promise<ZipLocal> {
  const local = await entryLocal(source, entry);
  const name = quoted(visibleName(entry.name));
  if (entry.encrypted || ((local?.flags ?? 0) & ENCRYPTED_FLAG) !== 0)
    throw passwordNeeded(`The entry ${name} of the zip file is encrypted.`);
  if (!local) throw corrupt(`The entry ${name} is not at the position given in the zip directory.`);
  return local;
}

/** The contents of a stored or deflated entry whose data begins at `start`. */
export function entryPieces(
  source: Source,
  { method, compressedSize, size }: ZipData,
  start: Bytes,
  count: CountInflated,
  signal: AbortSignal,
): Pieces {
  const stretch = { from: start, to: start + compressedSize, size };
  return (method === STORED ? storedBytes : inflateRaw)(source, stretch, count, signal);
}
