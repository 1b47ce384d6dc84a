// A zip container read at random through a Source: its directory, and one entry at a time as a stream of inflated
// bytes that are counted while they come. Not an archive reader: it knows nothing of paths on disk.

import { createInflateRaw, type InflateRaw } from 'node:zlib';
import {
  type Bytes,
  type Limits,
  quoted,
  ReaderError,
  type Source,
  throwIfAborted,
} from '../contract/index.ts';
import {
  corrupt,
  findZipDirectory,
  overlapping,
  type ZipDirectory,
  zipLocal,
  zipRecords,
} from './zip-directory.ts';

/** One file of the container, as the directory tells of it. */
export interface ZipEntry {
  /** Forward slashes, no leading slash. */
  readonly name: string;
  readonly compressedSize: Bytes;
  /** As declared; a hint only. */
  readonly size: Bytes;
  readonly method: number;
  readonly encrypted: boolean;
  /** Of its local header, in the file. */
  readonly offset: Bytes;
}

/** The limits that hold inflating; their meaning is that of `Limits`. */
export interface ZipLimits {
  readonly maxInflatedBytes: Bytes;
  readonly maxInflateRatio: number;
}

const MAX_ENTRIES = 10_000;
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;
const RATIO_GRACE_BYTES = 1024 * 1024;
const READ_BYTES = 512 * 1024;
const INFLATE_BYTES = 512 * 1024;
const MIN_INFLATE_BYTES = 16 * 1024;

/** An opened zip file. Inflated bytes are counted over all entries; reading an entry twice counts its longer pass. */
export class ZipFile {
  /** In directory order, the first of each name. */
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /** Names that occur more than once. */
  readonly duplicates: readonly string[];
  readonly #source: Source;
  readonly #limits: ZipLimits;
  readonly #folded = new Map<string, ZipEntry>();
  readonly #inflated = new Map<string, Bytes>();
  #inflatedTotal: Bytes = 0;

  private constructor(source: Source, limits: ZipLimits, list: readonly ZipEntry[]) {
    this.#source = source;
    this.#limits = limits;
    const entries = new Map<string, ZipEntry>();
    const duplicates = new Set<string>();
    for (const entry of list) {
      if (entries.has(entry.name)) {
        duplicates.add(entry.name);
        continue;
      }
      entries.set(entry.name, entry);
      const folded = entry.name.toLowerCase();
      if (!this.#folded.has(folded)) this.#folded.set(folded, entry);
    }
    this.entries = entries;
    this.duplicates = [...duplicates];
  }

  /**
   * Reads the directory.
   * @throws {ReaderError} CORRUPT_FILE without a directory, or with one that points outside the file or at
   * overlapping entries; LIMIT_EXCEEDED above 10 000 entries or 16 MiB of directory.
   */
  static async open(source: Source, limits: Pick<Limits, keyof ZipLimits>): Promise<ZipFile> {
    const directory = await findZipDirectory(source);
    if (directory.count > MAX_ENTRIES || directory.size > MAX_DIRECTORY_BYTES)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `The zip container lists ${directory.count} entries; at most ${MAX_ENTRIES} are read.`,
        'Save it again without its embedded files.',
      );
    const list = await readEntries(source, directory);
    const bad = overlapping(list);
    if (bad) throw corrupt(`${quoted(bad.name)} inside the file overlaps another entry, as in a zip bomb.`);
    return new ZipFile(source, limits, list);
  }

  /** The entry of that name; letter case is ignored, as office programs do. */
  get(name: string): ZipEntry | undefined {
    return this.entries.get(name) ?? this.#folded.get(name.toLowerCase());
  }

  /**
   * The inflated bytes of an entry in pieces of up to 512 KiB; each is the caller's.
   * @throws {ReaderError} CORRUPT_FILE, ENCRYPTED_FILE, or LIMIT_EXCEEDED by the bytes that really came out.
   */
  async *inflate(entry: ZipEntry, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    if (entry.encrypted)
      throw new ReaderError(
        'ENCRYPTED_FILE',
        `${quoted(entry.name)} inside the file is encrypted.`,
        'Remove the password and try again.',
      );
    const start = await this.#dataStart(entry);
    let inflated = 0;
    const pieces =
      entry.method === 0 ? this.#stored(entry, start, signal) : this.#deflated(entry, start, signal);
    for await (const piece of pieces) {
      throwIfAborted(signal);
      inflated += piece.length;
      this.#account(entry, inflated);
      yield piece;
    }
  }

  /** The whole of an entry. @throws {ReaderError} as `inflate`, and LIMIT_EXCEEDED above `maxBytes`. */
  async bytes(entry: ZipEntry, maxBytes: Bytes, signal: AbortSignal): Promise<Buffer> {
    return gathered(this.inflate(entry, signal), entry, maxBytes);
  }

