// One entry of a zip file, for archives and packages: its decoded name, and access to its data.

import { type Bytes, quoted, type Source, visibleName } from '../contract/index.ts';
import type { FieldEncoding } from '../encoding/index.ts';
import { corrupt, extraField, type ZipLocal, type ZipRecord, zipLocal } from './directory.ts';
import { AES, AES_FIELD, ENCRYPTED_FLAG, STORED, STRONG_FLAG, UTF8_FLAG } from './format.ts';
import { inflateRaw, type Pieces, storedBytes } from './inflate.ts';
import type { CountInflated } from './meter.ts';
import { knownName } from './name.ts';

/** The extra field of WinZip AES (https://www.winzip.com/en/support/aes-encryption/). */
export interface ZipAes {
  /** 1: with a checksum of the content; 2: without one. */
  readonly version: number;
  /** 1, 2, 3: keys of 128, 192, 256 bits. */
  readonly strength: number;
  /** Compression method behind the encryption. */
  readonly method: number;
}

/** What is needed to read an entry, from its record. */
export interface ZipData {
  /** As in the file. Untrusted. */
  readonly name: string;
  /** Compression method (APPNOTE 4.4.5). */
  readonly method: number;
  readonly encrypted: boolean;
  /** How an entry of method `AES` is encrypted; undefined for others. */
  readonly aes: ZipAes | undefined;
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

/** The name of a record, if its encoding is known. */
export const knownNameOf = ({ name, extra, flags }: ZipRecord): string | undefined =>
  knownName(name, extra, (flags & UTF8_FLAG) !== 0);

/** @param names decodes one that declares no encoding */
export function zipEntryOf(record: ZipRecord, names: FieldEncoding | undefined): ZipEntry {
  const { name, extra, flags, method, crc, compressedSize, size, offset, shift, cut } = record;
  return {
    name: knownNameOf(record) ?? names?.decode(name) ?? '',
    method,
    encrypted: (flags & ENCRYPTED_FLAG) !== 0 || method === AES,
    aes: method === AES ? aesOf(extra) : undefined,
    crc,
    compressedSize,
    size,
    offset,
    shift,
    cut,
  };
}

function aesOf(extra: Uint8Array): ZipAes | undefined {
  const field = extraField(extra, AES_FIELD);
  if (!field || field.byteLength < 7) return undefined;
  return {
    version: field.getUint16(0, true),
    strength: field.getUint8(4),
    method: field.getUint16(5, true),
  };
}

/** The entry's local header; undefined if there is none. */
export async function entryLocal(source: Source, { offset, shift }: ZipData): Promise<ZipLocal | undefined> {
  const local = await zipLocal(source, offset);
  return local || shift === 0 ? local : zipLocal(source, offset - shift);
}

/** The local header of an entry to be read. @throws {ReaderError} CORRUPT_FILE if there is none */
export async function readableLocal(source: Source, entry: ZipData): Promise<ZipLocal> {
  const local = await entryLocal(source, entry);
  if (local) return local;
  throw corrupt(
    `The entry ${quoted(visibleName(entry.name))} is not at the position given in the zip directory.`,
  );
}

/** True if either header says so. */
export const isEncrypted = ({ encrypted }: ZipData, { flags }: ZipLocal): boolean =>
  encrypted || (flags & ENCRYPTED_FLAG) !== 0;

/** True for PKWARE's strong encryption. */
export const isStrong = ({ flags }: ZipLocal): boolean => (flags & STRONG_FLAG) !== 0;

/** The contents of a stored or deflated entry whose data begins at `start`. */
export function entryPieces(
  source: Pick<Source, 'read'>,
  { method, compressedSize, size }: Pick<ZipData, 'method' | 'compressedSize' | 'size'>,
  start: Bytes,
  count: CountInflated,
  signal: AbortSignal,
): Pieces {
  const stretch = { from: start, to: start + compressedSize, size };
  return (method === STORED ? storedBytes : inflateRaw)(source, stretch, count, signal);
}
