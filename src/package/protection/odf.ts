// OpenDocument under a password (ODF 1.3 part 2, 3.8 and chapter 4): each file of the package is encrypted on its own.
// The result is the package without encryption.

import { createHash, pbkdf2Sync } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  type EntryContext,
  passwordNeeded,
  ReaderError,
  type Source,
  wrongPassword,
} from '../../contract/index.ts';
import {
  corrupt,
  DEFLATED,
  InflateMeter,
  inflateRaw,
  type PackedEntry,
  packedZip,
  readableLocal,
  STORED,
  type ZipEntry,
} from '../../zip/index.ts';
import { ZipFile } from '../zip-file.ts';
import { aes, pause } from './key.ts';
import { type FileLock, fileLocks } from './odf-manifest.ts';

const MANIFEST = 'META-INF/manifest.xml';
const MAX_MANIFEST = 4 * 1024 * 1024;
/** Over all files of a package; LibreOffice takes 100 000 for each. */
const MAX_ITERATIONS = 200_000_000;
/** Of one file, which hashes without a pause: about a second. */
const MAX_OF_FILE = 2_000_000;
const CHECKED_BYTES = 1024;

/** The package without encryption; undefined if it has none. @throws {ReaderError} as `Processor.decrypt` */
export async function decryptedOpenDocument(
  source: Source,
  context: EntryContext,
): Promise<Uint8Array | undefined> {
  const zip = await opened(source, context);
  const manifest = zip?.get(MANIFEST);
  if (!zip || !manifest) return undefined;
  const xml = (await zip.bytes(manifest, MAX_MANIFEST, context.signal)).toString('utf8');
  const locks = fileLocks(xml);
  if (locks.size === 0) return undefined;
  const password = context.password();
  if (!password) throw passwordNeeded('The document is protected with a password.');
  checkIterations(locks);
  const unlock = new Unlocking(source, password, context);
  const entries: PackedEntry[] = [];
  for (const entry of zip.entries.values()) {
    const lock = locks.get(entry.name);
    if (entry === manifest) entries.push(storedEntry(entry.name, withoutLocks(xml)));
    else entries.push(lock ? await unlock.opened(entry, lock) : await unlock.unchanged(entry));
  }
  return packedZip(entries);
}

/** Damage is reported by the reader of the document. */
async function opened(source: Source, context: EntryContext): Promise<ZipFile | undefined> {
  try {
    return await ZipFile.open(source, { ...context, warn: () => undefined });
  } catch (error) {
    if (error instanceof ReaderError && error.code !== 'ABORTED') return undefined;
    throw error;
  }
}

function checkIterations(locks: ReadonlyMap<string, FileLock>): void {
  const counts = [...locks.values()].map(({ iterations }) => iterations);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total > MAX_ITERATIONS || counts.some((count) => count > MAX_OF_FILE))
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The document asks for ${total} hashes of its password; expected at most ${MAX_ITERATIONS}, and ${MAX_OF_FILE} for a file.`,
      'Save a copy without protection, and read that.',
    );
}

/** Readers take a file for encrypted by its manifest. */
const withoutLocks = (manifest: string): Buffer =>
  Buffer.from(
    manifest
      .split(/<(?=[\w.-]{0,40}:?encryption-data[\s>])/)
      .map((piece, index) => (index === 0 ? piece : piece.replace(/^[\s\S]*?encryption-data>/, '')))
      .join(''),
  );

function storedEntry(name: string, data: Buffer): PackedEntry {
  return { name, method: STORED, data, crc: crc32(data), size: data.length };
}

class Unlocking {
  readonly #source: Source;
  readonly #password: string;
  readonly #context: EntryContext;
  readonly #meter: InflateMeter;

  constructor(source: Source, password: string, context: EntryContext) {
    this.#source = source;
    this.#password = password;
    this.#context = context;
    this.#meter = new InflateMeter(context.limits, source.name);
  }

  async unchanged(entry: ZipEntry): Promise<PackedEntry> {
    const { name, method, crc, size } = entry;
    return { name, method, data: await this.#data(entry), crc, size };
  }

  async opened(entry: ZipEntry, lock: FileLock): Promise<PackedEntry> {
    const { signal } = this.#context;
    await pause(signal);
    const start = createHash(lock.startHash).update(this.#password).digest();
    const key = pbkdf2Sync(start, lock.salt, lock.iterations, lock.keyBytes, 'sha1');
    const padded = aes(key, await this.#data(entry), lock.iv);
    const plain = padded.subarray(0, padded.length - (padded.at(-1) ?? 0));
    const isRight =
      lock.check === undefined ||
      [plain, padded].some((bytes) => lock.check && sumOf(bytes, lock.check.hash).equals(lock.check.sum));
    if (!isRight) throw wrongPassword('The password does not open the document.');
    return this.#packed(entry.name, plain);
  }

  /** The checksum of the content is not in the package: the entry in the zip file is what is encrypted. */
  async #packed(name: string, data: Buffer): Promise<PackedEntry> {
    const count = this.#meter.pass(name, data.length);
    let crc = 0;
    let size = 0;
    const sum = (piece: Uint8Array): void => {
      count(piece);
      crc = crc32(piece, crc);
      size += piece.length;
    };
    const read = (at: number, length: number): Promise<Uint8Array> =>
      Promise.resolve(Uint8Array.from(data.subarray(at, at + length)));
    const pieces = inflateRaw({ read }, { from: 0, to: data.length }, sum, this.#context.signal);
    for (let next = await pieces.next(); !next.done; next = await pieces.next());
    return { name, method: DEFLATED, data, crc, size };
  }

  async #data(entry: ZipEntry): Promise<Uint8Array> {
    const { start } = await readableLocal(this.#source, entry);
    if (start + entry.compressedSize > this.#source.size)
      throw corrupt('A file of the document ends past the end of the package.');
    return this.#source.read(start, entry.compressedSize);
  }
}

const sumOf = (bytes: Buffer, hash: string): Buffer =>
  createHash(hash).update(bytes.subarray(0, CHECKED_BYTES)).digest();
