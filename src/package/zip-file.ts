// A zip file as a package of parts, read at random through a Source: its parts by name, and one at a time as a stream of
// inflated bytes. Not an archive reader: it knows nothing of folders, links and paths on disk.

import { type Bytes, type Limits, quoted, ReaderError, type Source } from '../contract/index.ts';
import {
  corrupt,
  DEFLATED,
  entryPieces,
  gathered as gather,
  InflateMeter,
  readableLocal,
  readZip,
  STORED,
  type ZipEntry,
} from '../zip/index.ts';

const MAX_ENTRIES = 10_000;
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;

/** An opened zip file. Inflated bytes are counted over all entries; reading an entry twice counts its longer pass. */
export class ZipFile {
  /** In directory order, the first of each name. Names have forward slashes and no leading one. */
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /** Names that occur more than once. */
  readonly duplicates: readonly string[];
  /** The directory is missing, as in a file that is cut off; the entries are those found by their own headers. */
  readonly salvaged: boolean;
  readonly #source: Source;
  readonly #meter: InflateMeter;
  readonly #folded = new Map<string, ZipEntry>();

  private constructor(source: Source, meter: InflateMeter, list: readonly ZipEntry[], salvaged: boolean) {
    this.#source = source;
    this.#meter = meter;
    this.salvaged = salvaged;
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
   * overlapping entries; UNSUPPORTED_FORMAT for one part of several; LIMIT_EXCEEDED above 10 000 entries or 16 MiB of
   * directory.
   */
  static async open(
    source: Source,
    limits: Pick<Limits, 'maxInflatedBytes' | 'maxInflateRatio'>,
    signal?: AbortSignal,
  ): Promise<ZipFile> {
    let count = 0;
    const keep = (entry: ZipEntry): ZipEntry => {
      count += 1;
      if (count > MAX_ENTRIES) throw tooMany();
      if (entry.offset > source.size)
        throw corrupt(`${quoted(entry.name)} inside the file starts past the end of the file.`);
      return { ...entry, name: entry.name.replaceAll('\\', '/').replace(/^\/+/, '') };
    };
    const { entries, directory } = await readZip(source, MAX_DIRECTORY_BYTES, keep, signal);
    if (entries.length === 0) throw corrupt('The zip container holds no entries.');
    return new ZipFile(source, new InflateMeter(limits, source.name), entries, directory === undefined);
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
    const { name, method, compressedSize } = entry;
    const { start } = await readableLocal(this.#source, entry);
    if (method !== STORED && method !== DEFLATED)
      throw corrupt(
        `${quoted(name)} inside the file uses compression method ${method}; expected 8 (deflate).`,
      );
    if (start + compressedSize > this.#source.size)
      throw corrupt(`${quoted(name)} inside the file ends past the end of the file.`);
    const count = this.#meter.pass(name, compressedSize);
    const { state } = yield* entryPieces(this.#source, entry, start, count, signal);
    // What is cut off has no last block, which is expected then.
    if (state === 'broken' || (state === 'short' && !entry.cut))
      throw corrupt(`${quoted(name)} inside the file cannot be inflated.`);
  }

  /** The whole of an entry. @throws {ReaderError} as `inflate`, and LIMIT_EXCEEDED above `maxBytes`. */
  async bytes(entry: ZipEntry, maxBytes: Bytes, signal: AbortSignal): Promise<Buffer> {
    return gathered(this.inflate(entry, signal), entry, maxBytes);
  }
}

/** All `pieces` of an entry as one. @throws {ReaderError} LIMIT_EXCEEDED above `maxBytes`. */
export async function gathered(
  pieces: AsyncGenerator<Buffer, void, undefined>,
  entry: ZipEntry,
  maxBytes: Bytes,
): Promise<Buffer> {
  const tooLarge = (): ReaderError =>
    new ReaderError(
      'LIMIT_EXCEEDED',
      `${quoted(entry.name)} inside the file inflates to more than ${maxBytes} bytes.`,
      'Save the file again, without unused styles and comments.',
    );
  return (await gather(pieces, maxBytes, tooLarge)).bytes;
}

function tooMany(): ReaderError {
  return new ReaderError(
    'LIMIT_EXCEEDED',
    `The zip container lists more than ${MAX_ENTRIES} entries.`,
    'Save it again without its embedded files.',
  );
}
