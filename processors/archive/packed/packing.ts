// A format that compresses one file: how it unpacks, and the file inside. A tar archive inside is listed, any other
// file inside is read in its place.

import {
  type Bytes,
  type Entry,
  type EntryContext,
  plural,
  type Source,
  visibleName,
  type Warning,
} from '../../../src/contract/index.ts';
import { corrupt, gathered, InflateMeter } from '../../../src/zip/index.ts';
import type { ArchiveFiles } from '../archive-files.ts';
import { PieceStream } from '../byte-stream.ts';
import { findMember } from '../find-member.ts';
import type { Listing } from '../listing.ts';
import type { Member } from '../member.ts';
import { tooLarge } from '../refusal.ts';
import { TAR_BLOCK, tarFilesIn, tarListing, tarStarts } from '../tar.ts';

/** More than any tar writer pads its last record with. */
const PADDING_BYTES: Bytes = 1024 * 1024;

/** Unpacked data; its end tells what is wrong with the rest. */
export type Unpacked = AsyncGenerator<Uint8Array, readonly Warning[], undefined>;

/** What the packed file says of the file inside. */
export interface PackedFacts {
  readonly name?: string | undefined;
  readonly modified?: Date | undefined;
}

/** One way to pack a file. */
export interface Packing {
  /** `gzip`. */
  readonly name: string;
  /** Unpacks from the start. @throws {ReaderError} LIMIT_EXCEEDED by the meter, CORRUPT_FILE */
  unpack(source: Source, context: EntryContext, meter?: InflateMeter): Unpacked;
  /** The name of the file inside, from the outer one; the same if it tells nothing. */
  stripped(outer: string): string;
  facts?(source: Source): Promise<PackedFacts>;
}

export const damaged = (message: string): readonly Warning[] => [{ code: 'SKIPPED_CONTENT', message }];

/** What is said of data that ends or breaks after `bytes` unpacked bytes. */
export const damagedAfter = (name: string, bytes: Bytes): readonly Warning[] =>
  damaged(`The ${name} data is damaged after ${plural(bytes, 'byte')}; the data after that is left out.`);

export const cutAfter = (name: string, bytes: Bytes): readonly Warning[] =>
  damaged(`The ${name} data is cut off after ${plural(bytes, 'byte')}; the rest is missing.`);

export const badSum = (name: string): readonly Warning[] =>
  damaged(
    `The checksum of the ${name} data does not match its content: it may be damaged, and the data after it is left out.`,
  );

/** Bytes after the last of the packed data: zeros are padding; any others are reported. */
export async function trailing(
  source: Pick<Source, 'read' | 'size'>,
  at: Bytes,
  name: string,
): Promise<readonly Warning[]> {
  const rest = await source.read(at, 64 * 1024);
  if (rest.every((byte) => byte === 0)) return [];
  return damaged(`${plural(source.size - at, 'byte')} after the ${name} data are not shown.`);
}

/** The name of the inner file: the outer name without its extension, else the name stated inside, without folders. */
function innerName(packing: Packing, source: Source, facts: PackedFacts | undefined): string {
  const outer = source.name.slice(source.name.lastIndexOf('/') + 1);
  const stripped = packing.stripped(outer);
  if (stripped !== outer && stripped !== '') return stripped;
  const base = (facts?.name ?? '').split(/[/\\]/).at(-1) ?? '';
  const clean = visibleName(base.slice(0, 255));
  return clean === '' || clean === '.' || clean === '..' ? 'content' : clean;
}

async function packsTar(packing: Packing, source: Source, context: EntryContext): Promise<boolean> {
  const stream = new PieceStream(packing.unpack(source, context));
  try {
    return tarStarts(await stream.take(TAR_BLOCK));
  } finally {
    await stream.close();
  }
}

/** The single file inside, or undefined if it is a tar archive. @throws {ReaderError} LIMIT_EXCEEDED, CORRUPT_FILE */
export async function unwrapPacked(
  packing: Packing,
  source: Source,
  context: EntryContext,
): Promise<Entry | undefined> {
  if (await packsTar(packing, source, context)) return undefined;
  const { maxBytesInMemory } = context.limits;
  const facts = await packing.facts?.(source);
  const name = innerName(packing, source, facts);
  const { bytes, end: warnings } = await gathered(packing.unpack(source, context), maxBytesInMemory, () =>
    tooLarge(name, maxBytesInMemory),
  );
  for (const warning of warnings) context.warn(warning);
  if (bytes.length === 0 && warnings.length > 0)
    throw corrupt(`The ${packing.name} data is damaged: nothing could be inflated.`);
  return {
    name,
    bytes,
    ...(facts?.modified && { modified: facts.modified }),
    facts: { compression: packing.name, unpackedBytes: bytes.length },
  };
}

/** Lists the tar archive or the single file inside. */
export async function packedListing(
  packing: Packing,
  source: Source,
  context: EntryContext,
): Promise<Listing> {
  if (!(await packsTar(packing, source, context))) {
    const member = await soleMember(packing, source, context);
    context.warn({
      code: 'SKIPPED_CONTENT',
      message: 'The file is nested too deeply to be opened; it is only listed.',
    });
    return { container: packing.name, members: [member] };
  }
  const stream = new PieceStream(withWarnings(packing, source, context));
  try {
    const listing = await tarListing(stream, context);
    // Read past the end of the archive so that the end of the packed data is checked.
    await stream.skip(PADDING_BYTES);
    return { ...listing, container: `tar packed with ${packing.name}` };
  } finally {
    await stream.close();
  }
}

async function* withWarnings(
  packing: Packing,
  source: Source,
  context: EntryContext,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const warning of yield* packing.unpack(source, context)) context.warn(warning);
}

async function soleMember(packing: Packing, source: Source, context: EntryContext): Promise<Member> {
  const facts = await packing.facts?.(source);
  let size = 0;
  for await (const piece of withWarnings(packing, source, context)) size += piece.length;
  return {
    path: innerName(packing, source, facts),
    kind: 'file',
    size,
    packed: source.size,
    modified: facts?.modified?.toISOString().slice(0, 16).replace('T', ' ') ?? '',
    notes: [],
  };
}

/** An entry of the tar archive inside, or the single file by its name; in order, those of the archive. */
export function packedFiles(packing: Packing): ArchiveFiles {
  const inTar = tarFilesIn((source, context) => {
    const meter = new InflateMeter(context.limits, source.name);
    return {
      open: () => new PieceStream(packing.unpack(source, context, meter)),
      inflated: () => meter.inflated,
    };
  });
  return {
    async entry(source, path, context) {
      if (await packsTar(packing, source, context)) return await inTar.entry(source, path, context);
      const members = [await soleMember(packing, source, context)];
      const found = findMember(members, path, source, context.signal);
      if ('folder' in found) return found;
      return (await unwrapPacked(packing, source, context)) ?? (await inTar.entry(source, path, context));
    },
    async *files(source, context) {
      if (!(await packsTar(packing, source, context))) return;
      const { maxBytesInMemory } = context.limits;
      // Unpacked once, instead of again for each of its files.
      const { bytes } = await gathered(packing.unpack(source, context), maxBytesInMemory, () =>
        tooLarge(source.name, maxBytesInMemory),
      );
      yield* tarFilesIn(() => ({ open: () => new PieceStream(once(bytes)) })).files(source, context);
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
