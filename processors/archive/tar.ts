// Tar: walks the headers of any byte stream and skips the data. Reports links, devices and sparse files; follows none.

import {
  type Bytes,
  type EntryContext,
  plural,
  ReaderError,
  type Source,
  visibleName,
  type Warning,
} from '../../src/contract/index.ts';
import { encodingOfFields } from '../../src/encoding/index.ts';
import { type ArchiveFiles, archiveFiles } from './archive-files.ts';
import { type ByteStream, SourceStream } from './byte-stream.ts';
import type { Listing } from './listing.ts';
import { lastName, type Member, MemberBounds } from './member.ts';
import { tooLarge } from './refusal.ts';
import {
  checksumHolds,
  decodeText,
  isZero,
  kindOf,
  paxRecords,
  readTarHeader,
  TAR_BLOCK,
  type TarHeader,
  undecoded,
} from './tar-header.ts';

export { TAR_BLOCK, tarStarts } from './tar-header.ts';

/** Extended headers hold names and times; no legitimate one is larger. */
const MAX_EXTENDED_BYTES = 1024 * 1024;
const DATELESS = '';

interface TarMember extends Member {
  /** Start of the data in the uncompressed archive. */
  readonly start: Bytes;
  readonly sparse: boolean;
  /** Bytes of data present: fewer than `size` if the archive is truncated. */
  readonly there: Bytes;
}

/** Fields collected from extended headers for the next member. */
interface Pending {
  pax: Map<string, string>;
  name?: string;
  target?: string;
}

/** All members. @throws {ReaderError} CORRUPT_FILE if the first block is not a header, LIMIT_EXCEEDED */
async function walk(stream: ByteStream, { warn }: Pick<EntryContext, 'warn'>): Promise<readonly TarMember[]> {
  const members = await walkHeaders(stream, { warn });
  const names = members.flatMap(({ path, target = '' }) =>
    [path, target].flatMap((text) => undecoded(text) ?? []),
  );
  const encoding = await encodingOfFields(names);
  const warning = encoding.warning('Names in the tar archive');
  if (!warning) return members;
  warn(warning);
  const decoded = (text: string): string => {
    const bytes = undecoded(text);
    return bytes ? encoding.decode(bytes) : text;
  };
  return members.map((member) => ({
    ...member,
    path: decoded(member.path),
    ...(member.target !== undefined && { target: decoded(member.target) }),
  }));
}

/** Walks all headers; names that are not UTF-8 stay undecoded. */
async function walkHeaders(
  stream: ByteStream,
  { warn }: Pick<EntryContext, 'warn'>,
): Promise<readonly TarMember[]> {
  const members: TarMember[] = [];
  const bounds = new MemberBounds();
  const global = new Map<string, string>();
  let pending: Pending = { pax: new Map() };
  const stop = (message: string): readonly TarMember[] => {
    if (members.length === 0) throw corruptTar(message);
    warn(damage(`${message} ${plural(members.length, 'entry')} read before it; the rest is left out.`));
    return members;
  };
  for (;;) {
    const at = stream.position;
    const block = await stream.take(TAR_BLOCK);
    if (block.length === 0) {
      if (members.length === 0) throw corruptTar('The file contains no tar header.');
      return members;
    }
    if (block.length < TAR_BLOCK) return stop(`The tar archive is truncated inside a header at byte ${at}.`);
    if (isZero(block)) return members;
    if (!checksumHolds(block)) {
      const lost = await resume(stream);
      if (lost === undefined) return stop(`The tar header at byte ${at} does not match its checksum.`);
      warn(
        damage(`${plural(lost, 'byte')} at byte ${at} of the tar archive are not a header and were skipped.`),
      );
      pending = { pax: new Map() };
      continue;
    }
    const header = readTarHeader(block);
    const size = sizeOf(header, pending, global);
    if (size === undefined) return stop(`The tar header at byte ${at} states an invalid size.`);
    if ('xgXLK'.includes(header.type)) {
      if (size > MAX_EXTENDED_BYTES)
        return stop(
          `The extended tar header at byte ${at} states ${size} bytes, which is more than the maximum.`,
        );
      const data = Buffer.from(await stream.take(size));
      await stream.skip(padding(size));
      if (data.length < size) return stop(`The tar archive is truncated inside a header at byte ${at}.`);
      extend(header.type, data, pending, global);
      continue;
    }
    if (header.type === 'S') await passSparseMap(stream, header);
    const member = memberOf(header, size, stream.position, pending, global);
    pending = { pax: new Map() };
    const stored = member.kind === 'file' ? size : 0;
    const skipped = await stream.skip(stored);
    bounds.add(member.path);
    members.push({ ...member, there: skipped });
    if (skipped < stored) {
      warn(damage(truncated(skipped, stored)));
      return members;
    }
    await stream.skip(padding(stored));
  }
}

