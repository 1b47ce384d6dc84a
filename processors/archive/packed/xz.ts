// The .xz format (1.2): streams of blocks, each packed with LZMA2 and followed by a checksum. The index at the end is
// not needed to unpack from the start.

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  type Bytes,
  type EntryContext,
  quoted,
  ReaderError,
  type Source,
  throwIfAborted,
} from '../../../src/contract/index.ts';
import { corrupt, InflateMeter } from '../../../src/zip/index.ts';
import { SourceStream } from '../byte-stream.ts';
import { crc64 } from './crc64.ts';
import { type Filter, filtered, filterOf } from './filters.ts';
import { BrokenLzma } from './lzma.ts';
import { lzma2Pieces, lzma2Reach, ShortInput } from './lzma2.ts';
import { badSum, cutAfter, damagedAfter, type Packing, trailing, type Unpacked } from './packing.ts';
import { checkWindow } from './window-limit.ts';

const STREAM_HEADER = 12;
const LZMA2 = 0x21;
/** Bytes of each type of checksum (2.1.1.2). */
const CHECK_BYTES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

class Damaged extends Error {
  override readonly name = 'Damaged';
}

async function* unxz(
  source: Source,
  { limits, signal }: EntryContext,
  meter: InflateMeter = new InflateMeter(limits, source.name),
): Unpacked {
  const count = meter.pass(source.name, source.size);
  const input = new SourceStream(source, signal);
  let unpacked = 0;
  for (let isFirst = true; ; isFirst = false) {
    const at = input.position;
    const check = checkOf(await input.take(STREAM_HEADER));
    if (check === undefined) {
      if (isFirst) throw corrupt('The xz header is invalid.');
      return trailing(source, at, 'xz');
    }
    try {
      for (;;) {
        throwIfAborted(signal);
        const block = await blockHeader(input, source.name);
        // The index follows the last block.
        if (!block) break;
        const sum = new Sum(check);
        const start = input.position;
        for await (const piece of blockPieces(input, block)) {
          count(piece);
          sum.add(piece);
          unpacked += piece.length;
          yield piece;
        }
        await input.take((4 - ((input.position - start) % 4)) % 4);
        const stated = await input.take(CHECK_BYTES[check] ?? 0);
        if (stated.length < (CHECK_BYTES[check] ?? 0)) return cutAfter('xz', unpacked);
        if (!sum.matches(stated)) return badSum('xz');
      }
      await skipIndex(input);
    } catch (error) {
      if (error instanceof ShortInput) return cutAfter('xz', unpacked);
      if (error instanceof BrokenLzma || error instanceof Damaged) return damagedAfter('xz', unpacked);
      throw error;
    }
  }
}

/** The type of checksum of a stream, from its header; undefined for anything else. */
function checkOf(header: Uint8Array): number | undefined {
  if (header.length < STREAM_HEADER || Buffer.from(header.subarray(0, 6)).toString('latin1') !== '\xfd7zXZ\0')
    return undefined;
  const data = new DataView(header.buffer, header.byteOffset, header.byteLength);
  if (header[6] !== 0 || (header[7] ?? 16) > 15 || crc32(header.subarray(6, 8)) !== data.getUint32(8, true))
    return undefined;
  return header[7];
}

interface Block {
  /** How far matches reach back. */
  readonly reach: Bytes;
  /** To reverse after unpacking, in this order. */
  readonly filters: readonly Filter[];
}

function blockPieces(input: SourceStream, { reach, filters }: Block): AsyncGenerator<Uint8Array, void> {
  return filters.reduce(filtered, lzma2Pieces(input, reach));
}

