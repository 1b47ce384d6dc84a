// 7z archives: lists the files of the header, and unpacks one of them with those before it in its folder.

import { crc32 } from 'node:zlib';
import {
  type Bytes,
  type Entry,
  type EntryContext,
  quoted,
  ReaderError,
  type Source,
  visibleName,
  wrongPassword,
} from '../../../src/contract/index.ts';
import { corrupt, doubtfulPassword, gathered, InflateMeter } from '../../../src/zip/index.ts';
import { type ArchiveFiles, archiveFiles } from '../archive-files.ts';
import { PieceStream } from '../byte-stream.ts';
import type { Listing } from '../listing.ts';
import { lastName, type Member, MemberBounds } from '../member.ts';
import { BrokenLzma } from '../packed/lzma.ts';
import { ShortInput } from '../packed/lzma2.ts';
import { tooLarge } from '../refusal.ts';
import { BrokenHeader, type PackedFolder, readSevenHeader, type SevenFile } from './database.ts';
import { folderPieces, isEncrypted, unknownMethods } from './unpacking.ts';

const SIGNATURE_HEADER: Bytes = 32;
const MAX_HEADER: Bytes = 64 * 1024 * 1024;
/** Headers packed in headers; 7-Zip packs once. */
const MAX_LAYERS = 4;
/** 100 ns from 1601 to 1970. */
const UNIX_EPOCH = 116_444_736_000_000_000n;

interface SevenMember extends Member {
  readonly file: SevenFile;
}

export async function sevenZipListing(source: Source, context: EntryContext): Promise<Listing> {
  return { container: '7z', members: await readMembers(source, context) };
}

export const sevenZipFiles: ArchiveFiles = archiveFiles({ members: readMembers, open: openMember });

async function openMember(
  source: Source,
  { path, file }: SevenMember,
  context: EntryContext,
): Promise<Entry> {
  const name = visibleName(path);
  const { maxBytesInMemory } = context.limits;
  if (file.size > maxBytesInMemory) throw tooLarge(name, maxBytesInMemory);
  const meter = new InflateMeter(context.limits, source.name);
  const bytes = file.place ? await unpacked(source, file, context, meter) : Buffer.alloc(0);
  const isWrong = bytes.length < file.size || (file.sum !== undefined && crc32(bytes) !== file.sum);
  // Only the checksum tells a wrong password from a right one.
  if (isWrong && file.place && isEncrypted(file.place.folder)) throw doubtfulPassword(quoted(name));
  if (bytes.length < file.size)
    context.warn({
      code: 'SKIPPED_CONTENT',
      message: `The 7z data is damaged: ${bytes.length} of ${file.size} bytes of the entry could be unpacked.`,
    });
  else if (isWrong)
    context.warn({
      code: 'SKIPPED_CONTENT',
      message: 'The entry does not match its checksum: it may be damaged.',
    });
  const modified = momentOf(file);
  return { name: lastName(path), bytes, inflated: meter.inflated, ...(modified && { modified }) };
}

