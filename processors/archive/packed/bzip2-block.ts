// One block of bzip2 data: Huffman codes, move to front, the Burrows-Wheeler transform, and runs.

import type { Bytes } from '../../../src/contract/index.ts';
import type { BitReader } from './bit-reader.ts';

const MAX_CODE = 20;
const GROUP = 50;

export class BrokenBlock extends Error {
  override readonly name = 'BrokenBlock';
}

/** A decoded block; its content is expanded as it is taken. */
export interface Block {
  /** The content, in pieces of about `length` bytes. */
  pieces(length: Bytes): Generator<Uint8Array>;
  /** After the last piece: true if the content matches its checksum. */
  isWhole(): boolean;
}

/** The block after its magic number. @throws {BrokenBlock} and RangeError at the end of the file */
export function readBlock(input: BitReader, size: Bytes): Block {
  const sum = input.bits(32);
  if (input.bits(1) === 1) throw new BrokenBlock('randomised, as before bzip2 0.9.5');
  const origin = input.bits(24);
  const symbols = usedSymbols(input);
  const { codes, selectors } = readCodes(input, symbols.length + 2);
  const transformed = new Uint32Array(size);
  const counts = new Uint32Array(257);
  const length = readSymbols(input, symbols, codes, selectors, transformed, counts);
  if (origin >= length) throw new BrokenBlock('origin');
  return inverted(transformed, counts, length, origin, sum);
}

function usedSymbols(input: BitReader): Uint8Array {
  const ranges = input.bits(16);
  const symbols: number[] = [];
  for (let high = 0; high < 16; high += 1) {
    if ((ranges & (0x8000 >> high)) === 0) continue;
    const range = input.bits(16);
    for (let low = 0; low < 16; low += 1) if (range & (0x8000 >> low)) symbols.push(high * 16 + low);
  }
  if (symbols.length === 0) throw new BrokenBlock('no symbols');
  return Uint8Array.from(symbols);
}

/** A canonical Huffman code. */
interface Code {
  readonly shortest: number;
  /** By length: the last code, and what to subtract for the place in `sorted`. */
  readonly limits: Int32Array;
  readonly bases: Int32Array;
  readonly sorted: Uint16Array;
}

function readCodes(input: BitReader, alphabet: number): { codes: Code[]; selectors: Uint8Array } {
  const count = input.bits(3);
  const selectorCount = input.bits(15);
  if (count < 2 || count > 6 || selectorCount === 0) throw new BrokenBlock('codes');
  const order = [0, 1, 2, 3, 4, 5].slice(0, count);
  const selectors = new Uint8Array(selectorCount);
  for (let index = 0; index < selectorCount; index += 1) {
    let place = 0;
    while (input.bits(1) === 1) {
      place += 1;
      if (place >= count) throw new BrokenBlock('selector');
    }
    const [code = 0] = order.splice(place, 1);
    order.unshift(code);
    selectors[index] = code;
  }
  const codes = Array.from({ length: count }, () => {
    const lengths = new Uint8Array(alphabet);
    let length = input.bits(5);
    for (let symbol = 0; symbol < alphabet; symbol += 1) {
      while (true) {
        if (length < 1 || length > MAX_CODE) throw new BrokenBlock('length');
        if (input.bits(1) === 0) break;
        length += input.bits(1) === 0 ? 1 : -1;
      }
      lengths[symbol] = length;
    }
    return codeOf(lengths);
  });
  return { codes, selectors };
}

function codeOf(lengths: Uint8Array): Code {
  const limits = new Int32Array(MAX_CODE + 2).fill(-1);
  const bases = new Int32Array(MAX_CODE + 2);
  const sorted = new Uint16Array(lengths.length);
  let next = 0;
  let code = 0;
  for (let length = 1; length <= MAX_CODE; length += 1) {
    bases[length] = code - next;
    for (const [symbol, one] of lengths.entries())
      if (one === length) {
        sorted[next] = symbol;
        next += 1;
        code += 1;
      }
    limits[length] = code - 1;
    code *= 2;
  }
  return { shortest: Math.min(...lengths), limits, bases, sorted };
}

