// A zip container read at random through a Source: its directory, and one entry at a time as a stream of inflated
// bytes that are counted while they come. Not an archive reader: it knows nothing of paths on disk.

import { constants, createInflateRaw, type InflateRaw } from 'node:zlib';
import {
  type Bytes,
  type Limits,
  passwordNeeded,
  quoted,
  ReaderError,
  type Source,
  throwIfAborted,
  type Warning,
} from '../contract/index.ts';
import {
  corrupt,
  findZipDirectory,
  overlapping,
  type ZipDirectory,
  type ZipRecord,
  zipLocal,
  zipRecords,
} from './zip-directory.ts';
import { isInnerDirectory, salvagedRecords } from './zip-salvage.ts';

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
  /** The file is cut off inside of it: what it inflates to is the beginning of the whole. */
  readonly cut: boolean;
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

/** What a reader of a `salvaged` container tells. */
export const CUT_OFF: Warning = {
  code: 'SKIPPED_CONTENT',
  message: 'The file is cut off: its directory is missing; what could be found is shown.',
};

/** An opened zip file. Inflated bytes are counted over all entries; reading an entry twice counts its longer pass. */
export class ZipFile {
  /** In directory order, the first of each name. */
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /** Names that occur more than once. */
  readonly duplicates: readonly string[];
  /** The directory is missing, as in a file that is cut off; the entries are those found by their own headers. */
  readonly salvaged: boolean;
  readonly #source: Source;
  readonly #limits: ZipLimits;
  readonly #folded = new Map<string, ZipEntry>();
  readonly #inflated = new Map<string, Bytes>();
  #inflatedTotal: Bytes = 0;

  private constructor(source: Source, limits: ZipLimits, list: readonly ZipEntry[], salvaged: boolean) {
    this.#source = source;
    this.salvaged = salvaged;
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
   * Reads the directory; of a file without one, the headers of its entries.
   * @throws {ReaderError} CORRUPT_FILE without either, or with a directory that points outside the file or at
   * overlapping entries; LIMIT_EXCEEDED above 10 000 entries or 16 MiB of directory.
   */
  static async open(
    source: Source,
    limits: Pick<Limits, keyof ZipLimits>,
    signal?: AbortSignal,
  ): Promise<ZipFile> {
    let directory: ZipDirectory;
    try {
      directory = await findZipDirectory(source);
      if (await isInnerDirectory(source, directory, signal)) throw corrupt('The end of the file is missing.');
    } catch (error) {
      if (!(error instanceof ReaderError) || error.code !== 'CORRUPT_FILE') throw error;
      const list = await salvageEntries(source, signal);
      if (list.length === 0) throw error;
      return new ZipFile(source, limits, list, true);
    }
    if (directory.count > MAX_ENTRIES || directory.size > MAX_DIRECTORY_BYTES)
      throw tooMany(String(directory.count));
    const list = await readEntries(source, directory);
    const bad = overlapping(list);
    if (bad) throw corrupt(`${quoted(bad.name)} inside the file overlaps another entry, as in a zip bomb.`);
    return new ZipFile(source, limits, list, false);
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
    if (entry.encrypted) throw passwordNeeded(`${quoted(entry.name)} inside the file is encrypted.`);
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
        'Raise the limit `maxInflatedBytes` if the file is trusted.',
      );
    if (inflated > RATIO_GRACE_BYTES && inflated > maxInflateRatio * Math.max(1, entry.compressedSize))
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `${quoted(entry.name)} inside the file inflates ${entry.compressedSize} bytes to more than ${inflated}, over ${maxInflateRatio} times (limit \`maxInflateRatio\`).`,
        'Raise the limit `maxInflateRatio` if the file is trusted.',
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
    // What is cut off has no last block, which is no error then.
    const inflator = createInflateRaw({
      chunkSize,
      finishFlush: entry.cut ? constants.Z_SYNC_FLUSH : constants.Z_FINISH,
    });
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

function tooMany(count: string): ReaderError {
  return new ReaderError(
    'LIMIT_EXCEEDED',
    `The zip container lists ${count} entries; at most ${MAX_ENTRIES} are read.`,
    'Save it again without its embedded files.',
  );
}

/** What can be found without a directory and has data, or needs none. */
async function salvageEntries(source: Source, signal: AbortSignal | undefined): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = [];
  for await (const record of salvagedRecords(source, signal)) {
    if (record.cut && record.compressedSize === 0) continue;
    if (entries.length >= MAX_ENTRIES) throw tooMany(`more than ${MAX_ENTRIES}`);
    entries.push(entryOf(record, record.cut));
  }
  return entries;
}

function entryOf(record: ZipRecord, cut: boolean): ZipEntry {
  return {
    name: Buffer.from(record.name).toString('utf8').replaceAll('\\', '/').replace(/^\/+/, ''),
    method: record.method,
    encrypted: (record.flags & 1) === 1,
    compressedSize: record.compressedSize,
    size: record.size,
    offset: record.offset,
    cut,
  };
}

async function readEntries(source: Source, directory: ZipDirectory): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = [];
  for await (const record of zipRecords(source, directory)) {
    if (entries.length >= MAX_ENTRIES) break;
    const entry = entryOf(record, false);
    if (entry.offset > source.size)
      throw corrupt(`${quoted(entry.name)} inside the file starts past the end of the file.`);
    entries.push(entry);
  }
  if (entries.length === 0) throw corrupt('The zip container holds no entries.');
  return entries;
}
