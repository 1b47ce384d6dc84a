// The pages of an SQLite database, read in blocks of a bounded cache. Nothing that the file states about itself is
// relied on: a page outside the file is undefined.

import { type Bytes, ReaderError, type Source, throwIfAborted } from '../../../src/contract/index.ts';

const HEADER_BYTES = 100;
/** The smallest usable page that SQLite accepts (Database file format, 1.3.4). */
const MIN_USABLE = 480;
const BLOCK_BYTES: Bytes = 16 * 1024;
/** Read at a time while pages are read in order. */
const MAX_READ_BYTES: Bytes = 1024 * 1024;
/** Overflow pages of one read: 512 MiB of long values at 4 KiB a page. */
const MAX_FOLLOWED = 131_072;
const MAX_CACHED: Bytes = 16 * 1024 * 1024;

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** What the header of a database tells (Database file format, 1.3). */
export interface DatabaseHeader {
  readonly pageSize: Bytes;
  /** Bytes of a page without those reserved for extensions. */
  readonly usable: Bytes;
  /** As stated; 0 if unknown. */
  readonly statedPages: number;
  readonly encoding: TextEncoding;
  /** Changes may be in a file beside it. */
  readonly hasWriteAheadLog: boolean;
  readonly userVersion: number;
  readonly applicationId: number;
}

/** @throws {ReaderError} CORRUPT_FILE for a header that no version of SQLite writes */
export async function readHeader(source: Source): Promise<DatabaseHeader> {
  const bytes = await source.read(0, HEADER_BYTES);
  if (bytes.length < HEADER_BYTES) throw corrupt('The database is cut off inside its header.');
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const stated = data.getUint16(16);
  const pageSize = stated === 1 ? 65_536 : stated;
  const usable = pageSize - data.getUint8(20);
  const isPowerOf2 = (pageSize & (pageSize - 1)) === 0;
  if (pageSize < 512 || !isPowerOf2 || usable < MIN_USABLE)
    throw corrupt(`The database states pages of ${pageSize} bytes, which is not a size of SQLite.`);
  const encoding = data.getUint32(56);
  // The page count is only kept up to date by versions that also write the change counter twice.
  const isCounted = data.getUint32(24) === data.getUint32(92);
  return {
    pageSize,
    usable,
    statedPages: isCounted ? data.getUint32(28) : 0,
    encoding: encoding === 2 ? 'utf-16le' : encoding === 3 ? 'utf-16be' : 'utf-8',
    hasWriteAheadLog: data.getUint8(18) === 2 || data.getUint8(19) === 2,
    userVersion: data.getInt32(60),
    applicationId: data.getUint32(68),
  };
}

export function corrupt(message: string): ReaderError {
  return new ReaderError('CORRUPT_FILE', message, 'Check that it was saved or transferred completely.');
}

/** Random access to pages. */
export class Pages {
  readonly header: DatabaseHeader;
  /** Pages that the file holds in full. */
  readonly count: number;
  readonly #source: Source;
  readonly #signal: AbortSignal;
  readonly #blockBytes: Bytes;
  /** Blocks by their place in the file, least recently used first. */
  readonly #blocks = new Map<number, Uint8Array>();
  #ahead = 1;
  #followed = 0;
  #expected = -1;

  constructor(source: Source, header: DatabaseHeader, signal: AbortSignal) {
    this.#source = source;
    this.header = header;
    this.#signal = signal;
    this.count = Math.floor(source.size / header.pageSize);
    this.#blockBytes = Math.max(BLOCK_BYTES, header.pageSize);
  }

  /** True if another page of a long value may be read: a file can chain its pages in a circle for every row. */
  follows(): boolean {
    this.#followed += 1;
    return this.#followed <= MAX_FOLLOWED;
  }

  /** Page `number`, 1-based; undefined if the file has none. */
  async page(number: number): Promise<Uint8Array | undefined> {
    if (!Number.isInteger(number) || number < 1 || number > this.count) return undefined;
    const { pageSize } = this.header;
    const position = (number - 1) * pageSize;
    const place = Math.floor(position / this.#blockBytes);
    const block = this.#blocks.get(place) ?? (await this.#read(place));
    const at = position - place * this.#blockBytes;
    const page = block.subarray(at, at + pageSize);
    return page.length === pageSize ? page : undefined;
  }

  async #read(place: number): Promise<Uint8Array> {
    throwIfAborted(this.#signal);
    const most = Math.max(1, Math.floor(MAX_READ_BYTES / this.#blockBytes));
    this.#ahead = place === this.#expected ? Math.min(most, this.#ahead * 2) : 1;
    this.#expected = place + this.#ahead;
    const bytes = await this.#source.read(place * this.#blockBytes, this.#ahead * this.#blockBytes);
    for (let index = this.#ahead - 1; index >= 0; index -= 1)
      this.#blocks.set(
        place + index,
        bytes.subarray(index * this.#blockBytes, (index + 1) * this.#blockBytes),
      );
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size * this.#blockBytes <= MAX_CACHED) break;
      this.#blocks.delete(oldest);
    }
    return bytes.subarray(0, this.#blockBytes);
  }
}