async function unpacked(
  source: Source,
  { place, size }: SevenFile,
  context: EntryContext,
  meter: InflateMeter,
): Promise<Buffer> {
  if (!place) return Buffer.alloc(0);
  const stream = new PieceStream(counted(source, place.folder, context, meter));
  const parts: Uint8Array[] = [];
  let left = size;
  try {
    await stream.skip(place.before);
    while (left > 0) {
      const piece = Uint8Array.from(await stream.take(Math.min(left, 64 * 1024)));
      if (piece.length === 0) break;
      parts.push(piece);
      left -= piece.length;
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
  } finally {
    await stream.close();
  }
  return Buffer.concat(parts);
}

async function* counted(
  source: Source,
  folder: PackedFolder,
  context: EntryContext,
  meter: InflateMeter,
): AsyncGenerator<Uint8Array, void> {
  const count = meter.pass(source.name, folder.to - folder.from);
  for await (const piece of folderPieces(source, folder, context)) {
    count(piece);
    yield piece;
  }
}

const isDamage = (error: unknown): boolean =>
  error instanceof BrokenLzma ||
  error instanceof ShortInput ||
  error instanceof BrokenHeader ||
  error instanceof RangeError;

async function readMembers(source: Source, context: EntryContext): Promise<SevenMember[]> {
  const bounds = new MemberBounds();
  return (await readFiles(source, context)).map((file) => {
    bounds.add(file.name);
    return memberOf(file);
  });
}

async function readFiles(source: Source, context: EntryContext): Promise<readonly SevenFile[]> {
  const start = Buffer.from(await source.read(0, SIGNATURE_HEADER));
  if (start.length < SIGNATURE_HEADER || crc32(start.subarray(12)) !== start.readUInt32LE(8))
    throw corrupt('The start of the 7z archive is damaged.');
  const from = SIGNATURE_HEADER + Number(start.readBigUInt64LE(12));
  const length = Number(start.readBigUInt64LE(20));
  if (length === 0) return [];
  if (from + length > source.size) throw corrupt('The 7z archive is truncated: its header is missing.');
  if (length > MAX_HEADER) throw tooLargeHeader(length);
  const bytes = await source.read(from, length);
  if (crc32(bytes) !== start.readUInt32LE(28)) throw corrupt('The header of the 7z archive is damaged.');
  return filesOf(bytes, source, context);
}

/** The files of a header, which may be packed and encrypted. */
async function filesOf(
  header: Uint8Array,
  source: Source,
  context: EntryContext,
): Promise<readonly SevenFile[]> {
  let bytes = header;
  let isLocked = false;
  try {
    for (let layer = 0; layer < MAX_LAYERS; layer += 1) {
      const read = readSevenHeader(bytes);
      if ('files' in read) return read.files;
      const { packed } = read;
      isLocked ||= isEncrypted(packed);
      const meter = new InflateMeter(context.limits, source.name);
      const { size, crc } = packed;
      if (size > MAX_HEADER) throw tooLargeHeader(size);
      const pieces = counted(source, packed, context, meter);
      ({ bytes } = await gathered(pieces, MAX_HEADER, () => tooLargeHeader(size)));
      bytes = bytes.subarray(0, size);
      if (crc !== undefined && crc32(bytes) !== crc) break;
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  if (isLocked) throw wrongPassword('The password does not open the 7z archive, or its header is damaged.');
  throw corrupt('The header of the 7z archive is damaged.');
}

function tooLargeHeader(length: Bytes): ReaderError {
  return new ReaderError(
    'LIMIT_EXCEEDED',
    `The header of the 7z archive has ${length} bytes; the limit is ${MAX_HEADER}.`,
    'Unpack it (for example with `7z x`) and read its files.',
  );
}

function memberOf(file: SevenFile): SevenMember {
  const { name, attributes, size, place, isFolder } = file;
  // 7-Zip on Unix keeps the mode above the attributes of Windows, and says so by one of them.
  const mode = attributes & 0x8000 ? attributes >>> 16 : 0;
  const isLink = (mode & 0xf000) === 0xa000;
  const path = isFolder && !name.endsWith('/') ? `${name}/` : name;
  const unknown = place ? unknownMethods(place.folder) : [];
  return {
    path,
    kind: isFolder ? 'folder' : isLink ? 'symlink' : 'file',
    // The content of a link is its target, which is not read.
    size: isFolder || isLink ? undefined : size,
    modified: momentOf(file)?.toISOString().slice(0, 16).replace('T', ' ') ?? '',
    notes: [
      ...(place && isEncrypted(place.folder) ? ['encrypted'] : []),
      ...(unknown.length > 0 ? [`packed with ${unknown.join(' and ')}`] : []),
    ],
    file,
  };
}

/** Undefined for a time outside the calendar. */
function momentOf({ modified }: SevenFile): Date | undefined {
  if (modified === undefined) return undefined;
  const date = new Date(Number((modified - UNIX_EPOCH) / 10_000n));
  const year = date.getUTCFullYear();
  return year >= 0 && year <= 9999 ? date : undefined;
}
