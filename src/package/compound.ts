// Reads a compound file ([MS-CFB]) in memory: folders and streams by name. Every chain is bounded by the number of
// sectors, so that loops in a damaged file end.

import { ReaderError } from '../contract/index.ts';

/** A folder or a stream. */
export interface CompoundEntry {
  readonly name: string;
  readonly folder: boolean;
  /** Index of the root of its child tree, and of its left and right siblings. */
  readonly child: number;
  readonly left: number;
  readonly right: number;
  readonly start: number;
  readonly size: number;
}

const HEADER = 512;
const MINI_SECTOR = 64;
/** Streams below this size are in the mini stream ([MS-CFB] 2.2). */
const MINI_CUTOFF = 4096;
/** Values from this one on end a chain. */
const LAST_SECTOR = 0xfffffffa;
const NONE = 0xffffffff;
const MAX_ENTRIES = 200_000;

export class CompoundFile {
  readonly #bytes: Buffer;
  readonly #sector: number;
  readonly #fat: Uint32Array;
  readonly #miniFat: Uint32Array;
  readonly #mini: Buffer;
  /** The sectors of the mini stream. */
  readonly #miniSectors: readonly number[];
  readonly #entries: readonly CompoundEntry[];

  /** @throws {ReaderError} CORRUPT_FILE if there is no readable directory */
  constructor(bytes: Uint8Array) {
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (data.length < HEADER || data.readUInt32LE(0) !== 0xe011cfd0) throw corrupt();
    const shift = data.readUInt16LE(30);
    this.#bytes = data;
    this.#sector = shift === 12 ? 4096 : 512;
    this.#fat = this.#readFat();
    this.#entries = this.#readDirectory();
    const root = this.#entries[0];
    if (!root) throw corrupt();
    this.#miniFat = words(this.#chained(data.readUInt32LE(60), Number.POSITIVE_INFINITY));
    this.#mini = this.#chained(root.start, root.size);
    this.#miniSectors = this.#sectors(root.start, Math.ceil(this.#mini.length / this.#sector));
  }

  /** The root folder. */
  get root(): CompoundEntry {
    const [root] = this.#entries;
    if (!root) throw corrupt();
    return root;
  }

