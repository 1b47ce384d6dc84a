// Unpacks a folder of a 7z archive: stored data, LZMA, LZMA2, Deflate and bzip2, filters for machine code, and AES.

import {
  type Bytes,
  type EntryContext,
  passwordNeeded,
  quoted,
  ReaderError,
  type Source,
  throwIfAborted,
} from '../../../src/contract/index.ts';
import { inflateRaw } from '../../../src/zip/index.ts';
import { type ByteStream, PieceStream } from '../byte-stream.ts';
import { bunzip2 } from '../packed/bzip2.ts';
import { filtered, filterOf } from '../packed/filters.ts';
import { LzmaDecoder, lzmaProperties, Window } from '../packed/lzma.ts';
import { lzma2Pieces, lzma2Reach, ShortInput } from '../packed/lzma2.ts';
import { checkWindow } from '../packed/window-limit.ts';
import { aesPieces } from './aes.ts';
import { BrokenHeader, type Coder, type PackedFolder } from './database.ts';

const READ_BYTES: Bytes = 256 * 1024;
/** Output decoded at a time; each byte of it takes fewer than 20 of input. */
const STEP_BYTES: Bytes = 16 * 1024;
const INPUT_BYTES: Bytes = 20 * (STEP_BYTES + 300);

// Method identifiers (Methods.txt of the LZMA SDK).
const STORED = '00';
const LZMA = '030101';
const LZMA2 = '21';
const DEFLATE = '040108';
const BZIP2 = '040202';
const AES = '06f10701';
const METHODS: readonly string[] = [STORED, LZMA, LZMA2, DEFLATE, BZIP2, AES];
/** Filters by their number in xz. */
const FILTERS: Readonly<Record<string, number>> = {
  '03': 3,
  '04': 4,
  '07': 7,
  '08': 8,
  '0a': 10,
  '03030103': 4,
  '03030501': 7,
  '03030701': 8,
};
const NAMES: Readonly<Record<string, string>> = {
  '0303011b': 'BCJ2',
  '040109': 'Deflate64',
  '030401': 'PPMd',
};

export const isEncrypted = ({ methods }: PackedFolder): boolean => methods.includes(AES);

/** The methods of a folder that are not supported, by their names. */
export function unknownMethods({ methods }: PackedFolder): string[] {
  return methods
    .filter((method) => !METHODS.includes(method) && FILTERS[method] === undefined)
    .map((method) => NAMES[method] ?? method);
}

/** The content of `folder`. @throws {ReaderError} UNSUPPORTED_FORMAT, ENCRYPTED_FILE, LIMIT_EXCEEDED */
export function folderPieces(
  source: Source,
  folder: PackedFolder,
  context: EntryContext,
): AsyncGenerator<Uint8Array, void> {
  const unknown = unknownMethods(folder);
  if (unknown.length > 0 || !folder.coders)
    throw new ReaderError(
      'UNSUPPORTED_FORMAT',
      `${quoted(source.name)} is packed with ${unknown.join(' and ') || 'several streams'}, which is not supported.`,
      'Unpack it (for example with `7z x`) and read the file.',
    );
  if (folder.to > source.size) throw new BrokenHeader('packed data past the end');
  let pieces = stretch(source, folder.from, folder.to, context.signal);
  let size = folder.to - folder.from;
  for (const coder of folder.coders) {
    pieces = decoded({ pieces, size, name: source.name, context }, coder);
    ({ size } = coder);
  }
  return pieces;
}

async function* stretch(
  source: Source,
  from: Bytes,
  to: Bytes,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  for (let at = from; at < to; at += READ_BYTES) {
    throwIfAborted(signal);
    yield await source.read(at, Math.min(READ_BYTES, to - at));
  }
}

/** What a coder takes. */
interface CoderInput {
  readonly pieces: AsyncGenerator<Uint8Array, void>;
  readonly size: Bytes;
  /** Of the archive. */
  readonly name: string;
  readonly context: EntryContext;
}

async function* decoded(packed: CoderInput, coder: Coder): AsyncGenerator<Uint8Array, void> {
  const filterNumber = FILTERS[coder.method];
  if (filterNumber !== undefined) {
    const filter = filterOf(filterNumber, coder.properties);
    if (!filter) throw new BrokenHeader('filter properties');
    return yield* filtered(packed.pieces, filter);
  }
  const input = new PieceStream(packed.pieces);
  try {
    yield* unpacked(input, packed, coder);
  } finally {
    await input.close();
  }
}

function unpacked(
  input: PieceStream,
  { size, name, context }: CoderInput,
  coder: Coder,
): AsyncGenerator<Uint8Array, unknown> {
  const { method, properties } = coder;
  if (method === STORED) return stored(input);
  if (method === LZMA) return lzma(input, coder, name);
  if (method === LZMA2) return lzma2Pieces(input, reachOf(lzma2Reach(properties[0] ?? 255), name));
  if (method === BZIP2) return bunzip2({ name, size, read: inOrder(input, size) }, context);
  if (method === DEFLATE)
    return inflateRaw({ read: inOrder(input, size) }, { from: 0, to: size }, () => undefined, context.signal);
  const password = context.password();
  if (!password) throw passwordNeeded(`${quoted(name)} is encrypted.`);
  return aesPieces(input, properties, password, context.signal);
}

/** Reads for a decoder that goes forward only. It goes back only after damage, and then finds no more. */
function inOrder(input: ByteStream, size: Bytes): Source['read'] {
  return async (position, length) => {
    if (position >= size) return new Uint8Array();
    if (position !== input.position) throw new ShortInput();
    return Uint8Array.from(await input.take(Math.min(length, size - position)));
  };
}

async function* stored(input: ByteStream): AsyncGenerator<Uint8Array, void> {
  for (let piece = await input.take(READ_BYTES); piece.length > 0; piece = await input.take(READ_BYTES))
    yield piece;
}

async function* lzma(
  input: ByteStream,
  { properties, size }: Coder,
  name: string,
): AsyncGenerator<Uint8Array, void> {
  const stated = lzmaProperties(properties[0] ?? 255);
  if (!stated || properties.length < 5) throw new BrokenHeader('LZMA properties');
  const reach = new DataView(properties.buffer, properties.byteOffset).getUint32(1, true);
  const window = new Window(reachOf(Math.min(Math.max(reach, 4096), Math.max(size, 4096)), name));
  const decoder = new LzmaDecoder(window, stated);
  let held: Uint8Array = new Uint8Array();
  let isStarted = false;
  for (let left = size; left > 0; ) {
    held = held.subarray(decoder.consumed);
    if (held.length < INPUT_BYTES) held = Buffer.concat([held, await input.take(2 * INPUT_BYTES)]);
    decoder.feed(held);
    if (!isStarted) decoder.start();
    isStarted = true;
    window.room(STEP_BYTES + 300);
    const isEnd = decoder.decode(Math.min(STEP_BYTES, left), true);
    const piece = window.take();
    // A match may pass the end.
    yield piece.length > left ? piece.subarray(0, left) : piece;
    left -= piece.length;
    if (isEnd) return;
  }
}

function reachOf(reach: Bytes | undefined, name: string): Bytes {
  if (reach === undefined) throw new BrokenHeader('window');
  checkWindow(reach, name, '7z x');
  return reach;
}
