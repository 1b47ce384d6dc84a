// The kinds of Source: a file descriptor, bytes in memory, a Blob, and a window on another Source. Opening and
// checking what a caller passed is `open.ts`.

import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { type FileHandle, readlink } from 'node:fs/promises';
import {
  type Bytes,
  type Extension,
  type MimeType,
  quoted,
  ReaderError,
  type Source,
  systemError,
} from '../contract/index.ts';
import type { Progress } from './request.ts';

const CHUNK_BYTES = 1024 * 1024;

/** Files up to here are known by their hash, larger ones by size, modification time and inode. */
const HASHED_BYTES = 4 * CHUNK_BYTES;

/** What a Source is called and declared as. */
export interface Label {
  readonly name: string;
  readonly extension: Extension | '';
  readonly mimeType: MimeType | undefined;
  readonly maxBytesInMemory: Bytes;
  /** Of the content, in hex, where the caller knows it. */
  readonly sha256?: string;
}

/** The part every Source shares: all of it follows from `size` and `readInto`. */
abstract class RandomAccess implements Source {
  readonly name: string;
  readonly extension: Extension | '';
  readonly mimeType: MimeType | undefined;
  abstract readonly size: Bytes;
  readonly #maxBytesInMemory: Bytes;
  #identity: Promise<string> | undefined;

  constructor(label: Label) {
    this.name = label.name;
    this.extension = label.extension;
    this.mimeType = label.mimeType;
    this.#maxBytesInMemory = label.maxBytesInMemory;
    if (label.sha256 !== undefined) this.#identity = Promise.resolve(`sha256:${label.sha256}`);
  }

  abstract readInto(target: Uint8Array, position: Bytes): Promise<number>;

  identity(): Promise<string> {
    this.#identity ??= this.fingerprint();
    return this.#identity;
  }

  protected async fingerprint(): Promise<string> {
    const hash = createHash('sha256');
    for await (const chunk of this.chunks()) hash.update(chunk);
    return `sha256:${hash.digest('hex')}`;
  }

  async read(position: Bytes, length: Bytes): Promise<Uint8Array> {
    const target = new Uint8Array(Math.max(0, Math.min(length, this.size - position)));
    const filled = target.length === 0 ? 0 : await this.readInto(target, position);
    return filled === target.length ? target : target.subarray(0, filled);
  }

  async *chunks(from: Bytes = 0): AsyncGenerator<Uint8Array> {
    const chunk = new Uint8Array(Math.max(0, Math.min(CHUNK_BYTES, this.size - from)));
    let position = from;
    while (position < this.size) {
      const filled = await this.readInto(
        chunk.subarray(0, Math.min(chunk.length, this.size - position)),
        position,
      );
      if (filled === 0) return;
      yield chunk.subarray(0, filled);
      position += filled;
    }
  }

  bytes(): Promise<Uint8Array> {
    if (this.size > this.#maxBytesInMemory)
      return Promise.reject(
        new ReaderError(
          'LIMIT_EXCEEDED',
          `The file has ${this.size} bytes; this format is held in memory and may have ${this.#maxBytesInMemory}.`,
          'Raise the limit `maxBytesInMemory` (LECTERN_MAX_BYTES_IN_MEMORY), or convert the file to a format that is read in pieces.',
        ),
      );
    return this.read(0, this.size);
  }
}

/** An open file; whoever opened the handle closes it. */
export class FileSource extends RandomAccess {
  readonly size: Bytes;
  readonly modified: Date;
  readonly #handle: FileHandle;
  readonly #stats: BigIntStats;

  constructor(label: Label, handle: FileHandle, stats: BigIntStats) {
    super(label);
    this.#handle = handle;
    this.#stats = stats;
    this.size = Number(stats.size);
    this.modified = stats.mtime;
  }