/** Advances to the next valid header. Returns the number of bytes skipped, or undefined if there is none. */
async function resume(stream: ByteStream): Promise<number | undefined> {
  for (let lost = TAR_BLOCK; ; lost += TAR_BLOCK) {
    const block = await stream.peek(TAR_BLOCK);
    if (block.length < TAR_BLOCK) return undefined;
    if (!isZero(block) && checksumHolds(block)) return lost;
    await stream.skip(TAR_BLOCK);
  }
}

const padding = (size: number): number => (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK;
const damage = (message: string): Warning => ({ code: 'SKIPPED_CONTENT', message });

const truncated = (there: Bytes, size: Bytes): string =>
  `The tar archive is truncated: its last entry has ${there} of ${plural(size, 'byte')}.`;

function corruptTar(message: string): ReaderError {
  return new ReaderError('CORRUPT_FILE', message, 'Check that it was saved or transferred completely.');
}

/** Bytes of data after the header, or undefined if the size is invalid. */
function sizeOf(header: TarHeader, { pax }: Pending, global: Map<string, string>): number | undefined {
  const stated = 'xgXLK'.includes(header.type) ? undefined : (pax.get('size') ?? global.get('size'));
  const size = stated === undefined ? header.size : /^\d{1,16}$/.test(stated) ? Number(stated) : Number.NaN;
  return Number.isSafeInteger(size) && size >= 0 ? size : undefined;
}

function extend(type: string, data: Buffer, pending: Pending, global: Map<string, string>): void {
  if (type === 'L' || type === 'K') {
    const end = data.indexOf(0);
    const text = decodeText(end < 0 ? data : data.subarray(0, end));
    if (type === 'L') pending.name = text;
    else pending.target = text;
    return;
  }
  const records = paxRecords(data);
  if (type === 'g') for (const [key, value] of records) global.set(key, value);
  else pending.pax = records;
}

/** Skips the rest of an old GNU sparse map: blocks of 512 bytes, each stating whether another follows. */
async function passSparseMap(stream: ByteStream, header: TarHeader): Promise<void> {
  let more = header.sparseContinues;
  while (more) {
    const block = await stream.take(TAR_BLOCK);
    more = block.length === TAR_BLOCK && block[504] === 1;
  }
}

function memberOf(
  header: TarHeader,
  size: number,
  start: Bytes,
  { pax, name, target }: Pending,
  global: Map<string, string>,
): Omit<TarMember, 'there'> {
  const field = (key: string): string | undefined => pax.get(key) ?? global.get(key);
  const given = field('GNU.sparse.name') ?? field('path') ?? name ?? header.name;
  const kind = kindOf(header.type, given);
  const path = kind === 'folder' && !given.endsWith('/') ? `${given}/` : given;
  const realSize = field('GNU.sparse.realsize') ?? field('GNU.sparse.size');
  const sparse = header.type === 'S' || realSize !== undefined || field('GNU.sparse.major') !== undefined;
  const length =
    header.type === 'S' ? header.realSize : /^\d{1,16}$/.test(realSize ?? '') ? Number(realSize) : size;
  const link = field('linkpath') ?? target ?? header.target;
  const seconds = Number.parseFloat(field('mtime') ?? '');
  return {
    path,
    kind,
    size: kind === 'file' ? (Number.isSafeInteger(length) && length >= 0 ? length : size) : undefined,
    modified: minuteOf(Number.isFinite(seconds) ? seconds : header.modified),
    ...((kind === 'symlink' || kind === 'hardlink') && { target: link }),
    notes: [...(sparse ? ['sparse'] : []), ...strange(header.type)],
    start,
    sparse,
  };
}

/** Old writers use a zero byte for `0`; `kindOf` handles links and devices. */
const KNOWN_TYPES: ReadonlySet<string> = new Set('\u0000 01234567SD');

/** Notes on types that are neither files nor handled by `kindOf`. */
function strange(type: string): string[] {
  if (type === 'M') return ['continued from another volume'];
  if (type === 'V') return ['volume label'];
  return KNOWN_TYPES.has(type) ? [] : ['unknown type'];
}

/** `2026-11-21 20:37` UTC; `''` for a time outside the calendar. */
function minuteOf(seconds: number): string {
  if (!Number.isFinite(seconds) || Math.abs(seconds) > 8e12) return DATELESS;
  const iso = new Date(seconds * 1000).toISOString();
  return /^\d{4}-/.test(iso) ? iso.slice(0, 16).replace('T', ' ') : DATELESS;
}

/** Lists a tar archive. @throws {ReaderError} CORRUPT_FILE, LIMIT_EXCEEDED */
export async function tarListing(stream: ByteStream, context: EntryContext): Promise<Listing> {
  return { container: 'tar', members: await walk(stream, context) };
}

export async function tarFileListing(source: Source, context: EntryContext): Promise<Listing> {
  return tarListing(streamOf(source, context), context);
}

const streamOf = (source: Source, { signal }: EntryContext): SourceStream => new SourceStream(source, signal);

export const tarFiles: ArchiveFiles = tarFilesIn((source, context) => ({
  open: () => streamOf(source, context),
}));

/** A tar archive that can be streamed from its start any number of times. */
export interface TarStreams {
  open(): ByteStream & { close?(): Promise<void> };
  /** Bytes unpacked by all streams so far. Default: none. */
  inflated?(): Bytes;
}

/** The files of a tar archive: a first pass finds them, a second reads one. */
export function tarFilesIn(streamsOf: (source: Source, context: EntryContext) => TarStreams): ArchiveFiles {
  const through = async <T>(stream: ReturnType<TarStreams['open']>, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } finally {
      await stream.close?.();
    }
  };
  return archiveFiles({
    members: (source, context) => {
      const stream = streamsOf(source, context).open();
      return through(stream, () => walk(stream, context));
    },
    open: async (source, member, context) => {
      const name = visibleName(member.path);
      if (member.sparse)
        throw new ReaderError(
          'UNSUPPORTED_FORMAT',
          `The entry ${name} is a sparse file, which is not supported.`,
          'Extract the archive and read the file.',
        );
      const { there: size } = member;
      if (size < (member.size ?? 0)) context.warn(damage(truncated(size, member.size ?? 0)));
      const { maxBytesInMemory } = context.limits;
      if (size > maxBytesInMemory) throw tooLarge(name, maxBytesInMemory);
      const streams = streamsOf(source, context);
      const stream = streams.open();
      const bytes = await through(stream, async () => {
        await stream.skip(member.start);
        return Buffer.from(await stream.take(size));
      });
      const modified =
        member.modified === DATELESS ? undefined : new Date(`${member.modified.replace(' ', 'T')}Z`);
      return {
        name: lastName(member.path),
        bytes,
        inflated: streams.inflated?.() ?? 0,
        ...(modified && { modified }),
      };
    },
  });
}
