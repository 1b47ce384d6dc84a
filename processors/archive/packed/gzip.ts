// Gzip (RFC 1952): decompresses the members of a file in order.

import { crc32 } from 'node:zlib';
import { type EntryContext, type Source, throwIfAborted } from '../../../src/contract/index.ts';
import { encodingOfFields } from '../../../src/encoding/index.ts';
import { corrupt, InflateMeter, inflateRaw } from '../../../src/zip/index.ts';
import { isGzip } from './gzip-magic.ts';
import { badSum, cutAfter, damagedAfter, type Packing, trailing, type Unpacked } from './packing.ts';

const HEADER_WINDOW = 64 * 1024;
const TRAILER_BYTES = 8;

/** A parsed gzip header. `length` is the offset of the data; undefined without a valid header. */
interface GzipHeader {
  readonly length: number;
  readonly name: Uint8Array | undefined;
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
  let name: Uint8Array | undefined;
  // Name, then comment, each NUL-terminated (ISO 8859-1 by the RFC, UTF-8 in practice).
  for (const flag of [8, 16]) {
    if (!(flags & flag)) continue;
    const end = bytes.indexOf(0, at);
    if (end < 0) return undefined;
    if (flag === 8) name = bytes.subarray(at, end);
    at = end + 1;
  }
  if (flags & 2) at += 2;
  const seconds = data.getUint32(4, true);
  return at > bytes.length
    ? undefined
    : { length: at, name, modified: seconds === 0 ? undefined : new Date(seconds * 1000) };
}

/**
 * Inflates all members in chunks. Stops at damage and returns a warning about it. @throws {ReaderError} LIMIT_EXCEEDED,
 * CORRUPT_FILE
 */
async function* gunzip(
  source: Source,
  { limits, signal }: EntryContext,
  meter = new InflateMeter(limits, source.name),
): Unpacked {
  const count = meter.pass(source.name, source.size);
  let inflated = 0;
  for (let at = 0; ; ) {
    throwIfAborted(signal);
    const header = readHeader(await source.read(at, HEADER_WINDOW));
    if (!header) {
      if (at === 0) throw corrupt('The gzip header is incomplete.');
      return trailing(source, at, 'gzip');
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
    if (state === 'broken') return damagedAfter('gzip', inflated);
    const trailer = await source.read(start + consumed, TRAILER_BYTES);
    if (state === 'short' || trailer.length < TRAILER_BYTES) return cutAfter('gzip', inflated);
    const sums = new DataView(trailer.buffer, trailer.byteOffset, trailer.byteLength);
    if (sums.getUint32(0, true) !== crc || sums.getUint32(4, true) !== size % 2 ** 32) return badSum('gzip');
    at = start + consumed + TRAILER_BYTES;
  }
}

export const gzipPacking: Packing = {
  name: 'gzip',
  unpack: gunzip,
  stripped: (outer) =>
    outer
      .replace(/\.(?:gz|gzip)$/i, '')
      .replace(/\.(?:tgz|taz)$/i, '.tar')
      .replace(/\.svgz$/i, '.svg'),
  facts: async (source) => {
    const { name, ...facts } = readHeader(await source.read(0, HEADER_WINDOW)) ?? {};
    return { ...facts, ...(name && { name: (await encodingOfFields([name])).decode(name) }) };
  },
};
