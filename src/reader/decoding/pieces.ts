// Converts large files in another encoding piece by piece, on read.

import { type Bytes, type Source, throwIfAborted } from '../../contract/index.ts';
import type { Guess } from '../../encoding/index.ts';
import { type Piece, PieceSource } from '../source/pieces.ts';
import type { Label } from '../source/random-access.ts';

const MIB = 1024 * 1024;

/**
 * Splits a large file in another encoding into pieces that can be decoded independently: after a line feed, or between
 * characters of a fixed-width encoding. Costs one pass over the file.
 */
export async function convertInPieces(
  source: Source,
  guess: Guess,
  convert: (bytes: Uint8Array) => Uint8Array,
  label: Label,
  signal: AbortSignal,
): Promise<Source> {
  const pieces: Piece[] = [];
  let position = guess.mark;
  let target = 0;
  while (position < source.size) {
    throwIfAborted(signal);
    const bytes = await source.read(position, MIB);
    if (bytes.length === 0) break;
    const sourceLength = position + bytes.length >= source.size ? bytes.length : cutLength(bytes, guess.name);
    const targetLength = convert(bytes.subarray(0, sourceLength)).length;
    pieces.push({ source: position, sourceLength, target, targetLength });
    position += sourceLength;
    target += targetLength;
  }
  const load = async (piece: Piece) => convert(await source.read(piece.source, piece.sourceLength));
  return new PieceSource(label, pieces, load, () => source.identity());
}

function cutLength(bytes: Uint8Array, encoding: string): Bytes {
  if (encoding.startsWith('utf-32')) return bytes.length & ~3 || bytes.length;
  if (encoding.startsWith('utf-16')) {
    const even = bytes.length & ~1;
    const high = bytes[encoding === 'utf-16le' ? even - 1 : even - 2] ?? 0;
    return high >= 0xd8 && high <= 0xdb && even > 2 ? even - 2 : even || bytes.length;
  }
  const feed = bytes.lastIndexOf(10);
  return feed < 0 ? bytes.length : feed + 1;
}
