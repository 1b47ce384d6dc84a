// Bzip2: unpacks the blocks of a file in order, each of at most 900 000 bytes before its runs are expanded. There is no
// specification but the program (bzip2 1.0.8, decompress.c).

import { type Bytes, type EntryContext, type Source, throwIfAborted } from '../../../src/contract/index.ts';
import { corrupt, InflateMeter } from '../../../src/zip/index.ts';
import { BitReader } from './bit-reader.ts';
import { type Block, BrokenBlock, readBlock } from './bzip2-block.ts';
import { badSum, cutAfter, damagedAfter, type Packing, trailing, type Unpacked } from './packing.ts';

/** More than a block takes: 900 000 symbols of 20 bits, and its tables. */
const BLOCK_BYTES: Bytes = 2_400_000;
const PIECE_BYTES: Bytes = 256 * 1024;
// The digits of pi and of its square root.
const BLOCK_MAGIC = 0x314159265359;
const END_MAGIC = 0x177245385090;

/** What unpacking reads, from the start on. */
type Forward = Pick<Source, 'name' | 'size' | 'read'>;

export async function* bunzip2(
  source: Forward,
  { limits, signal }: EntryContext,
  meter: InflateMeter = new InflateMeter(limits, source.name),
): Unpacked {
  const count = meter.pass(source.name, source.size);
  const input = new BitReader(source);
  let unpacked = 0;
  for (let isFirst = true; ; isFirst = false) {
    const at = input.position;
    await input.ensure(BLOCK_BYTES);
    const size = headerSize(input);
    if (size === undefined) {
      if (isFirst) throw corrupt('The bzip2 header is invalid.');
      return trailing(source, at, 'bzip2');
    }
    for (;;) {
      throwIfAborted(signal);
      await input.ensure(BLOCK_BYTES);
      let block: Block | undefined;
      try {
        const magic = input.bits(24) * 2 ** 24 + input.bits(24);
        if (magic === END_MAGIC) {
          // The sum of the sums of the blocks, each of which was checked.
          input.bits(32);
          input.align();
          break;
        }
        if (magic !== BLOCK_MAGIC) return damagedAfter('bzip2', unpacked);
        block = readBlock(input, size);
      } catch (error) {
        if (!(error instanceof BrokenBlock || error instanceof RangeError)) throw error;
        return input.isAtEnd ? cutAfter('bzip2', unpacked) : damagedAfter('bzip2', unpacked);
      }
      for (const piece of block.pieces(PIECE_BYTES)) {
        count(piece);
        unpacked += piece.length;
        yield piece;
      }
      if (!block.isWhole()) return badSum('bzip2');
    }
  }
}

/** Bytes of a block, from `BZh9`; undefined for anything else. */
function headerSize(input: BitReader): Bytes | undefined {
  try {
    if (input.bits(24) !== 0x425a68) return undefined;
    const level = input.bits(8) - 0x30;
    return level >= 1 && level <= 9 ? level * 100_000 : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export const bzip2Packing: Packing = {
  name: 'bzip2',
  unpack: bunzip2,
  stripped: (outer) => outer.replace(/\.bz2?$/i, '').replace(/\.(?:tbz2?|tb2)$/i, '.tar'),
};
