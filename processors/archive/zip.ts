// Zip archives: lists the central directory, and reads one entry by name. Sizes, names, methods and flags are
// untrusted; local headers are compared with the directory wherever an entry is shown or read.

import { crc32 } from 'node:zlib';
import {
  type Entry,
  type EntryContext,
  plural,
  quoted,
  ReaderError,
  type Source,
  throwIfAborted,
  visibleName,
} from '../../src/contract/index.ts';
import {
  AES,
  CUT_OFF,
  corrupt,
  DEFLATED,
  DESCRIPTOR_FLAG,
  type Decrypted,
  decryptedEntry,
  doubtfulPassword,
  entryLocal,
  entryPieces,
  extraField,
  gathered,
  InflateMeter,
  isEncrypted,
  methodName,
  readableLocal,
  readZip,
  STORED,
  type ZipData,
  type ZipEntry,
  type ZipLocal,
  type ZipRecord,
} from '../../src/zip/index.ts';
import { type ArchiveFiles, archiveFiles } from './archive-files.ts';
import type { Listing } from './listing.ts';
import { lastName, type Member, MemberBounds, type MemberKind } from './member.ts';
import { tooLarge } from './refusal.ts';

/** A member with the fields needed to read it. */
interface ZipMember extends Member, ZipData {
  /** The raw name, one byte per character. */
  readonly raw: string;
  /** Modification time, if recorded in UTC. */
  readonly moment: Date | undefined;
}

const MAX_DIRECTORY_BYTES = 256 * 1024 * 1024;
/** Maximum local headers compared with the directory per listing. */
const MAX_CHECKED = 200;

async function readMembers(source: Source, { signal, warn }: EntryContext): Promise<readonly ZipMember[]> {
  const bounds = new MemberBounds();
  const keep = (entry: ZipEntry, record: ZipRecord): ZipMember => {
    bounds.add(entry.name);
    return memberOf(entry, record);
  };
  const { entries, directory, rest, names } = await readZip(source, MAX_DIRECTORY_BYTES, keep, signal);
  const guess = names?.warning('Names in the zip archive');
  if (guess) warn(guess);
  if (!directory) {
    warn(CUT_OFF);
    return entries;
  }
  const { count, shift } = directory;
  if (rest > 0 && entries.length === 0) throw corrupt('The zip directory has no readable entry.');
  if (rest > 0)
    warn({
      code: 'SKIPPED_CONTENT',
      message: `The zip directory is damaged after ${plural(entries.length, 'entry')}; ${plural(rest, 'byte')} of it are left out.`,
    });
  else if (entries.length !== count && entries.length % 0x10000 !== count % 0x10000)
    warn({
      code: 'SKIPPED_CONTENT',
      message: `The zip archive states ${plural(count, 'entry')}, but its directory lists ${entries.length}.`,
    });
  if (shift > 0)
    warn({
      code: 'SKIPPED_CONTENT',
      message: `${plural(shift, 'byte')} before the zip archive are not shown.`,
    });
  return entries;
}

function memberOf(entry: ZipEntry, record: ZipRecord): ZipMember {
  const { name, method, encrypted, aes, crc, compressedSize, offset, shift, cut } = entry;
  const kind = kindOf(record, name);
  // Spreading `entry` would create slow, large objects, and there may be a million.
  return {
    name,
    method,
    encrypted,
    aes,
    crc,
    compressedSize,
    offset,
    shift,
    cut,
    path: kind === 'folder' && !/[/\\]$/.test(name) ? `${name}/` : name,
    raw: Buffer.from(record.name).toString('latin1'),
    kind,
    size: kind === 'folder' || (cut && entry.size === 0) ? undefined : entry.size,
    packed: compressedSize,
    modified: modifiedOf(record),
    notes: cut ? CUT : notesOf(entry),
    moment: momentOf(record.extra),
  };
}

const PLAIN: readonly string[] = [];
const CUT: readonly string[] = ['cut off'];

const isRead = (method: number): boolean => method === STORED || method === DEFLATED;

function notesOf({ encrypted, aes, method }: ZipEntry): readonly string[] {
  if (!encrypted && isRead(method)) return PLAIN;
  const inner = aes?.method ?? method;
  return [
    ...(encrypted ? [method === AES ? 'encrypted (AES)' : 'encrypted'] : []),
    ...(isRead(inner) ? [] : [`packed with ${methodName(inner)}`]),
  ];
}

const TIMESTAMP_FIELD = 0x5455;

/** The Unix mode if a Unix system made the entry, else the trailing slash and the MS-DOS folder bit. */
function kindOf({ madeBy, attributes }: ZipRecord, name: string): MemberKind {
  const type = madeBy === 3 || madeBy === 19 ? (attributes >>> 28) & 0xf : 0;
  switch (type) {
    case 0xa:
      return 'symlink';
    case 0x4:
      return 'folder';
    case 0x2:
    case 0x6:
      return 'device';
    case 0x1:
      return 'pipe';
    case 0xc:
      return 'socket';
  }
  return name.endsWith('/') || (madeBy === 0 && (attributes & 0x10) !== 0) ? 'folder' : 'file';
}

