// Zip archives: the directory as a list, one entry by name. Distrusts sizes, names, methods and flags; what the local
// headers say is held against the directory where an entry is shown or read.

import {
  type Bytes,
  type Entry,
  type EntryContext,
  type Folder,
  plural,
  quoted,
  ReaderError,
  type Source,
  throwIfAborted,
  visibleName,
} from '../../src/contract/index.ts';
import {
  CUT_OFF,
  findZipDirectory,
  isInnerDirectory,
  overlapping,
  salvagedRecords,
  type ZipDirectory,
  type ZipLocal,
  type ZipRecord,
  zipLocal,
  zipRecords,
} from '../../src/package/index.ts';
import { findMember } from './find-member.ts';
import { gather, InflateMeter, inflateRaw, storedBytes, tooLarge } from './inflate.ts';
import type { Listing } from './listing.ts';
import { type Member, MemberBounds, type MemberKind } from './member.ts';
import { linkRefused, warnOfTwins } from './refusal.ts';
import { methodName, zipName } from './zip-name.ts';

/** A member with what is needed to read it. */
interface ZipMember extends Member {
  readonly method: number;
  readonly encrypted: boolean;
  readonly crc: number;
  readonly compressedSize: Bytes;
  readonly offset: Bytes;
  /** Of the zip's own first byte in the file: some writers count from there, others from the file's. */
  readonly shift: Bytes;
  readonly raw: string;
  /** When it was modified, where that is told with its zone. */
  readonly moment: Date | undefined;
  /** The file ends inside of it. */
  readonly cut: boolean;
}

const MAX_DIRECTORY_BYTES = 256 * 1024 * 1024;
/** Local headers held against the directory for one listing. */
const MAX_CHECKED = 200;