/** The header of the next block (3.1); undefined before the index. */
async function blockHeader(input: SourceStream, name: string): Promise<Block | undefined> {
  const [size] = await input.take(1);
  if (size === undefined) throw new ShortInput();
  if (size === 0) return undefined;
  const length = (size + 1) * 4;
  const rest = Uint8Array.from(await input.take(length - 1));
  if (rest.length < length - 1) throw new ShortInput();
  const header = Buffer.concat([Uint8Array.of(size), rest]);
  if (crc32(header.subarray(0, -4)) !== header.readUInt32LE(length - 4)) throw new Damaged('block header');
  const flags = header[1] ?? 0;
  const fields = new Varints(header, 2);
  if (flags & 0x40) fields.next();
  if (flags & 0x80) fields.next();
  const filters: Filter[] = [];
  for (let left = flags & 3; left > 0; left -= 1) {
    const filter = filterOf(fields.next(), fields.bytes(fields.next()));
    if (!filter) throw unknownFilter(name);
    filters.unshift(filter);
  }
  if (fields.next() !== LZMA2 || fields.next() !== 1) throw unknownFilter(name);
  const reach = lzma2Reach(header[fields.at] ?? 255);
  if (reach === undefined) throw new Damaged('window');
  checkWindow(reach, name, 'unxz');
  return { reach, filters };
}

function unknownFilter(name: string): ReaderError {
  return new ReaderError(
    'UNSUPPORTED_FORMAT',
    `${quoted(name)} is packed by xz with a filter that is not supported.`,
    'Decompress it (for example with `unxz`) and read the result.',
  );
}

/** Skips the index, whose first byte was read, and the footer. The blocks were checked by their own sums. */
async function skipIndex(input: SourceStream): Promise<void> {
  const start = input.position - 1;
  const records = await varintFrom(input);
  for (let index = 0; index < 2 * records; index += 1) await varintFrom(input);
  await input.take((4 - ((input.position - start) % 4)) % 4);
  const footer = await input.take(16);
  if (footer.length < 16) throw new ShortInput();
  if (footer[14] !== 0x59 || footer[15] !== 0x5a) throw new Damaged('footer');
  // Padding between streams is a multiple of 4 zeros.
  for (
    let next = await input.peek(4);
    next.length === 4 && next.every((byte) => byte === 0);
    next = await input.peek(4)
  )
    await input.skip(4);
}

async function varintFrom(input: SourceStream): Promise<number> {
  let value = 0;
  for (let index = 0; index < 9; index += 1) {
    const [byte] = await input.take(1);
    if (byte === undefined) throw new ShortInput();
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return value;
  }
  throw new Damaged('number');
}

/** Numbers of variable length in a header (1.2). */
class Varints {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  next(): number {
    let value = 0;
    for (let index = 0; index < 9; index += 1) {
      const byte = this.#bytes[this.at];
      if (byte === undefined) break;
      this.at += 1;
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    throw new Damaged('number');
  }

  bytes(length: number): Uint8Array {
    const bytes = this.#bytes.subarray(this.at, this.at + length);
    this.at += bytes.length;
    return bytes;
  }
}

/** The checksum of a block; of a type that is not known, every content is taken to match. */
class Sum {
  readonly #type: number;
  #crc = 0;
  #crc64 = 0n;
  readonly #hash = createHash('sha256');

  constructor(type: number) {
    this.#type = type;
  }

  add(piece: Uint8Array): void {
    if (this.#type === 1) this.#crc = crc32(piece, this.#crc);
    else if (this.#type === 4) this.#crc64 = crc64(piece, this.#crc64);
    else if (this.#type === 10) this.#hash.update(piece);
  }

  matches(stated: Uint8Array): boolean {
    const bytes = Buffer.from(stated);
    if (this.#type === 1) return bytes.readUInt32LE(0) === this.#crc;
    if (this.#type === 4) return bytes.readBigUInt64LE(0) === this.#crc64;
    return this.#type !== 10 || this.#hash.digest().equals(bytes);
  }
}

export const xzPacking: Packing = {
  name: 'xz',
  unpack: unxz,
  stripped: (outer) => outer.replace(/\.xz$/i, '').replace(/\.txz$/i, '.tar'),
};
