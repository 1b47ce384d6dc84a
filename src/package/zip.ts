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

const END_SIGNATURE = 0x06054b50;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_END = 0x06064b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_LENGTH = 22;
const MAX_COMMENT = 0xffff;
const MAX_ENTRIES = 10_000;
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;
const RATIO_GRACE_BYTES = 1024 * 1024;
const READ_BYTES = 512 * 1024;
const INFLATE_BYTES = 512 * 1024;

function corrupt(message: string, cause?: unknown): ReaderError {
  return new ReaderError(
    'CORRUPT_FILE',
    message,
    'Open the file in the program that made it and save it again.',
    cause,
  );
}

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
    const directory = await findDirectory(source);
    if (directory.count > MAX_ENTRIES || directory.size > MAX_DIRECTORY_BYTES)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `The zip container lists ${directory.count} entries; at most ${MAX_ENTRIES} are read.`,
        'Save it again without its embedded files.',
      );
    const list = await readDirectory(source, directory);
    rejectOverlaps(list);
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
    const header = view(await this.#source.read(entry.offset, 30));
    if (header.byteLength < 30 || header.getUint32(0, true) !== LOCAL_SIGNATURE)
      throw corrupt(`${quoted(entry.name)} inside the file is not where the directory says.`);
    const start = entry.offset + 30 + header.getUint16(26, true) + header.getUint16(28, true);
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
    const inflator = createInflateRaw({ chunkSize: INFLATE_BYTES });
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

interface Directory {
  readonly offset: Bytes;
  readonly size: Bytes;
  readonly count: number;
  /** What stands before the zip's own first byte, as in a self-extracting file. */
  readonly shift: Bytes;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function wide(data: DataView, at: number): number {
  return data.getUint32(at, true) + data.getUint32(at + 4, true) * 0x1_0000_0000;
}

async function findDirectory(source: Source): Promise<Directory> {
  const length = Math.min(source.size, END_LENGTH + MAX_COMMENT);
  const tail = await source.read(source.size - length, length);
  const data = view(tail);
  for (let at = tail.length - END_LENGTH; at >= 0; at--) {
    if (data.getUint32(at, true) !== END_SIGNATURE) continue;
    const end = source.size - length + at;
    let directory = {
      count: data.getUint16(at + 10, true),
      size: data.getUint32(at + 12, true),
      offset: data.getUint32(at + 16, true),
      shift: 0,
    };
    let before = end;
    if (directory.count === 0xffff || directory.size === 0xffffffff || directory.offset === 0xffffffff) {
      const locator = view(await source.read(Math.max(0, end - 20), 20));
      if (locator.byteLength === 20 && locator.getUint32(0, true) === ZIP64_LOCATOR) {
        const place = wide(locator, 8);
        const record = place <= source.size ? view(await source.read(place, 56)) : locator;
        if (record.byteLength === 56 && record.getUint32(0, true) === ZIP64_END) {
          directory = { count: wide(record, 32), size: wide(record, 40), offset: wide(record, 48), shift: 0 };
          before = place;
        }
      }
    }
    if (directory.offset + directory.size > before) continue;
    return { ...directory, shift: before - directory.size - directory.offset };
  }
  throw corrupt('The file is not a zip container, or its end is missing.');
}

async function readDirectory(source: Source, { offset, size, shift }: Directory): Promise<ZipEntry[]> {
  const bytes = await source.read(offset + shift, size);
  const data = view(bytes);
  const entries: ZipEntry[] = [];
  let at = 0;
  // The stated count is not believed: the walk ends where the records do.
  while (at + 46 <= bytes.length && data.getUint32(at, true) === CENTRAL_SIGNATURE) {
    if (entries.length >= MAX_ENTRIES) break;
    const nameLength = data.getUint16(at + 28, true);
    const extraLength = data.getUint16(at + 30, true);
    const nameEnd = at + 46 + nameLength;
    const entry = {
      compressedSize: data.getUint32(at + 20, true),
      size: data.getUint32(at + 24, true),
      offset: data.getUint32(at + 42, true),
    };
    if (nameEnd + extraLength > bytes.length) break;
    readZip64(data, nameEnd, nameEnd + extraLength, entry);
    const name = Buffer.from(bytes.buffer, bytes.byteOffset + at + 46, nameLength).toString('utf8');
    if (entry.offset + shift > source.size)
      throw corrupt(`${quoted(name)} inside the file starts past the end of the file.`);
    entries.push({
      name: name.replaceAll('\\', '/').replace(/^\/+/, ''),
      method: data.getUint16(at + 10, true),
      encrypted: (data.getUint16(at + 8, true) & 1) === 1,
      compressedSize: entry.compressedSize,
      size: entry.size,
      offset: entry.offset + shift,
    });
    at = nameEnd + extraLength + data.getUint16(at + 32, true);
  }
  if (entries.length === 0) throw corrupt('The zip container holds no entries.');
  return entries;
}

/** Fills in what the 32-bit fields could not hold (APPNOTE 4.5.3). */
function readZip64(
  data: DataView,
  from: number,
  to: number,
  entry: { compressedSize: number; size: number; offset: number },
): void {
  for (let at = from; at + 4 <= to; ) {
    const length = data.getUint16(at + 2, true);
    if (data.getUint16(at, true) === 1) {
      let field = at + 4;
      const end = Math.min(to, field + length);
      const next = (): number | undefined => {
        if (field + 8 > end) return undefined;
        field += 8;
        return wide(data, field - 8);
      };
      if (entry.size === 0xffffffff) entry.size = next() ?? entry.size;
      if (entry.compressedSize === 0xffffffff) entry.compressedSize = next() ?? entry.compressedSize;
      if (entry.offset === 0xffffffff) entry.offset = next() ?? entry.offset;
      return;
    }
    at += 4 + length;
  }
}

function rejectOverlaps(entries: readonly ZipEntry[]): void {
  const sorted = [...entries].sort((a, b) => a.offset - b.offset);
  let end = 0;
  for (const entry of sorted) {
    if (entry.offset < end)
      throw corrupt(`${quoted(entry.name)} inside the file overlaps another entry, as in a zip bomb.`);
    end = entry.offset + 30 + entry.compressedSize;
  }
}