  #account(entry: ZipEntry, inflated: Bytes): void {
    const before = this.#inflated.get(entry.name) ?? 0;
    if (inflated > before) {
      this.#inflatedTotal += inflated - before;
      this.#inflated.set(entry.name, inflated);
    }
    const { maxInflatedBytes, maxInflateRatio } = this.#limits;
    if (this.#inflatedTotal > maxInflatedBytes)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `The file inflates to more than ${maxInflatedBytes} bytes (limit \`maxInflatedBytes\`).`,
        'Raise `maxInflatedBytes` if the file is trusted.',
      );
    if (inflated > RATIO_GRACE_BYTES && inflated > maxInflateRatio * Math.max(1, entry.compressedSize))
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `${quoted(entry.name)} inside the file inflates ${entry.compressedSize} bytes to more than ${inflated}, over ${maxInflateRatio} times (limit \`maxInflateRatio\`).`,
        'Raise `maxInflateRatio` if the file is trusted.',
      );
  }

  async #dataStart(entry: ZipEntry): Promise<Bytes> {
    const local = await zipLocal(this.#source, entry.offset);
    if (!local) throw corrupt(`${quoted(entry.name)} inside the file is not where the directory says.`);
    const { start } = local;
    if (start + entry.compressedSize > this.#source.size)
      throw corrupt(`${quoted(entry.name)} inside the file ends past the end of the file.`);
    return start;
  }

  async *#stored(
    entry: ZipEntry,
    start: Bytes,
    signal: AbortSignal,
  ): AsyncGenerator<Buffer, void, undefined> {
    for (let at = 0; at < entry.compressedSize; at += INFLATE_BYTES) {
      throwIfAborted(signal);
      const piece = await this.#source.read(start + at, Math.min(INFLATE_BYTES, entry.compressedSize - at));
      yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    }
  }

  async *#deflated(
    entry: ZipEntry,
    start: Bytes,
    signal: AbortSignal,
  ): AsyncGenerator<Buffer, void, undefined> {
    if (entry.method !== 8)
      throw corrupt(
        `${quoted(entry.name)} inside the file uses compression method ${entry.method}; expected 8 (deflate).`,
      );
    // Small parts, of which there are thousands, take small buffers; the declared size is only a hint here.
    const chunkSize = Math.min(INFLATE_BYTES, Math.max(MIN_INFLATE_BYTES, entry.size));
    const inflator = createInflateRaw({ chunkSize });
    const source = this.#source;
    const feed = async (): Promise<void> => {
      try {
        const read = (at: Bytes): Promise<Uint8Array> => {
          const piece = source.read(start + at, Math.min(READ_BYTES, Math.max(0, entry.compressedSize - at)));
          // Met when it is awaited; until then the inflator may be busy, and an unmet failure would end the process.
          piece.catch(() => undefined);
          return piece;
        };
        // The next piece is read while this one is inflated, which else waits for every read.
        let next = read(0);
        for (let at = 0; at < entry.compressedSize && !inflator.destroyed; at += READ_BYTES) {
          const piece = await next;
          next = read(at + READ_BYTES);
          if (inflator.destroyed) break;
          if (!inflator.write(piece)) await drained(inflator);
        }
        await next;
        if (!inflator.destroyed) inflator.end();
      } catch (error) {
        inflator.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const feeding = feed();
    try {
      for await (const piece of inflator) yield piece;
    } catch (error) {
      if (error instanceof ReaderError) throw error;
      throwIfAborted(signal);
      throw corrupt(`${quoted(entry.name)} inside the file cannot be inflated.`, error);
    } finally {
      inflator.destroy();
      await feeding;
    }
  }
}

/** All `pieces` of an entry as one. @throws {ReaderError} LIMIT_EXCEEDED above `maxBytes`. */
export async function gathered(
  pieces: AsyncIterable<Buffer>,
  entry: ZipEntry,
  maxBytes: Bytes,
): Promise<Buffer> {
  const held: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > maxBytes)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `${quoted(entry.name)} inside the file inflates to more than ${maxBytes} bytes.`,
        'Save the file again, without unused styles and comments.',
      );
    held.push(piece);
  }
  return Buffer.concat(held, length);
}

/** Until the inflator takes more, or is closed and never will. */
function drained(inflator: InflateRaw): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      inflator.off('drain', done);
      inflator.off('close', done);
      resolve();
    };
    inflator.on('drain', done);
    inflator.on('close', done);
  });
}

async function readEntries(source: Source, directory: ZipDirectory): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = [];
  for await (const record of zipRecords(source, directory)) {
    if (entries.length >= MAX_ENTRIES) break;
    const name = Buffer.from(record.name).toString('utf8');
    if (record.offset > source.size)
      throw corrupt(`${quoted(name)} inside the file starts past the end of the file.`);
    entries.push({
      name: name.replaceAll('\\', '/').replace(/^\/+/, ''),
      method: record.method,
      encrypted: (record.flags & 1) === 1,
      compressedSize: record.compressedSize,
      size: record.size,
      offset: record.offset,
    });
  }
  if (entries.length === 0) throw corrupt('The zip container holds no entries.');
  return entries;
}
