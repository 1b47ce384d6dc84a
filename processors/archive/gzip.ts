// Gzip (RFC 1952): decompresses the members of a file in order. The first block decides whether the content is a tar
// archive.

import { crc32 } from 'node:zlib';
import {
  type Bytes,
  type Entry,
  type EntryContext,
  type Folder,
  plural,
  type Source,
  throwIfAborted,
  visibleName,
  type Warning,
} from '../../src/contract/index.ts';
import { corrupt, gathered, InflateMeter, inflateRaw } from '../../src/zip/index.ts';
import { PieceStream } from './byte-stream.ts';
import { findMember } from './find-member.ts';
import { isGzip } from './gzip-magic.ts';
import type { Listing } from './listing.ts';
import type { Member } from './member.ts';
import { tooLarge } from './refusal.ts';
import { TAR_BLOCK, tarEntry, tarListing, tarStarts } from './tar.ts';

const HEADER_WINDOW = 64 * 1024;
const TRAILER_BYTES = 8;
/** More than any tar writer pads its last record with. */
const PADDING_BYTES: Bytes = 1024 * 1024;

/** A parsed gzip header. `length` is the offset of the data; undefined without a valid header. */
interface GzipHeader {
  readonly length: number;
  readonly name: string | undefined;
  readonly modified: Date | undefined;
}

function readHeader(bytes: Uint8Array): GzipHeader | undefined {
  if (bytes.length < 10 || !isGzip(bytes)) return undefined;
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = bytes[3] ?? 0;
  let at = 10;
  if (flags & 4) {
    if (at + 2 > bytes.length) return undefined;
    at += 2 + data.getUint16(at, true);
  }
  let name: string | undefined;
  // Name, then comment, each NUL-terminated (ISO 8859-1 by the RFC, UTF-8 in practice).
  for (const flag of [8, 16]) {
    if (!(flags & flag)) continue;
    const end = bytes.indexOf(0, at);
    if (end < 0) return undefined;
    if (flag === 8) name = new TextDecoder().decode(bytes.subarray(at, end));
    at = end + 1;
  }
  if (flags & 2) at += 2;
  const seconds = data.getUint32(4, true);
  return at > bytes.length
    ? undefined
    : { length: at, name, modified: seconds === 0 ? undefined : new Date(seconds * 1000) };
}

const damaged = (message: string): readonly Warning[] => [{ code: 'SKIPPED_CONTENT', message }];

/**
 * Inflates all members in chunks. Stops at damage and returns a warning about it. @throws {ReaderError} LIMIT_EXCEEDED,
 * CORRUPT_FILE
 */
async function* gunzip(
  source: Source,
  { limits, signal }: EntryContext,
  meter = new InflateMeter(limits, source.name),
): AsyncGenerator<Uint8Array, readonly Warning[], undefined> {
  const count = meter.pass(source.name, source.size);
  let inflated = 0;
  for (let at = 0; ; ) {
    throwIfAborted(signal);
    const header = readHeader(await source.read(at, HEADER_WINDOW));
    if (!header) {
      if (at === 0) throw corrupt('The gzip header is incomplete.');
      return trailing(source, at);
    }
    const start = at + header.length;
    let crc = 0;
    let size = 0;
    const sum = (piece: Uint8Array): void => {
      count(piece);
      crc = crc32(piece, crc);
      size += piece.length;
    };
    const { state, consumed } = yield* inflateRaw(source, { from: start, to: source.size }, sum, signal);
    inflated += size;
    const whole = `after ${plural(inflated, 'byte')}`;
    if (state === 'broken')
      return damaged(`The gzip data is damaged ${whole}; the data after that is left out.`);
    const trailer = await source.read(start + consumed, TRAILER_BYTES);
    if (state === 'short' || trailer.length < TRAILER_BYTES)
      return damaged(`The gzip data is cut off ${whole}; the rest is missing.`);
    const sums = new DataView(trailer.buffer, trailer.byteOffset, trailer.byteLength);
    if (sums.getUint32(0, true) !== crc || sums.getUint32(4, true) !== size % 2 ** 32)
      return damaged(
        'The checksum of the gzip data does not match its content: it may be damaged, and the data after it is left out.',
      );
    at = start + consumed + TRAILER_BYTES;
  }
}

