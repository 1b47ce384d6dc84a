// Inflates data as a stream, counting each chunk before it is passed on. Damage ends the stream with a state instead of
// an error, so that the valid part of a damaged file is not lost.

import { createInflateRaw, type InflateRaw } from 'node:zlib';
import { type Bytes, type ReaderError, type Source, throwIfAborted } from '../contract/index.ts';
import type { CountInflated } from './meter.ts';

/** How a range of packed data ended. */
export interface InflateEnd {
  /** `ended`: with its last block. `short`: the bytes ran out first. `broken`: not deflate data. */
  readonly state: 'ended' | 'short' | 'broken';
  /** Packed bytes consumed. */
  readonly consumed: Bytes;
}

/** The chunks belong to the caller. */
export type Pieces = AsyncGenerator<Buffer, InflateEnd, undefined>;

/** Packed bytes of a file, from `from` to before `to`. */
export interface Stretch {
  readonly from: Bytes;
  readonly to: Bytes;
  /** Declared inflated size: a hint for buffer sizes. */
  readonly size?: Bytes | undefined;
}

const FIRST_READ_BYTES = 64 * 1024;
const READ_BYTES = 512 * 1024;
/**
 * Bytes per write, and writes before output is taken. Output comes in chunks, so a bomb inflates no further than it is
 * read.
 */
const WRITE_BYTES = 512 * 1024;
const WRITES_AHEAD = 2;
/** Near damage: output of up to this many packed bytes may be lost. */
const FINE_BYTES = 64;
const OUTPUT_BYTES = 512 * 1024;
const MIN_OUTPUT_BYTES = 16 * 1024;

/** Raw deflate data (RFC 1951). @throws {ReaderError} as `count`, and ABORTED */
export async function* inflateRaw(
  source: Pick<Source, 'read'>,
  stretch: Stretch,
  count: CountInflated,
  signal: AbortSignal,
): Pieces {
  let given = 0;
  const counted: CountInflated = (piece) => {
    given += piece.length;
    count(piece);
  };
  const first = yield* inflatePieces(source, stretch, NO_DAMAGE, counted, signal);
  if (first.state !== 'broken') return first;
  // zlib drops the output of the step that hit the damage: inflate again, with small writes from there on.
  const damage = { from: stretch.from + first.consumed, given };
  return yield* inflatePieces(source, stretch, damage, counted, signal);
}

/** Where small writes begin, and how much output was already passed on. */
interface Damage {
  readonly from: Bytes;
  readonly given: Bytes;
}

const NO_DAMAGE: Damage = { from: Number.POSITIVE_INFINITY, given: 0 };

/** Unpacked bytes. @throws {ReaderError} as `count`, and ABORTED */
export async function* storedBytes(
  source: Pick<Source, 'read'>,
  { from, to }: Stretch,
  count: CountInflated,
  signal: AbortSignal,
): Pieces {
  let at = from;
  for await (const piece of readAhead(source, from, to, signal)) {
    at += piece.length;
    count(piece);
    yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  }
  return { state: at < to ? 'short' : 'ended', consumed: at - from };
}

/** Collects all of `pieces`, and their return value. @throws {ReaderError} `tooMany()` above `maxBytes` */
export async function gathered<End>(
  pieces: AsyncGenerator<Uint8Array, End, undefined>,
  maxBytes: Bytes,
  tooMany: () => ReaderError,
): Promise<{ readonly bytes: Buffer; readonly end: End }> {
  const held: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) return { bytes: Buffer.concat(held, length), end: value };
    length += value.length;
    // Thrown inside the generator, which closes it.
    if (length > maxBytes) await pieces.throw(tooMany());
    held.push(value);
  }
}

