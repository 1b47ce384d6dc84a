// A range held in memory, the same for every store.

import { ReaderError } from '../contract/index.ts';
import type { BlobRange, Blobs } from './blobs.ts';

/** Node.js holds no more in one array. */
const MAX_READ_BYTES = 2 ** 31;

/** @throws {ReaderError} LIMIT_EXCEEDED; errors of `stream` */
export async function readWhole(
  store: Pick<Blobs, 'stream'>,
  key: string,
  range: BlobRange,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of store.stream(key, range)) {
    bytes += piece.length;
    if (bytes > MAX_READ_BYTES)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `The range has more than ${MAX_READ_BYTES} bytes.`,
        'Read it in parts.',
      );
    pieces.push(piece);
  }
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, bytes);
}