function modifiedOf({ date, time }: ZipRecord): string {
  const month = (date >> 5) & 0xf;
  const day = date & 0x1f;
  const hour = time >> 11;
  const minute = (time >> 5) & 0x3f;
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59) return '';
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${1980 + (date >> 9)}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}`;
}

/** Info-ZIP's extended timestamp: seconds since 1970 UTC, the modification time first if its bit is set. */
function momentOf(extra: Uint8Array): Date | undefined {
  const field = extraField(extra, TIMESTAMP_FIELD);
  if (!field || field.byteLength < 5 || (field.getUint8(0) & 1) === 0) return undefined;
  return new Date(field.getInt32(1, true) * 1000);
}

/**
 * Lists a zip archive. @throws {ReaderError} CORRUPT_FILE, LIMIT_EXCEEDED, UNSUPPORTED_FORMAT for a multi-part archive
 */
export async function zipListing(source: Source, context: EntryContext): Promise<Listing> {
  const members = await readMembers(source, context);
  let differing = 0;
  let first: ZipMember | undefined;
  for (const member of members.slice(0, MAX_CHECKED)) {
    throwIfAborted(context.signal);
    if (!differs(member, await entryLocal(source, member))) continue;
    differing += 1;
    first ??= member;
  }
  if (first)
    context.warn({
      code: 'UNSAFE_NAMES',
      message: `The directory and the local headers of the zip archive disagree on ${plural(differing, 'entry')}, first ${quoted(visibleName(first.path))}: programs may see different files in it.`,
    });
  return { container: 'zip', members };
}

/** True if the local header is missing or states another name or compression. */
function differs(member: ZipMember, local: ZipLocal | undefined): boolean {
  if (!local) return true;
  if (member.cut) return false;
  // With a data descriptor the sizes follow the data, and the header may leave them empty.
  const sized = (local.flags & DESCRIPTOR_FLAG) === 0 && local.compressedSize !== 0xffffffff;
  return (
    Buffer.from(local.name).toString('latin1') !== member.raw ||
    local.method !== member.method ||
    (sized && local.compressedSize !== member.compressedSize)
  );
}

/** The files of a zip archive, decrypted if they are encrypted. */
export const zipFiles: ArchiveFiles = archiveFiles({ members: readMembers, open: openMember });

async function openMember(source: Source, member: ZipMember, context: EntryContext): Promise<Entry> {
  const name = visibleName(member.path);
  const local = await readableLocal(source, member);
  const opened = isEncrypted(member, local)
    ? await decryptedEntry(source, member, local, context)
    : undefined;
  const bytes = await unpack(source, member, { local, opened }, name, context);
  if (differs(member, local))
    context.warn({
      code: 'UNSAFE_NAMES',
      message: `The local header of ${quoted(name)} disagrees with the directory of the zip archive.`,
    });
  return {
    name: lastName(member.path),
    bytes,
    ...(member.moment && { modified: member.moment }),
  };
}

async function unpack(
  source: Source,
  member: ZipMember,
  { local, opened }: { readonly local: ZipLocal; readonly opened: Decrypted | undefined },
  name: string,
  { limits, signal, warn }: EntryContext,
): Promise<Uint8Array> {
  const { size } = member;
  const { method, compressedSize } = opened ?? member;
  const start = opened ? 0 : local.start;
  if (!isRead(method))
    throw new ReaderError(
      'UNSUPPORTED_FORMAT',
      `The entry ${quoted(name)} is packed with ${methodName(method)}; only stored and deflated entries can be read.`,
      'Extract it (for example with `7z x`) and read the result.',
    );
  const { maxBytesInMemory } = limits;
  const count = new InflateMeter(limits, name).pass(name, compressedSize);
  let crc = 0;
  const sum = (piece: Uint8Array): void => {
    count(piece);
    crc = crc32(piece, crc);
  };
  const { bytes, end } = await gathered(
    entryPieces(opened?.source ?? source, { method, compressedSize, size }, start, sum, signal),
    maxBytesInMemory,
    () => tooLarge(name, maxBytesInMemory),
  );
  const { length } = bytes;
  const whole = local.start + member.compressedSize <= source.size;
  const broken = member.cut || end.state !== 'ended' || !whole;
  const differs = !member.cut && opened?.hasChecksum !== false && crc !== member.crc;
  // Nothing but the checksum tells a wrong password from a right one for sure.
  if (opened && !opened.isCertain && whole && (broken || differs)) throw doubtfulPassword(quoted(name));
  if (broken && length === 0 && size !== 0)
    throw corrupt(`The data of the entry ${quoted(name)} cannot be inflated.`);
  const faults = [
    ...(broken ? [`its data is damaged or cut off after ${plural(length, 'byte')}`] : []),
    ...(length !== size && (!member.cut || size !== undefined)
      ? [`it states ${plural(size ?? 0, 'byte')} and has ${length}`]
      : []),
    ...(differs ? ['its checksum does not match'] : []),
  ];
  if (faults.length > 0)
    warn({
      code: 'SKIPPED_CONTENT',
      message: `The entry ${quoted(name)} may be damaged: ${faults.join('; ')}.`,
    });
  return bytes;
}