async function* inflatePieces(
  source: Pick<Source, 'read'>,
  { from, to, size = OUTPUT_BYTES }: Stretch,
  damage: Damage,
  count: CountInflated,
  signal: AbortSignal,
): Pieces {
  const inflator = new Inflator(Math.min(OUTPUT_BYTES, Math.max(MIN_OUTPUT_BYTES, size)));
  let skip = damage.given;
  const taken = async function* (pending: number): AsyncGenerator<Buffer, void, undefined> {
    for (let piece = await inflator.next(pending); piece; piece = await inflator.next(pending)) {
      const rest = piece.subarray(Math.min(skip, piece.length));
      skip -= piece.length - rest.length;
      if (rest.length === 0) continue;
      throwIfAborted(signal);
      count(rest);
      yield rest;
    }
  };
  try {
    let position = from;
    for await (const piece of readAhead(source, from, to, signal)) {
      for (let at = 0; at < piece.length && inflator.running; ) {
        const before = damage.from - position - at;
        const length = before > 0 ? Math.min(before, WRITE_BYTES) : FINE_BYTES;
        inflator.write(piece.subarray(at, at + length));
        at += length;
        yield* taken(length > FINE_BYTES ? WRITES_AHEAD - 1 : 0);
      }
      position += piece.length;
      if (!inflator.running) break;
    }
    yield* taken(0);
    const { consumed } = inflator;
    // Accepting all input does not mean that the last block was in it; reaching the end does.
    const accepted = inflator.running;
    if (accepted) inflator.finish();
    yield* taken(0);
    return { state: inflator.ended ? 'ended' : accepted ? 'short' : 'broken', consumed };
  } finally {
    inflator.close();
  }
}

/**
 * zlib one output chunk at a time; the next is inflated while the caller processes the last. Damage ends it instead of
 * throwing.
 */
class Inflator {
  /** Accepts more input. */
  running = true;
  /** The data ended with its last block. */
  ended = false;
  readonly #zlib: InflateRaw;
  /** Writes not completely inflated yet. */
  #pending = 0;
  #wake = (): void => undefined;

  constructor(chunkSize: Bytes) {
    this.#zlib = createInflateRaw({ chunkSize })
      .on('readable', () => this.#wake())
      .on('end', () => {
        this.ended = true;
        this.#stop();
      })
      .on('error', () => this.#stop());
  }

  get consumed(): Bytes {
    return this.#zlib.bytesWritten;
  }

  write(bytes: Uint8Array): void {
    this.#pending += 1;
    this.#zlib.write(bytes, () => {
      this.#pending -= 1;
      this.#wake();
    });
  }

  finish(): void {
    this.#pending += 1;
    this.#zlib.end();
  }

  /** The next output; undefined when no more than `pending` writes may produce more. */
  async next(pending: number): Promise<Buffer | undefined> {
    for (;;) {
      const piece: Buffer | null = this.#zlib.read();
      if (piece) return piece;
      if (this.#pending <= pending || !this.running) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#zlib.destroy();
  }

  #stop(): void {
    this.running = false;
    this.#wake();
  }
}

/** The bytes of a range, up to the end of the file. The next chunk is read while the caller processes the last. */
async function* readAhead(
  source: Pick<Source, 'read'>,
  from: Bytes,
  to: Bytes,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  // In gzip data of many members, each a separate range, do not read far beyond each one.
  let length = FIRST_READ_BYTES;
  const read = (at: Bytes): Promise<Uint8Array> => {
    const piece = source.read(at, Math.min(length, to - at));
    // The error is reported where the chunk is awaited; until then it must not count as unhandled.
    piece.catch(() => undefined);
    length = Math.min(READ_BYTES, length * 2);
    return piece;
  };
  let ahead: Promise<Uint8Array> | undefined;
  try {
    for (let at = from; at < to; ) {
      throwIfAborted(signal);
      const piece = await (ahead ?? read(at));
      if (piece.length === 0) return;
      at += piece.length;
      ahead = piece.length > FIRST_READ_BYTES && at < to ? read(at) : undefined;
      yield piece;
    }
  } finally {
    // The source may be closed after this returns.
    await ahead?.catch(() => undefined);
  }
}