  /** Where the file is now; undefined where the system does not say. A file that was deleted is not found there. */
  path(): Promise<string | undefined> {
    return readlink(`/proc/self/fd/${this.#handle.fd}`).catch(() => undefined);
  }

  async readInto(target: Uint8Array, position: Bytes): Promise<number> {
    let filled = 0;
    const wanted = Math.min(target.length, Math.max(0, this.size - position));
    while (filled < wanted) {
      const { bytesRead } = await this.#handle
        .read(target, filled, wanted - filled, position + filled)
        .catch((error: unknown) => Promise.reject(systemError(error, this.name, 'read')));
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  }

  protected override async fingerprint(): Promise<string> {
    if (this.size <= HASHED_BYTES) return super.fingerprint();
    const { size, mtimeNs, ino, dev } = this.#stats;
    return `stat:${size}:${mtimeNs}:${ino}:${dev}`;
  }

  /** True when the file on disk is no longer what was opened. */
  async changed(): Promise<boolean> {
    const now = await this.#handle.stat({ bigint: true });
    return now.size !== this.#stats.size || now.mtimeNs !== this.#stats.mtimeNs;
  }
}

/** Bytes at hand. Does not copy them. */
export class MemorySource extends RandomAccess {
  readonly size: Bytes;
  readonly #bytes: Uint8Array;

  constructor(label: Label, bytes: Uint8Array) {
    super(label);
    this.#bytes = bytes;
    this.size = bytes.length;
  }

  readInto(target: Uint8Array, position: Bytes): Promise<number> {
    const piece = this.#bytes.subarray(position, position + target.length);
    target.set(piece);
    return Promise.resolve(piece.length);
  }
}

/** A Blob, read piece by piece. */
export class BlobSource extends RandomAccess {
  readonly size: Bytes;
  readonly #blob: Blob;

  constructor(label: Label, blob: Blob) {
    super(label);
    this.#blob = blob;
    this.size = blob.size;
  }

  async readInto(target: Uint8Array, position: Bytes): Promise<number> {
    const piece = new Uint8Array(await this.#slice(position, position + target.length));
    target.set(piece);
    return piece.length;
  }

  async #slice(from: Bytes, to: Bytes): Promise<ArrayBuffer> {
    try {
      return await this.#blob.slice(from, to).arrayBuffer();
    } catch (error) {
      throw new ReaderError(
        'BAD_INPUT',
        `The Blob ${quoted(this.name)} could not be read.`,
        'Pass a Blob that can be read, or its bytes.',
        error,
      );
    }
  }
}

/** A file that another process holds open and answers for. */
export class RemoteSource extends RandomAccess {
  readonly size: Bytes;
  readonly #far: RemoteFile;

  constructor(label: Label, size: Bytes, far: RemoteFile) {
    super(label);
    this.size = size;
    this.#far = far;
  }

  async readInto(target: Uint8Array, position: Bytes): Promise<number> {
    const wanted = Math.min(target.length, Math.max(0, this.size - position));
    let filled = 0;
    while (filled < wanted) {
      const length = Math.min(CHUNK_BYTES, wanted - filled);
      const piece = await this.#far.read(position + filled, length);
      if (piece.length === 0) break;
      target.set(piece, filled);
      filled += piece.length;
    }
    return filled;
  }

  protected override fingerprint(): Promise<string> {
    return this.#far.identity();
  }
}

/** Bytes of a file that another process holds open: all of them, so that only a large one's identity is asked for. */
export class SentSource extends MemorySource {
  readonly #identity: () => Promise<string>;

  constructor(label: Label, bytes: Uint8Array, identity: () => Promise<string>) {
    super(label, bytes);
    this.#identity = identity;
  }