async function readMembers(source: Source, context: EntryContext): Promise<readonly ZipMember[]> {
  const { signal, warn } = context;
  let directory: ZipDirectory;
  try {
    directory = await findZipDirectory(source);
    if (await isInnerDirectory(source, directory, signal)) throw cutOff();
  } catch (error) {
    if (!(error instanceof ReaderError) || error.code !== 'CORRUPT_FILE') throw error;
    const members = await salvage(source, context);
    if (members.length === 0) throw error;
    warn(CUT_OFF);
    return members;
  }
  if (directory.part > 0)
    throw new ReaderError(
      'UNSUPPORTED_FORMAT',
      `${quoted(source.name)} is part ${directory.part + 1} of a zip archive in several files.`,
      'Join the parts (for example with `zip -s 0 archive.zip --out whole.zip`) and read the result.',
    );
  if (directory.size > MAX_DIRECTORY_BYTES)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The directory of the zip archive has ${directory.size} bytes; at most ${MAX_DIRECTORY_BYTES} are read.`,
      'Unpack it and read its files.',
    );
  const members: ZipMember[] = [];
  const bounds = new MemberBounds();
  const records = zipRecords(source, directory);
  let rest: Bytes;
  for (;;) {
    const { value, done } = await records.next();
    if (done) {
      rest = value.rest;
      break;
    }
    if (members.length % 10_000 === 0) throwIfAborted(signal);
    const member = memberOf(value, directory.shift);
    bounds.add(member.path);
    members.push(member);
  }
  const bad = overlapping(members);
  if (bad)
    throw new ReaderError(
      'CORRUPT_FILE',
      `${quoted(visibleName(bad.path))} overlaps another entry of the zip archive, as in a bomb.`,
      'Do not unpack it; ask for it to be made again.',
    );
  if (rest > 0 && members.length === 0)
    throw new ReaderError(
      'CORRUPT_FILE',
      'The directory of the zip archive holds no readable entry.',
      'Check that it was saved or transferred completely.',
    );
  if (rest > 0)
    warn({
      code: 'SKIPPED_CONTENT',
      message: `The directory of the zip archive is damaged after ${plural(members.length, 'entry')}; ${plural(rest, 'byte')} of it are left out.`,
    });
  else if (members.length !== directory.count && members.length % 0x10000 !== directory.count % 0x10000)
    warn({
      code: 'SKIPPED_CONTENT',
      message: `The zip archive says that it has ${plural(directory.count, 'entry')}, but its directory lists ${members.length}.`,
    });
  if (directory.shift > 0)
    warn({
      code: 'SKIPPED_CONTENT',
      message: `${plural(directory.shift, 'byte')} stand before the zip archive and are not shown.`,
    });
  return members;
}

/** What can be found without a directory; a name whose data is all cut off is no member. */
async function salvage(source: Source, { signal }: EntryContext): Promise<readonly ZipMember[]> {
  const members: ZipMember[] = [];
  const bounds = new MemberBounds();
  for await (const record of salvagedRecords(source, signal)) {
    if (record.cut && record.compressedSize === 0) continue;
    const member = memberOf(record, 0, record.cut);
    bounds.add(member.path);
    members.push(member);
  }
  return members;
}

function cutOff(): ReaderError {
  return new ReaderError(
    'CORRUPT_FILE',
    'The end of the zip archive is missing.',
    'Check that it was saved or transferred completely.',
  );
}

function memberOf(record: ZipRecord, shift: Bytes, cut = false): ZipMember {
  const name = zipName(record.name, record.extra, (record.flags & 0x800) !== 0);
  const kind = kindOf(record, name);
  const encrypted = (record.flags & 1) !== 0;
  const method = record.method === AES ? aesMethod(record.extra) : record.method;
  return {
    path: kind === 'folder' && !/[/\\]$/.test(name) ? `${name}/` : name,
    raw: Buffer.from(record.name).toString('latin1'),
    kind,
    size: kind === 'folder' || (cut && record.size === 0) ? undefined : record.size,
    packed: record.compressedSize,
    modified: modifiedOf(record),
    notes: cut ? CUT : notesOf(encrypted, record.method === AES, method),
    method,
    encrypted,
    crc: record.crc,
    compressedSize: record.compressedSize,
    offset: record.offset,
    shift,
    moment: momentOf(record.extra),
    cut,
  };
}

const PLAIN: readonly string[] = [];
const CUT: readonly string[] = ['cut off'];

function notesOf(encrypted: boolean, aes: boolean, method: number): readonly string[] {
  if (!encrypted && (method === 0 || method === 8)) return PLAIN;
  return [
    ...(encrypted ? [aes ? 'encrypted (AES)' : 'encrypted'] : []),
    ...(method === 0 || method === 8 ? [] : [`packed with ${methodName(method)}`]),
  ];
}

/** WinZip AES: the true method stands in an extra field. */
const AES = 99;

function aesMethod(extra: Uint8Array): number {
  const data = new DataView(extra.buffer, extra.byteOffset, extra.byteLength);
  for (let at = 0; at + 4 <= extra.length; at += 4 + data.getUint16(at + 2, true))
    if (data.getUint16(at, true) === 0x9901 && at + 11 <= extra.length) return data.getUint16(at + 9, true);
  return AES;
}

/** By the Unix mode where a Unix made it, else by the slash and the folder bit of MS-DOS. */
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

/** Info-ZIP's extended timestamp: seconds since 1970 UTC, the modification first where its bit is set. */
function momentOf(extra: Uint8Array): Date | undefined {
  const data = new DataView(extra.buffer, extra.byteOffset, extra.byteLength);
  for (let at = 0; at + 4 <= extra.length; at += 4 + data.getUint16(at + 2, true))
    if (data.getUint16(at, true) === 0x5455 && at + 9 <= extra.length && (data.getUint8(at + 4) & 1) !== 0)
      return new Date(data.getInt32(at + 5, true) * 1000);
  return undefined;
}

/** What the zip archive holds. @throws {ReaderError} CORRUPT_FILE, LIMIT_EXCEEDED, UNSUPPORTED_FORMAT for one of several parts */
export async function zipListing(source: Source, context: EntryContext): Promise<Listing> {
  const members = await readMembers(source, context);
  let differing = 0;
  let first: ZipMember | undefined;
  for (const member of members.slice(0, MAX_CHECKED)) {
    throwIfAborted(context.signal);
    if (!differs(member, await localOf(source, member))) continue;
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

async function localOf(source: Source, { offset, shift }: ZipMember): Promise<ZipLocal | undefined> {
  const local = await zipLocal(source, offset);
  return local || shift === 0 ? local : zipLocal(source, offset - shift);
}

/** The local header names another file or says that it is packed otherwise; undefined is none at all. */
function differs(member: ZipMember, local: ZipLocal | undefined): boolean {
  if (!local) return true;
  if (member.cut) return false;
  // With bit 3 the sizes follow the data, and the header may leave them empty.
  const sized = (local.flags & 8) === 0 && local.compressedSize !== 0xffffffff;
  return (
    Buffer.from(local.name).toString('latin1') !== member.raw ||
    (local.method !== member.method && local.method !== AES) ||
    (sized && local.compressedSize !== member.compressedSize)
  );
}

/**
 * The entry at `path`, inflated.
 * @throws {ReaderError} FILE_NOT_FOUND, ENCRYPTED_FILE, UNSUPPORTED_FORMAT for how it is packed, LIMIT_EXCEEDED,
 * CORRUPT_FILE, NOT_A_FILE for a link
 */
export async function zipEntry(source: Source, path: string, context: EntryContext): Promise<Entry | Folder> {
  const said: Parameters<EntryContext['warn']>[0][] = [];
  const members = await readMembers(source, { ...context, warn: (warning) => said.push(warning) });
  const found = findMember(members, path, source, context.signal);
  if ('folder' in found) return found;
  const { member, same } = found;
  if (member.kind !== 'file') throw linkRefused(member);
  const name = visibleName(member.path);
  warnOfTwins(member, same, context);
  const local = await localOf(source, member);
  refuse(member, local, name);
  const bytes = await unpack(source, member, local?.start ?? 0, name, context);
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

function lastName(path: string): string {
  return path.split(/[/\\]/).filter(Boolean).at(-1) ?? path;
}

function refuse(member: ZipMember, local: ZipLocal | undefined, name: string): void {
  if (member.encrypted || ((local?.flags ?? 0) & 1) !== 0)
    throw new ReaderError(
      'ENCRYPTED_FILE',
      `The entry ${quoted(name)} is encrypted.`,
      'Unpack it with its password and read the result; a request cannot give one.',
    );
  if (!local)
    throw new ReaderError(
      'CORRUPT_FILE',
      `The entry ${quoted(name)} is not where the directory of the zip archive says.`,
      'Check that the archive was saved or transferred completely.',
    );
  if (member.method !== 0 && member.method !== 8)
    throw new ReaderError(
      'UNSUPPORTED_FORMAT',
      `The entry ${quoted(name)} is packed with ${methodName(member.method)}; stored and deflated entries are read.`,
      'Unpack it (for example with `7z x`) and read the result.',
    );
}

async function unpack(
  source: Source,
  member: ZipMember,
  start: Bytes,
  name: string,
  { limits, signal, warn }: EntryContext,
): Promise<Uint8Array> {
  const { method, compressedSize } = member;
  const end = Math.min(source.size, start + compressedSize);
  if (method === 0 && end - start > limits.maxBytesInMemory) throw tooLarge(name, limits.maxBytesInMemory);
  const pieces =
    method === 0 ? storedBytes(source, start, end, signal) : inflateRaw(source, start, end, signal);
  const meter = new InflateMeter(limits, name);
  const got = await gather(pieces, compressedSize, meter, limits, name);
  const { length } = got.bytes;
  const broken = member.cut || got.end.state !== 'ended' || start + compressedSize > source.size;
  if (broken && length === 0 && member.size !== 0)
    throw new ReaderError(
      'CORRUPT_FILE',
      `The data of the entry ${quoted(name)} cannot be inflated.`,
      'Check that the archive was saved or transferred completely.',
    );
  const faults = [
    ...(broken ? [`its data is damaged or cut off after ${plural(length, 'byte')}`] : []),
    ...(length !== member.size && (!member.cut || member.size !== undefined)
      ? [`it states ${plural(member.size ?? 0, 'byte')} and has ${length}`]
      : []),
    ...(!member.cut && got.crc !== member.crc ? ['its checksum does not match'] : []),
  ];
  if (faults.length > 0)
    warn({
      code: 'SKIPPED_CONTENT',
      message: `The entry ${quoted(name)} may be damaged: ${faults.join('; ')}.`,
    });
  return got.bytes;
}
