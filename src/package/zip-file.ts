// A zip file as a package of parts, read at random through a Source: its parts by name, and one at a time as a stream of
// inflated bytes. Not an archive reader: it knows nothing of folders, links and paths on disk.

import { crc32 } from 'node:zlib';
import {
  type Bytes,
  type Limits,
  quoted,
  ReaderError,
  type Source,
  visibleName,
  type Warning,
} from '../contract/index.ts';
import {
  corrupt,
  DEFLATED,
  decryptedEntry,
  doubtfulPassword,
  entryPieces,
  gathered as gather,
  InflateMeter,
  isEncrypted,
  readableLocal,
  readZip,
  STORED,
  type ZipEntry,
} from '../zip/index.ts';

const MAX_ENTRIES = 10_000;
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;
/** Inflated ahead of the reader, so that an entry of this size is checked even where its end is not asked for. */
const AHEAD_BYTES: Bytes = 512 * 1024;

/** What opening a zip file may use. */
export interface ZipContext {
  readonly limits: Pick<Limits, 'maxInflatedBytes' | 'maxInflateRatio' | 'maxBytesInMemory'>;
  readonly signal?: AbortSignal;
  /** See `ProcessContext.password`. */
  password?(): string | undefined;
  /** Told of each damaged entry once. */
  warn(warning: Warning): void;
}

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
  readonly #context: ZipContext;
  readonly #folded = new Map<string, ZipEntry>();
  readonly #damaged = new Set<string>();

  private constructor(source: Source, context: ZipContext, list: readonly ZipEntry[], salvaged: boolean) {
    this.#source = source;
    this.#meter = new InflateMeter(context.limits, source.name);
    this.#context = context;
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
   * @throws {ReaderError} CORRUPT_FILE without either, or with overlapping entries; UNSUPPORTED_FORMAT for one part of
   * several; LIMIT_EXCEEDED above 10 000 entries or 16 MiB of directory.
   */
  static async open(source: Source, context: ZipContext): Promise<ZipFile> {
    let count = 0;
    const keep = (entry: ZipEntry): ZipEntry => {
      count += 1;
      if (count > MAX_ENTRIES) throw tooMany();
      return { ...entry, name: entry.name.replaceAll('\\', '/').replace(/^\/+/, '') };
    };
    const { entries, directory } = await readZip(source, MAX_DIRECTORY_BYTES, keep, context.signal);
    if (entries.length === 0) throw corrupt('The zip container holds no entries.');
    return new ZipFile(source, context, entries, directory === undefined);
  }

  /** The entry of that name; letter case is ignored, as office programs do. */
  get(name: string): ZipEntry | undefined {
    return this.entries.get(name) ?? this.#folded.get(name.toLowerCase());
  }

  /** True for an entry that was read and does not match its checksum. */
  isDamaged(name: string): boolean {
    return this.#damaged.has(name);
  }

  /** Warns, once an entry, that what is read of it may not be what was written. */
  tellDamaged(name: string): void {
    if (this.#damaged.has(name)) return;
    this.#damaged.add(name);
    this.#context.warn({
      code: 'SKIPPED_CONTENT',
      message: `The entry ${quoted(visibleName(name))} may be damaged: its checksum does not match.`,
    });
  }

  /**
   * The inflated bytes of an entry in pieces of up to 512 KiB; each is the caller's. One that is inflated to its end is
   * compared with its checksum.
   * @throws {ReaderError} CORRUPT_FILE, ENCRYPTED_FILE, WRONG_PASSWORD, or LIMIT_EXCEEDED by the bytes that really came out.
   */
  inflate(entry: ZipEntry, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    return ahead(this.#checked(entry, signal));
  }

  async *#checked(entry: ZipEntry, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    const { name } = entry;
    const local = await readableLocal(this.#source, entry);
    const { limits } = this.#context;
    const password = (): string | undefined => this.#context.password?.();
    const opened = isEncrypted(entry, local)
      ? await decryptedEntry(this.#source, entry, local, { limits, signal, password })
      : undefined;
    const { method, compressedSize } = opened ?? entry;
    if (method !== STORED && method !== DEFLATED)
      throw corrupt(
        `${quoted(name)} inside the file uses compression method ${method}; expected 8 (deflate).`,
      );
    if (local.start + entry.compressedSize > this.#source.size)
      throw corrupt(`${quoted(name)} inside the file ends past the end of the file.`);
    const count = this.#meter.pass(name, compressedSize);
    let crc = 0;
    const sum = (piece: Uint8Array): void => {
      count(piece);
      crc = crc32(piece, crc);
    };
    const { state } = yield* entryPieces(
      opened?.source ?? this.#source,
      { method, compressedSize, size: entry.size },
      opened ? 0 : local.start,
      sum,
      signal,
    );
    const differs = opened?.hasChecksum !== false && crc !== entry.crc;
    if (opened && !opened.isCertain && (state !== 'ended' || differs)) throw doubtfulPassword(quoted(name));
    // What is cut off has no last block, which is expected then.
    if (state === 'broken' || (state === 'short' && !entry.cut))
      throw corrupt(`${quoted(name)} inside the file cannot be inflated.`);
    if (!entry.cut && differs) this.tellDamaged(name);
  }

  /** The whole of an entry. @throws {ReaderError} as `inflate`, and LIMIT_EXCEEDED above `maxBytes`. */
  async bytes(entry: ZipEntry, maxBytes: Bytes, signal: AbortSignal): Promise<Buffer> {
    return gathered(this.inflate(entry, signal), entry, maxBytes);
  }
}

/** `pieces`, of which up to `AHEAD_BYTES` are taken before the first is passed on. */
async function* ahead(
  pieces: AsyncGenerator<Buffer, void, undefined>,
): AsyncGenerator<Buffer, void, undefined> {
  const held: Buffer[] = [];
  let bytes = 0;
  try {
    for (;;) {
      let next: IteratorResult<Buffer, void>;
      try {
        next = await pieces.next();
      } catch (error) {
        // What is good of a damaged entry comes before its failure.
        yield* held;
        throw error;
      }
      if (next.done) break;
      held.push(next.value);
      bytes += next.value.length;
      while (bytes > AHEAD_BYTES) {
        const first = held.shift();
        if (!first) break;
        bytes -= first.length;
        yield first;
      }
    }
    yield* held;
  } finally {
    await pieces.return();
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
