// Packed data as a stream of what it inflates to, counted before each piece is passed on. Damage ends the stream with a
// state instead of an error, so that the good part of a damaged file is not lost.

import { createInflateRaw, type InflateRaw } from 'node:zlib';
import { type Bytes, type ReaderError, type Source, throwIfAborted } from '../contract/index.ts';
import type { CountInflated } from './meter.ts';

/** How a stretch of packed data ended. */
export interface InflateEnd {
  /** `ended`: by its own last block. `short`: the bytes ran out first. `broken`: not deflate data. */
  readonly state: 'ended' | 'short' | 'broken';
  /** Packed bytes consumed. */
  readonly consumed: Bytes;
}

/** The pieces belong to the caller. */
export type Pieces = AsyncGenerator<Buffer, InflateEnd, undefined>;

/** Packed bytes of a file, from `from` to before `to`. */
export interface Stretch {
  readonly from: Bytes;
  readonly to: Bytes;
  /** What they inflate to, as declared: a hint for the size of buffers. */
  readonly size?: Bytes | undefined;
}

const FIRST_READ_BYTES = 64 * 1024;
const READ_BYTES = 512 * 1024;
/** Written at once, and how often before output is taken. Output comes piece by piece, so that a bomb waits to be taken. */
const WRITE_BYTES = 512 * 1024;
const WRITES_AHEAD = 2;
/** At the place of damage: what this many bytes inflate to may be lost. */
const FINE_BYTES = 64;
const OUTPUT_BYTES = 512 * 1024;
const MIN_OUTPUT_BYTES = 16 * 1024;

/** Raw deflate data (RFC 1951). @throws {ReaderError} as `count`, and ABORTED */
export async function* inflateRaw(
  source: Source,
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
  // zlib drops the output of the step that met the damage: inflate again, in small writes from there on.
  const damage = { from: stretch.from + first.consumed, given };
  return yield* inflatePieces(source, stretch, damage, counted, signal);
}

/** Where small writes begin, and how much of the output was passed on before. */
interface Damage {
  readonly from: Bytes;
  readonly given: Bytes;
}

const NO_DAMAGE: Damage = { from: Number.POSITIVE_INFINITY, given: 0 };

/** Bytes that are not packed. @throws {ReaderError} as `count`, and ABORTED */
export async function* storedBytes(
  source: Source,
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

/** All of `pieces` as one, and what they returned. @throws {ReaderError} `tooMany()` above `maxBytes` */
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
  source: Source,
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
    // That all input was accepted does not say whether the last block was in it: its end does.
    const accepted = inflator.running;
    if (accepted) inflator.finish();
    yield* taken(0);
    return { state: inflator.ended ? 'ended' : accepted ? 'short' : 'broken', consumed };
  } finally {
    inflator.close();
  }
}

/** zlib one piece of output at a time; the next is inflated while the caller works on the last. Damage ends it instead of throwing. */
class Inflator {
  /** Takes more input. */
  running = true;
  /** The data ended with its own last block. */
  ended = false;
  readonly #zlib: InflateRaw;
  /** Writes that are not all inflated. */
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

  /** What came out; undefined when no more than `pending` writes may give more. */
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

/** The bytes of a stretch, up to the end of the file. The next piece is read while the caller works on the last. */
async function* readAhead(
  source: Source,
  from: Bytes,
  to: Bytes,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  // Gzip data of many members, each a stretch of its own, must not be read far past every one of them.
  let length = FIRST_READ_BYTES;
  const read = (at: Bytes): Promise<Uint8Array> => {
    const piece = source.read(at, Math.min(length, to - at));
    // A failure is met where the piece is awaited; until then it must not count as unhandled.
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
    // The source may be closed once this has returned.
    await ahead?.catch(() => undefined);
  }
}
