// Unpacks a folder of a 7z archive: stored data, LZMA and LZMA2, which are what 7-Zip writes by default.

import {
  type Bytes,
  cannotDecrypt,
  type EntryContext,
  quoted,
  ReaderError,
  type Source,
  throwIfAborted,
} from '../../../src/contract/index.ts';
import { type ByteStream, PieceStream } from '../byte-stream.ts';
import { LzmaDecoder, lzmaProperties, Window } from '../packed/lzma.ts';
import { lzma2Pieces, lzma2Reach } from '../packed/lzma2.ts';
import { BrokenHeader, type Coder, type PackedFolder } from './database.ts';

/** Windows of 7-Zip's levels go up to 256 MiB. */
const MAX_REACH: Bytes = 256 * 1024 * 1024;
const READ_BYTES: Bytes = 256 * 1024;
/** Output decoded at a time; each byte of it takes fewer than 20 of input. */
const STEP_BYTES: Bytes = 16 * 1024;
const INPUT_BYTES: Bytes = 20 * (STEP_BYTES + 300);

const STORED = '00';
const LZMA = '030101';
const LZMA2 = '21';
const AES = '06f10701';
const NAMES: Readonly<Record<string, string>> = {
  '03': 'Delta',
  '03030103': 'BCJ',
  '0303011b': 'BCJ2',
  '040108': 'Deflate',
  '040202': 'bzip2',
  '030401': 'PPMd',
};

export const isEncrypted = ({ methods }: PackedFolder): boolean => methods.includes(AES);

/** The methods of a folder that are not supported, by their names. */
export function unknownMethods({ methods }: PackedFolder): string[] {
  return methods
    .filter((method) => ![STORED, LZMA, LZMA2, AES].includes(method))
    .map((method) => NAMES[method] ?? method);
}

/** The content of `folder`. @throws {ReaderError} UNSUPPORTED_FORMAT, ENCRYPTED_FILE, LIMIT_EXCEEDED */
export function folderPieces(
  source: Source,
  folder: PackedFolder,
  context: EntryContext,
): AsyncGenerator<Uint8Array, void> {
  if (isEncrypted(folder)) throw encrypted(source);
  const unknown = unknownMethods(folder);
  if (unknown.length > 0 || !folder.coders)
    throw new ReaderError(
      'UNSUPPORTED_FORMAT',
      `${quoted(source.name)} is packed with ${unknown.join(' and ') || 'several streams'}, which is not supported.`,
      'Unpack it (for example with `7z x`) and read the file.',
    );
  if (folder.to > source.size) throw new BrokenHeader('packed data past the end');
  let pieces = stretch(source, folder.from, folder.to, context.signal);
  for (const coder of folder.coders) pieces = decoded(new PieceStream(pieces), coder, source.name);
  return pieces;
}

/** No password opens it here, so none is asked for. */
const encrypted = (source: Source): ReaderError =>
  cannotDecrypt(`${quoted(source.name)} is encrypted, and passwords of 7z archives are not supported.`);

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

async function* decoded(input: PieceStream, coder: Coder, name: string): AsyncGenerator<Uint8Array, void> {
  try {
    if (coder.method === STORED) yield* stored(input);
    else if (coder.method === LZMA2)
      yield* lzma2Pieces(input, reachOf(lzma2Reach(coder.properties[0] ?? 255), name));
    else yield* lzma(input, coder, name);
  } finally {
    await input.close();
  }
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
  if (reach > MAX_REACH)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `${quoted(name)} needs a window of ${reach} bytes to be unpacked; the limit is ${MAX_REACH}.`,
      'Unpack it (for example with `7z x`) and read the file.',
    );
  return reach;
}
