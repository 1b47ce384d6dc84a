// Decompresses pages into exactly the size that their header states, which is checked before.

import { brotliDecompressSync, gunzipSync, inflateRawSync } from 'node:zlib';
import type { CompressionCodec } from 'hyparquet';
import type { Library } from './library.ts';

/** Thrown for a codec that nothing here decompresses. */
export class UnknownCodec extends Error {
  override readonly name = 'UnknownCodec';
}

/** `input` decompressed. @throws if it does not decompress to `length` bytes. */
export async function decompressed(
  codec: CompressionCodec,
  input: Uint8Array,
  length: number,
  { snappyUncompress }: Library,
): Promise<Uint8Array> {
  const output = await unpacked();
  if (output.length !== length) throw new Error(`page of ${output.length} bytes instead of ${length}`);
  return output;

  async function unpacked(): Promise<Uint8Array> {
    switch (codec) {
      case 'UNCOMPRESSED':
        return input;
      case 'SNAPPY': {
        const target = new Uint8Array(length);
        snappyUncompress(input, target);
        return target;
      }
      case 'GZIP':
        return input[0] === 0x1f && input[1] === 0x8b
          ? gunzipSync(input, { maxOutputLength: length + 1 })
          : inflateRawSync(input, { maxOutputLength: length + 1 });
      case 'BROTLI':
        return brotliDecompressSync(input, { maxOutputLength: length + 1 });
      case 'ZSTD':
        return (await import('fzstd')).decompress(input, new Uint8Array(length));
      case 'LZ4_RAW':
        return lz4Block(input, length);
      case 'LZ4':
        return lz4Hadoop(input, length) ?? lz4Block(input, length);
      default:
        throw new UnknownCodec(String(codec));
    }
  }
}

/** A block of the LZ4 block format. Fills no more than `length` bytes. */
function lz4Block(input: Uint8Array, length: number): Uint8Array {
  const output = new Uint8Array(length);
  let from = 0;
  let to = 0;
  const more = (count: number): number => {
    if (count !== 15) return count;
    let sum = count;
    for (;;) {
      const byte = input[from];
      if (byte === undefined) throw new Error('LZ4 block ends early');
      from += 1;
      sum += byte;
      if (byte !== 255) return sum;
    }
  };
  while (from < input.length) {
    const token = input[from] ?? 0;
    from += 1;
    const literals = more(token >> 4);
    if (from + literals > input.length || to + literals > length) throw new Error('LZ4 literals too long');
    output.set(input.subarray(from, from + literals), to);
    from += literals;
    to += literals;
    if (from >= input.length) break;
    const distance = (input[from] ?? 0) | ((input[from + 1] ?? 0) << 8);
    from += 2;
    const match = more(token & 15) + 4;
    if (distance === 0 || distance > to || to + match > length) throw new Error('LZ4 match out of range');
    // Byte by byte, because a match may overlap what it writes.
    for (const end = to + match; to < end; to += 1) output[to] = output[to - distance] ?? 0;
  }
  return output.subarray(0, to);
}

/** Hadoop's framing: pairs of big-endian sizes before each block. Undefined for bytes without it. */
function lz4Hadoop(input: Uint8Array, length: number): Uint8Array | undefined {
  const data = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const blocks: Uint8Array[] = [];
  let left = length;
  for (let at = 0; at < input.length; ) {
    if (at + 8 > input.length) return undefined;
    const size = data.getUint32(at);
    const packed = data.getUint32(at + 4);
    at += 8;
    if (size > left || packed > input.length - at) return undefined;
    try {
      blocks.push(lz4Block(input.subarray(at, at + packed), size));
    } catch {
      return undefined;
    }
    left -= size;
    at += packed;
  }
  return left === 0 ? Buffer.concat(blocks) : undefined;
}