  protected override fingerprint(): Promise<string> {
    return this.size <= HASHED_BYTES ? super.fingerprint() : this.#identity();
  }
}

/** What the process that holds a file open can be asked. */
export interface RemoteFile {
  /** Up to `length` bytes, fewer only at the end. */
  read(position: Bytes, length: Bytes): Promise<Uint8Array>;
  identity(): Promise<string>;
}

/** The bytes of `inner` from `start` on: a file without its byte order mark. */
export class WindowSource extends RandomAccess {
  readonly size: Bytes;
  readonly #inner: Source;
  readonly #start: Bytes;

  constructor(inner: Source, start: Bytes, maxBytesInMemory: Bytes) {
    super({
      name: inner.name,
      extension: inner.extension,
      mimeType: inner.mimeType,
      maxBytesInMemory,
    });
    this.#inner = inner;
    this.#start = start;
    this.size = Math.max(0, inner.size - start);
  }

  readInto(target: Uint8Array, position: Bytes): Promise<number> {
    return this.#inner.readInto(target, position + this.#start);
  }

  protected override async fingerprint(): Promise<string> {
    return `${await this.#inner.identity()}+${this.#start}`;
  }
}

/** UTF-8 made of a file in another encoding, piece by piece; `pieces` is the table that `decode.ts` built. */
export class PieceSource extends RandomAccess {
  readonly size: Bytes;
  readonly #pieces: readonly Piece[];
  readonly #load: (piece: Piece) => Promise<Uint8Array>;
  readonly #key: () => Promise<string>;
  #held: { readonly piece: Piece; readonly bytes: Uint8Array } | undefined;

  constructor(
    label: Label,
    pieces: readonly Piece[],
    load: (piece: Piece) => Promise<Uint8Array>,
    key: () => Promise<string>,
  ) {
    super(label);
    const last = pieces.at(-1);
    this.size = last ? last.target + last.targetLength : 0;
    this.#pieces = pieces;
    this.#load = load;
    this.#key = key;
  }

  protected override fingerprint(): Promise<string> {
    return this.#key();
  }

  async readInto(target: Uint8Array, position: Bytes): Promise<number> {
    let filled = 0;
    while (filled < target.length && position + filled < this.size) {
      const piece = this.#at(position + filled);
      if (!piece) break;
      if (this.#held?.piece !== piece) this.#held = { piece, bytes: await this.#load(piece) };
      const from = position + filled - piece.target;
      const slice = this.#held.bytes.subarray(from, from + target.length - filled);
      if (slice.length === 0) break;
      target.set(slice, filled);
      filled += slice.length;
    }
    return filled;
  }

  #at(position: Bytes): Piece | undefined {
    let low = 0;
    let high = this.#pieces.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#pieces[middle]?.target ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return this.#pieces[low];
  }
}

/** A stretch of a file that decodes on its own: where it lies in the file, and where its UTF-8 lies. */
export interface Piece {
  readonly source: Bytes;
  readonly sourceLength: Bytes;
  readonly target: Bytes;
  readonly targetLength: Bytes;
}

/** `source`, telling `onProgress` at most ten times a second how much of it has been read. */
export function watched(source: Source, onProgress: (progress: Progress) => void): Source {
  let bytes = 0;
  let last = Date.now();
  const count = (read: number): void => {
    bytes += read;
    const now = Date.now();
    if (now - last < 100) return;
    last = now;
    try {
      onProgress({ bytes, of: source.size });
    } catch (error) {
      throw new ReaderError('BAD_INPUT', '`onProgress` threw.', 'Catch errors inside `onProgress`.', error);
    }
  };
  return {
    name: source.name,
    extension: source.extension,
    mimeType: source.mimeType,
    size: source.size,
    identity: () => source.identity(),
    read: async (position, length) => {
      const read = await source.read(position, length);
      count(read.length);
      return read;
    },
    readInto: async (target, position) => {
      const filled = await source.readInto(target, position);
      count(filled);
      return filled;
    },
    async *chunks(from) {
      for await (const chunk of source.chunks(from)) {
        count(chunk.length);
        yield chunk;
      }
    },
    bytes: () => source.bytes(),
  };
}