/** Fills `target` with the last column of the transform, and counts its bytes. Returns its length. */
function readSymbols(
  input: BitReader,
  symbols: Uint8Array,
  codes: readonly Code[],
  selectors: Uint8Array,
  target: Uint32Array,
  counts: Uint32Array,
): number {
  const front = Uint8Array.from(symbols);
  const end = symbols.length + 1;
  let length = 0;
  let run = 0;
  let weight = 1;
  const flush = (): void => {
    if (run > target.length - length) throw new BrokenBlock('run');
    const byte = front[0] ?? 0;
    target.fill(byte, length, length + run);
    counts[byte] = (counts[byte] ?? 0) + run;
    length += run;
    run = 0;
    weight = 1;
  };
  for (const selector of selectors) {
    const code = codes[selector];
    if (!code) throw new BrokenBlock('selector');
    for (let index = 0; index < GROUP; index += 1) {
      const symbol = readSymbol(input, code);
      if (symbol <= 1) {
        run += weight << symbol;
        weight *= 2;
        if (run > target.length) throw new BrokenBlock('run');
        continue;
      }
      if (run > 0) flush();
      if (symbol === end) return length;
      if (length >= target.length) throw new BrokenBlock('block');
      const place = symbol - 1;
      const byte = front[place] ?? 0;
      front.copyWithin(1, 0, place);
      front[0] = byte;
      target[length] = byte;
      counts[byte] = (counts[byte] ?? 0) + 1;
      length += 1;
    }
  }
  throw new BrokenBlock('selectors');
}

function readSymbol(input: BitReader, { shortest, limits, bases, sorted }: Code): number {
  let code = input.bits(shortest);
  for (let length = shortest; length <= MAX_CODE; length += 1) {
    if (code <= (limits[length] ?? -1)) {
      const symbol = sorted[code - (bases[length] ?? 0)];
      if (symbol === undefined) break;
      return symbol;
    }
    code = (code << 1) | input.bits(1);
  }
  throw new BrokenBlock('code');
}

function inverted(
  column: Uint32Array,
  counts: Uint32Array,
  length: number,
  origin: number,
  stated: number,
): Block {
  const starts = new Uint32Array(256);
  let total = 0;
  for (let byte = 0; byte < 256; byte += 1) {
    starts[byte] = total;
    total += counts[byte] ?? 0;
  }
  for (let index = 0; index < length; index += 1) {
    const byte = (column[index] ?? 0) & 255;
    const at = starts[byte] ?? 0;
    starts[byte] = at + 1;
    column[at] = ((column[at] ?? 0) | (index << 8)) >>> 0;
  }
  let sum = 0xffffffff;
  return {
    *pieces(size) {
      let piece = new Uint8Array(size + 256);
      let filled = 0;
      let entry = column[origin] ?? 0;
      let last = -1;
      let same = 0;
      for (let index = 0; index < length; index += 1) {
        entry = column[entry >>> 8] ?? 0;
        const byte = entry & 255;
        // After four equal bytes comes a count of more of them.
        const isCount = same === 4;
        const repeat = isCount ? byte : 1;
        const value = isCount ? last : byte;
        for (let more = 0; more < repeat; more += 1) {
          piece[filled] = value;
          filled += 1;
          sum = (sum << 8) ^ (SUMS[((sum >>> 24) ^ value) & 255] ?? 0);
        }
        same = isCount ? 0 : byte === last ? same + 1 : 1;
        last = isCount ? -1 : byte;
        if (filled < size) continue;
        yield piece.subarray(0, filled);
        piece = new Uint8Array(size + 256);
        filled = 0;
      }
      if (filled > 0) yield piece.subarray(0, filled);
    },
    isWhole: () => ~sum >>> 0 === stated,
  };
}

/** CRC-32 with the highest bit first, as bzip2 has it. */
const SUMS: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) sum = sum < 0 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  return sum;
});