  /** The children of a folder, in tree order. */
  children(folder: CompoundEntry): CompoundEntry[] {
    const found: CompoundEntry[] = [];
    const seen = new Set<number>();
    const open = [folder.child];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      const entry = this.#entries[index];
      if (!entry || seen.has(index)) continue;
      seen.add(index);
      if (entry.name !== '') found.push(entry);
      open.push(entry.right, entry.left);
    }
    return found;
  }

  /** The bytes of a stream; fewer than its size if its chain is broken. */
  bytes({ start, size }: CompoundEntry): Buffer {
    if (size >= MINI_CUTOFF) return this.#chained(start, size);
    const pieces: Buffer[] = [];
    let left = size;
    let at = start;
    for (let steps = 0; left > 0 && at < LAST_SECTOR && steps <= this.#miniFat.length; steps += 1) {
      const piece = this.#mini.subarray(at * MINI_SECTOR, at * MINI_SECTOR + Math.min(left, MINI_SECTOR));
      if (piece.length === 0) break;
      pieces.push(piece);
      left -= piece.length;
      at = this.#miniFat[at] ?? NONE;
    }
    return Buffer.concat(pieces);
  }

  /** A copy of the file in which the stream has other content of the same length. */
  withBytes({ start, size }: CompoundEntry, content: Uint8Array): Buffer {
    const copy = Buffer.from(this.#bytes);
    const isMini = size < MINI_CUTOFF;
    const unit = isMini ? MINI_SECTOR : this.#sector;
    const next = isMini ? this.#miniFat : this.#fat;
    const most = Math.min(size, content.length);
    let at = start;
    for (let done = 0; done < most && at < LAST_SECTOR; done += unit) {
      const place = isMini ? this.#miniPlace(at) : (at + 1) * this.#sector;
      if (place === undefined || place >= copy.length) break;
      copy.set(content.subarray(done, Math.min(done + unit, most, done + copy.length - place)), place);
      at = next[at] ?? NONE;
    }
    return copy;
  }

  /** Where a sector of the mini stream is in the file. */
  #miniPlace(index: number): number | undefined {
    const offset = index * MINI_SECTOR;
    const sector = this.#miniSectors[Math.floor(offset / this.#sector)];
    return sector === undefined ? undefined : (sector + 1) * this.#sector + (offset % this.#sector);
  }

  #at(sector: number): Buffer {
    const from = (sector + 1) * this.#sector;
    return this.#bytes.subarray(from, from + this.#sector);
  }

  /** The table of next sectors, located by the header and its continuations. */
  #readFat(): Uint32Array {
    const data = this.#bytes;
    const most = Math.ceil(data.length / this.#sector);
    const places: number[] = [];
    for (let at = 76; at < HEADER; at += 4) places.push(data.readUInt32LE(at));
    let next = data.readUInt32LE(68);
    for (let steps = 0; next < LAST_SECTOR && steps < most; steps += 1) {
      const sector = this.#at(next);
      if (sector.length < this.#sector) break;
      for (let at = 0; at < this.#sector - 4; at += 4) places.push(sector.readUInt32LE(at));
      next = sector.readUInt32LE(this.#sector - 4);
    }
    const used = new Set(places.filter((place) => place < LAST_SECTOR && place < most));
    return words(Buffer.concat([...used].map((place) => this.#at(place))));
  }

  /** The chain of sectors from `start` on, up to `size` bytes. */
  #chained(start: number, size: number): Buffer {
    const pieces: Buffer[] = [];
    let left = Math.min(size, this.#bytes.length);
    let at = start;
    for (let steps = 0; left > 0 && at < LAST_SECTOR && steps <= this.#fat.length; steps += 1) {
      const sector = this.#at(at);
      if (sector.length === 0) break;
      const piece = sector.subarray(0, Math.min(left, sector.length));
      pieces.push(piece);
      left -= piece.length;
      at = this.#fat[at] ?? NONE;
    }
    return Buffer.concat(pieces);
  }

  /** The first sectors of a chain. */
  #sectors(start: number, most: number): number[] {
    const sectors: number[] = [];
    for (let at = start; sectors.length < most && at < LAST_SECTOR; at = this.#fat[at] ?? NONE)
      sectors.push(at);
    return sectors;
  }

  #readDirectory(): CompoundEntry[] {
    const data = this.#chained(this.#bytes.readUInt32LE(48), MAX_ENTRIES * 128);
    const entries: CompoundEntry[] = [];
    for (let at = 0; at + 128 <= data.length; at += 128) {
      const type = data[at + 66] ?? 0;
      const length = Math.min(64, data.readUInt16LE(at + 64));
      const known = type === 1 || type === 2 || type === 5;
      entries.push({
        name: known ? data.toString('utf16le', at, at + Math.max(0, length - 2)) : '',
        folder: type !== 2,
        left: data.readUInt32LE(at + 68),
        right: data.readUInt32LE(at + 72),
        child: known ? data.readUInt32LE(at + 76) : NONE,
        start: data.readUInt32LE(at + 116),
        // The upper half is undefined in files with 512-byte sectors.
        size: data.readUInt32LE(at + 120),
      });
    }
    return entries;
  }
}

function words(bytes: Buffer): Uint32Array {
  const table = new Uint32Array(Math.floor(bytes.length / 4));
  for (let i = 0; i < table.length; i += 1) table[i] = bytes.readUInt32LE(i * 4);
  return table;
}

function corrupt(): ReaderError {
  return new ReaderError(
    'CORRUPT_FILE',
    'The file is not a complete compound file (OLE).',
    'Save it again in the program that made it.',
  );
}
