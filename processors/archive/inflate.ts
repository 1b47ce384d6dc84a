// Deflated data as it comes out, piece by piece, with what is wrong at its end told instead of thrown, so that the good
// part of a damaged file is not lost. Counts what really comes out.

import { crc32, createInflateRaw } from 'node:zlib';
import {
  type Bytes,
  type Limits,
  quoted,
  ReaderError,
  type Source,
  throwIfAborted,
} from '../../src/contract/index.ts';

/** How a stretch of deflated data ended. */
export interface InflateEnd {
  /** `ended`: by its own last block. `short`: the bytes ran out first. `broken`: no deflate data. */
  readonly state: 'ended' | 'short' | 'broken';
  /** Bytes taken of the packed data. */
  readonly consumed: Bytes;
}

/** What came out of a read, in pieces that are the caller's. */
export type Pieces = AsyncGenerator<Uint8Array, InflateEnd, undefined>;

/** Written at once: inflates to at most 32 MiB, which is all that waits to be taken. */
const WRITE_BYTES = 32 * 1024;
/** Of damaged data at most what so many bytes pack is lost. */
const FINE_BYTES = 64;
const OUTPUT_BYTES = 256 * 1024;
const STORED_BYTES = 512 * 1024;
const RATIO_GRACE_BYTES = 1024 * 1024;

/**
 * Raw deflate data (RFC 1951) between `from` and `to` of `source`. An inflator keeps to itself what it had made of the
 * piece in which it found damage: up to there it is done again, in pieces that are small.
 */
export async function* inflateRaw(source: Source, from: Bytes, to: Bytes, signal: AbortSignal): Pieces {
  const first = inflatePieces(source, from, to, Number.POSITIVE_INFINITY, signal);
  let given = 0;
  let end: InflateEnd | undefined;
  try {
    while (!end) {
      const { value, done } = await first.next();
      if (done) end = value;
      else {
        given += value.length;
        yield value;
      }
    }
  } finally {
    await first.return({ state: 'short', consumed: 0 });
  }
  if (end.state !== 'broken') return end;
  const fineFrom = from + Math.floor(end.consumed / WRITE_BYTES) * WRITE_BYTES - WRITE_BYTES;
  const again = inflatePieces(source, from, to, fineFrom, signal);
  let seen = 0;
  try {
    for (;;) {
      const { value, done } = await again.next();
      if (done) return value;
      const fresh = value.subarray(Math.max(0, given - seen));
      seen += value.length;
      if (fresh.length > 0) yield fresh;
    }
  } finally {
    await again.return({ state: 'short', consumed: 0 });
  }
}

async function* inflatePieces(
  source: Source,
  from: Bytes,
  to: Bytes,
  fineFrom: Bytes,
  signal: AbortSignal,
): Pieces {
  const inflator = createInflateRaw({ chunkSize: OUTPUT_BYTES });
  let out: Uint8Array[] = [];
  const at: { state: 'running' | 'ended' | 'failed' } = { state: 'running' };
  let wake = (): void => undefined;
  inflator.on('data', (piece: Uint8Array) => out.push(piece));
  inflator.on('end', () => {
    at.state = 'ended';
    wake();
  });
  inflator.on('error', () => {
    at.state = 'failed';
    wake();
  });
  const step = (act: (done: () => void) => void): Promise<void> =>
    new Promise((resolve) => {
      wake = () => resolve();
      act(wake);
    });
  try {
    for (let position = from; position < to && at.state === 'running'; ) {
      throwIfAborted(signal);
      const most = position >= fineFrom ? FINE_BYTES : WRITE_BYTES;
      const piece = await source.read(position, Math.min(most, to - position));
      if (piece.length === 0) break;
      position += piece.length;
      await step((done) => inflator.write(piece, done));
      const ready = out;
      out = [];
      yield* ready;
    }
    const consumed = inflator.bytesWritten;
    // All data taken leaves open whether its last block was among it: ending tells.
    const flushed = at.state === 'running';
    if (flushed) {
      await step(() => inflator.end());
      yield* out;
    }
    return { state: hasEnded(at) ? 'ended' : flushed ? 'short' : 'broken', consumed };
  } finally {
    inflator.destroy();
  }
}

const hasEnded = ({ state }: { readonly state: string }): boolean => state === 'ended';

/** Bytes that are not packed. */
export async function* storedBytes(source: Source, from: Bytes, to: Bytes, signal: AbortSignal): Pieces {
  for (let at = from; at < to; at += STORED_BYTES) {
    throwIfAborted(signal);
    const piece = await source.read(at, Math.min(STORED_BYTES, to - at));
    if (piece.length === 0) return { state: 'short', consumed: at - from };
    yield piece;
  }
  return { state: 'ended', consumed: to - from };
}

/** Counts inflated bytes against `maxInflatedBytes` and `maxInflateRatio`. */
export class InflateMeter {
  readonly #limits: Pick<Limits, 'maxInflatedBytes' | 'maxInflateRatio'>;
  readonly #name: string;
  #inflated: Bytes = 0;

  constructor(limits: Pick<Limits, 'maxInflatedBytes' | 'maxInflateRatio'>, name: string) {
    this.#limits = limits;
    this.#name = name;
  }

  get inflated(): Bytes {
    return this.#inflated;
  }

  /** @throws {ReaderError} LIMIT_EXCEEDED when `length` more bytes of `packed` are too many */
  add(length: Bytes, packed: Bytes): void {
    this.#inflated += length;
    const { maxInflatedBytes, maxInflateRatio } = this.#limits;
    if (this.#inflated > maxInflatedBytes)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `${quoted(this.#name)} inflates to more than ${maxInflatedBytes} bytes (limit \`maxInflatedBytes\`).`,
        'Raise the limit `maxInflatedBytes` if the file is trusted.',
      );
    if (this.#inflated > RATIO_GRACE_BYTES && this.#inflated > maxInflateRatio * Math.max(1, packed))
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `${quoted(this.#name)} inflates ${packed} bytes to more than ${this.#inflated}, over ${maxInflateRatio} times (limit \`maxInflateRatio\`).`,
        'Raise the limit `maxInflateRatio` if the file is trusted.',
      );
  }
}

/** All of `pieces` as one, with their checksum and how they ended. */
export interface Gathered {
  readonly bytes: Uint8Array;
  readonly crc: number;
  readonly end: InflateEnd;
}

/**
 * Holds what comes out.
 * @throws {ReaderError} LIMIT_EXCEEDED past `meter`, or above `maxBytesInMemory`
 */
export async function gather(
  pieces: Pieces,
  packed: Bytes,
  meter: InflateMeter,
  { maxBytesInMemory }: Pick<Limits, 'maxBytesInMemory'>,
  name: string,
): Promise<Gathered> {
  const held: Uint8Array[] = [];
  let length = 0;
  let crc = 0;
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) return { bytes: Buffer.concat(held, length), crc, end: value };
    length += value.length;
    try {
      meter.add(value.length, packed);
      if (length > maxBytesInMemory) throw tooLarge(name, maxBytesInMemory);
    } catch (error) {
      await pieces.return({ state: 'short', consumed: 0 });
      throw error;
    }
    crc = crc32(value, crc);
    held.push(value);
  }
}

/** What is inside an archive is held in memory, which has a bound. */
export function tooLarge(name: string, most: Bytes): ReaderError {
  return new ReaderError(
    'LIMIT_EXCEEDED',
    `${quoted(name)} has more than ${most} bytes, the most that is held of a file inside another (limit \`maxBytesInMemory\`).`,
    'Raise the limit `maxBytesInMemory`, or unpack it and read the result.',
  );
}