/** Zeros after the last member are padding; any other bytes are reported. */
async function trailing(source: Source, at: Bytes): Promise<readonly Warning[]> {
  const rest = await source.read(at, HEADER_WINDOW);
  if (rest.every((byte) => byte === 0)) return [];
  return damaged(`${plural(source.size - at, 'byte')} after the gzip data are not shown.`);
}

/** The name of the inner file: the outer name without its extension, else the name in the header, without folders. */
function innerName(source: Source, header: GzipHeader | undefined): string {
  const outer = source.name.slice(source.name.lastIndexOf('/') + 1);
  const stripped = outer
    .replace(/\.(?:gz|gzip)$/i, '')
    .replace(/\.(?:tgz|taz)$/i, '.tar')
    .replace(/\.svgz$/i, '.svg');
  if (stripped !== outer && stripped !== '') return stripped;
  const base = (header?.name ?? '').split(/[/\\]/).at(-1) ?? '';
  const clean = visibleName(base.slice(0, 255));
  return clean === '' || clean === '.' || clean === '..' ? 'content' : clean;
}

async function packsTar(source: Source, context: EntryContext): Promise<boolean> {
  const stream = new PieceStream(gunzip(source, context));
  try {
    return tarStarts(await stream.take(TAR_BLOCK));
  } finally {
    await stream.close();
  }
}

/** The single file inside, or undefined if it is a tar archive. @throws {ReaderError} LIMIT_EXCEEDED, CORRUPT_FILE */
export async function unwrapGzip(source: Source, context: EntryContext): Promise<Entry | undefined> {
  if (await packsTar(source, context)) return undefined;
  const { maxBytesInMemory } = context.limits;
  const header = readHeader(await source.read(0, HEADER_WINDOW));
  const name = innerName(source, header);
  const { bytes, end: warnings } = await gathered(gunzip(source, context), maxBytesInMemory, () =>
    tooLarge(name, maxBytesInMemory),
  );
  for (const warning of warnings) context.warn(warning);
  if (bytes.length === 0 && warnings.length > 0)
    throw corrupt('The gzip data is damaged: nothing could be inflated.');
  return {
    name,
    bytes,
    ...(header?.modified && { modified: header.modified }),
    facts: { compression: 'gzip', unpackedBytes: bytes.length },
  };
}

/** Lists the tar archive or the single file inside. */
export async function gzipListing(source: Source, context: EntryContext): Promise<Listing> {
  if (!(await packsTar(source, context))) {
    const member = await soleMember(source, context);
    context.warn({
      code: 'SKIPPED_CONTENT',
      message: 'The file is nested too deeply to be opened; it is only listed.',
    });
    return { container: 'gzip', members: [member] };
  }
  const stream = new PieceStream(withWarnings(source, context));
  try {
    const listing = await tarListing(stream, context);
    // Read past the end of the archive so that the end of the gzip data is checked.
    await stream.skip(PADDING_BYTES);
    return { ...listing, container: 'tar packed with gzip' };
  } finally {
    await stream.close();
  }
}

async function* withWarnings(
  source: Source,
  context: EntryContext,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const warning of yield* gunzip(source, context)) context.warn(warning);
}

async function soleMember(source: Source, context: EntryContext): Promise<Member> {
  const header = readHeader(await source.read(0, HEADER_WINDOW));
  let size = 0;
  for await (const piece of withWarnings(source, context)) size += piece.length;
  return {
    path: innerName(source, header),
    kind: 'file',
    size,
    packed: source.size,
    modified: header?.modified?.toISOString().slice(0, 16).replace('T', ' ') ?? '',
    notes: [],
  };
}

/** An entry of the tar archive inside, or the single file by its name. */
export async function gzipEntry(
  source: Source,
  path: string,
  context: EntryContext,
): Promise<Entry | Folder> {
  if (!(await packsTar(source, context))) {
    const members = [await soleMember(source, context)];
    const found = findMember(members, path, source, context.signal);
    if ('folder' in found) return found;
    const entry = await unwrapGzip(source, context);
    if (entry) return entry;
  }
  const meter = new InflateMeter(context.limits, source.name);
  const open = (): PieceStream => new PieceStream(gunzip(source, context, meter));
  return tarEntry(source, path, context, open, () => meter.inflated);
}
