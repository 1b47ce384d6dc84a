// The structures of a 7z archive's header (7zFormat.txt of the LZMA SDK): packed streams, the coders that unpack them
// into folders, and the files in those. Every count is checked against the bytes there are before it is used.

import type { Bytes } from '../../../src/contract/index.ts';

/** Property identifiers (7zFormat.txt, "Property IDs"). */
const ID = {
  end: 0,
  header: 1,
  archiveProperties: 2,
  additionalStreams: 3,
  mainStreams: 4,
  files: 5,
  packInfo: 6,
  unpackInfo: 7,
  subStreams: 8,
  size: 9,
  crc: 10,
  folder: 11,
  unpackSize: 12,
  unpackStreams: 13,
  emptyStream: 14,
  emptyFile: 15,
  names: 17,
  modified: 20,
  attributes: 21,
  encodedHeader: 23,
} as const;

/** Coders of one folder; SDK: 32. */
const MAX_CODERS = 32;
const MAX_FILES = 1_000_000;

export class BrokenHeader extends Error {
  override readonly name = 'BrokenHeader';
}

/** One step of unpacking. */
export interface Coder {
  /** Its identifier in hexadecimal: `030101`. */
  readonly method: string;
  readonly properties: Uint8Array;
  readonly size: Bytes;
}

/** Data that is unpacked together. */
export interface PackedFolder {
  /** From the packed data on; undefined if they do not form a chain. */
  readonly coders: readonly Coder[] | undefined;
  readonly methods: readonly string[];
  /** Of the packed data in the file. */
  readonly from: Bytes;
  readonly to: Bytes;
  readonly size: Bytes;
  readonly crc: number | undefined;
  /** Of each file in it. */
  readonly sizes: readonly Bytes[];
  readonly sums: readonly (number | undefined)[];
}

/** A file as listed. */
export interface SevenFile {
  readonly name: string;
  readonly isFolder: boolean;
  /** Windows attributes; Unix modes in the upper half. */
  readonly attributes: number;
  /** 100 ns since 1601; undefined if not stated. */
  readonly modified: bigint | undefined;
  readonly size: Bytes;
  readonly sum: number | undefined;
  /** Where its content is: the folder, and bytes in it before; undefined for an empty file. */
  readonly place: { readonly folder: PackedFolder; readonly before: Bytes } | undefined;
}

/** A header: the files, or the folder in which a packed header is. */
export type SevenHeader = { readonly files: readonly SevenFile[] } | { readonly packed: PackedFolder };

/** @throws {BrokenHeader}, and RangeError where it ends early */
export function readSevenHeader(bytes: Uint8Array): SevenHeader {
  const input = new HeaderReader(bytes);
  const id = input.byte();
  if (id === ID.encodedHeader) {
    const [packed] = readStreams(input);
    if (!packed) throw new BrokenHeader('no packed header');
    return { packed };
  }
  if (id !== ID.header) throw new BrokenHeader('header');
  let folders: readonly PackedFolder[] = [];
  let files: readonly SevenFile[] = [];
  for (let type = input.number(); type !== ID.end; type = input.number()) {
    if (type === ID.archiveProperties)
      for (let one = input.number(); one !== ID.end; one = input.number()) input.skip(input.number());
    else if (type === ID.additionalStreams) readStreams(input);
    else if (type === ID.mainStreams) folders = readStreams(input);
    else if (type === ID.files) files = readFiles(input, folders);
    else throw new BrokenHeader('section');
  }
  return { files };
}

function readStreams(input: HeaderReader): PackedFolder[] {
  let position = 0;
  let packed: readonly Bytes[] = [];
  let folders: Omit<PackedFolder, 'sizes' | 'sums'>[] = [];
  let contents: Pick<PackedFolder, 'sizes' | 'sums'>[] | undefined;
  for (let type = input.number(); type !== ID.end; type = input.number()) {
    if (type === ID.packInfo) ({ position, packed } = readPackInfo(input));
    else if (type === ID.unpackInfo) folders = readFolders(input, 32 + position, packed);
    else if (type === ID.subStreams) contents = readSubStreams(input, folders);
    else throw new BrokenHeader('streams');
  }
  return folders.map((folder, index) => ({
    ...folder,
    ...(contents?.[index] ?? { sizes: [folder.size], sums: [folder.crc] }),
  }));
}

function readPackInfo(input: HeaderReader): { position: Bytes; packed: Bytes[] } {
  const position = input.number();
  const count = input.count();
  let packed: Bytes[] = [];
  for (let type = input.number(); type !== ID.end; type = input.number()) {
    if (type === ID.size) packed = Array.from({ length: count }, () => input.number());
    else if (type === ID.crc) readSums(input, count);
    else throw new BrokenHeader('pack info');
  }
  return { position, packed };
}

interface RawFolder {
  readonly coders: Omit<Coder, 'size'>[];
  readonly isSimple: boolean;
  /** The output that each input takes, by input. */
  readonly bound: ReadonlyMap<number, number>;
  readonly streams: number;
}

function readFolders(
  input: HeaderReader,
  start: Bytes,
  packed: readonly Bytes[],
): Omit<PackedFolder, 'sizes' | 'sums'>[] {
  if (input.number() !== ID.folder) throw new BrokenHeader('folders');
  const count = input.count();
  if (input.byte() !== 0) throw new BrokenHeader('external');
  const raw = Array.from({ length: count }, () => readFolder(input));
  if (input.number() !== ID.unpackSize) throw new BrokenHeader('sizes');
  const sizes = raw.map(({ coders }) => coders.map(() => input.number()));
  let sums: readonly (number | undefined)[] = [];
  for (let type = input.number(); type !== ID.end; type = input.number()) {
    if (type !== ID.crc) throw new BrokenHeader('folder sums');
    sums = readSums(input, count);
  }
  let stream = 0;
  let from = start;
  return raw.map((folder, index) => {
    const first = from;
    const to = from + (packed[stream] ?? 0);
    for (let one = 0; one < folder.streams; one += 1, stream += 1) from += packed[stream] ?? 0;
    const order = folder.isSimple ? chainOf(folder) : undefined;
    const coders = order?.flatMap((place): Coder[] => {
      const coder = folder.coders[place];
      return coder ? [{ ...coder, size: sizes[index]?.[place] ?? 0 }] : [];
    });
    return {
      coders,
      methods: folder.coders.map(({ method }) => method),
      from: first,
      to,
      size: coders?.at(-1)?.size ?? Math.max(0, ...(sizes[index] ?? [])),
      crc: sums[index],
    };
  });
}

function readFolder(input: HeaderReader): RawFolder {
  const count = input.number();
  if (count < 1 || count > MAX_CODERS) throw new BrokenHeader('coders');
  let inputs = 0;
  let outputs = 0;
  const coders = Array.from({ length: count }, () => {
    const flags = input.byte();
    const method = Buffer.from(input.bytes(flags & 15)).toString('hex');
    const isComplex = (flags & 0x10) !== 0;
    inputs += isComplex ? input.number() : 1;
    outputs += isComplex ? input.number() : 1;
    const properties = flags & 0x20 ? input.bytes(input.number()) : new Uint8Array();
    return { method, properties };
  });
  if (inputs > MAX_CODERS || outputs > MAX_CODERS || outputs < 1) throw new BrokenHeader('coder streams');
  const bound = new Map<number, number>();
  for (let pair = 0; pair < outputs - 1; pair += 1) bound.set(input.number(), input.number());
  const streams = inputs - (outputs - 1);
  if (streams < 1) throw new BrokenHeader('packed streams');
  if (streams > 1) for (let index = 0; index < streams; index += 1) input.number();
  return { coders, isSimple: inputs === count && outputs === count && streams === 1, bound, streams };
}

/** Coders from the packed data to the content; undefined if they form no chain. */
function chainOf({ coders, bound }: RawFolder): number[] | undefined {
  const taken = new Set(bound.values());
  const order: number[] = [];
  let place = coders.findIndex((_, index) => !taken.has(index));
  for (let next: number | undefined = place; next !== undefined; next = bound.get(place)) {
    place = next;
    if (order.includes(place) || place < 0 || place >= coders.length) return undefined;
    order.unshift(place);
  }
  return order.length === coders.length ? order : undefined;
}

function readSubStreams(
  input: HeaderReader,
  folders: readonly Omit<PackedFolder, 'sizes' | 'sums'>[],
): Pick<PackedFolder, 'sizes' | 'sums'>[] {
  let type = input.number();
  let counts = folders.map(() => 1);
  if (type === ID.unpackStreams) {
    counts = folders.map(() => input.number());
    if (counts.reduce((sum, count) => sum + count, 0) > MAX_FILES) throw new BrokenHeader('too many files');
    type = input.number();
  }
  const isSized = type === ID.size;
  const sizes = counts.map((count, index) => {
    let left = folders[index]?.size ?? 0;
    return Array.from({ length: count }, (_, place) => {
      const size = place < count - 1 ? (isSized ? input.number() : 0) : left;
      if (size > left) throw new BrokenHeader('sizes');
      left -= size;
      return size;
    });
  });
  if (isSized) type = input.number();
  const known = (index: number): number | undefined =>
    counts[index] === 1 ? folders[index]?.crc : undefined;
  const missing = counts.reduce((sum, count, index) => sum + (known(index) === undefined ? count : 0), 0);
  let sums: readonly (number | undefined)[] = [];
  for (; type !== ID.end; type = input.number()) {
    if (type !== ID.crc) throw new BrokenHeader('substreams');
    sums = readSums(input, missing);
  }
  let next = 0;
  return sizes.map((own, index) => {
    const sum = known(index);
    const start = next;
    if (sum === undefined) next += own.length;
    return { sizes: own, sums: sum === undefined ? sums.slice(start, next) : [sum] };
  });
}

function readSums(input: HeaderReader, count: number): (number | undefined)[] {
  const isStated = input.flags(count, true);
  return Array.from({ length: count }, (_, index) => (isStated(index) ? input.uint32() : undefined));
}

function readFiles(input: HeaderReader, folders: readonly PackedFolder[]): SevenFile[] {
  const count = input.count();
  let isEmpty: (index: number) => boolean = () => false;
  let isFile: (index: number) => boolean = () => false;
  let names: readonly string[] = [];
  let times: readonly (bigint | undefined)[] = [];
  let attributes: readonly (number | undefined)[] = [];
  let empty = 0;
  for (let type = input.number(); type !== ID.end; type = input.number()) {
    const section = new HeaderReader(input.bytes(input.number()));
    if (type === ID.emptyStream) {
      isEmpty = section.flags(count, false);
      for (let index = 0; index < count; index += 1) if (isEmpty(index)) empty += 1;
    } else if (type === ID.emptyFile) isFile = section.flags(empty, false);
    else if (type === ID.names && section.byte() === 0) names = section.names(count);
    else if (type === ID.modified || type === ID.attributes) {
      const isStated = section.flags(count, true);
      if (section.byte() !== 0) continue;
      const all = Array.from({ length: count }, (_, index) => index);
      if (type === ID.modified) times = all.map((index) => (isStated(index) ? section.uint64() : undefined));
      else attributes = all.map((index) => (isStated(index) ? section.uint32() : undefined));
    }
  }
  const places = placesOf(folders);
  let emptyIndex = -1;
  return Array.from({ length: count }, (_, index): SevenFile => {
    const hasNone = isEmpty(index);
    if (hasNone) emptyIndex += 1;
    const content = hasNone ? undefined : places.next().value;
    return {
      name: names[index] ?? '',
      isFolder: hasNone && !isFile(emptyIndex),
      attributes: attributes[index] ?? 0,
      modified: times[index],
      size: content?.size ?? 0,
      sum: content?.sum,
      place: content?.place,
    };
  });
}

type Content = Pick<SevenFile, 'size' | 'sum' | 'place'>;

/** The contents of all folders, in order. */
function* placesOf(folders: readonly PackedFolder[]): Generator<Content, undefined> {
  for (const folder of folders) {
    let before = 0;
    for (const [index, size] of folder.sizes.entries()) {
      yield { size, sum: folder.sums[index], place: { folder, before } };
      before += size;
    }
  }
  return undefined;
}

/** Reads a header in order. @throws {RangeError} after its end */
class HeaderReader {
  readonly #data: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  byte(): number {
    this.#at += 1;
    return this.#data.getUint8(this.#at - 1);
  }

  uint32(): number {
    this.#at += 4;
    return this.#data.getUint32(this.#at - 4, true);
  }

  uint64(): bigint {
    this.#at += 8;
    return this.#data.getBigUint64(this.#at - 8, true);
  }

  /** A number of 1 to 9 bytes. */
  number(): number {
    const first = this.byte();
    let value = 0;
    for (let index = 0, mask = 0x80; index < 8; index += 1, mask >>= 1) {
      if ((first & mask) === 0) {
        value += (first & (mask - 1)) * 2 ** (8 * index);
        break;
      }
      value += this.byte() * 2 ** (8 * index);
    }
    if (!Number.isSafeInteger(value)) throw new BrokenHeader('number');
    return value;
  }

  /** A number of things that take at least a bit each. */
  count(): number {
    const count = this.number();
    if (count > MAX_FILES || count > 8 * this.#data.byteLength) throw new BrokenHeader('count');
    return count;
  }

  skip(length: number): void {
    this.bytes(length);
  }

  bytes(length: number): Uint8Array {
    if (length > this.#data.byteLength - this.#at) throw new RangeError('header ends early');
    const bytes = new Uint8Array(this.#data.buffer, this.#data.byteOffset + this.#at, length);
    this.#at += length;
    return bytes;
  }

  /** A bit for each of `count` things; `mayBeAll`: after a byte that says whether all are set. */
  flags(count: number, mayBeAll: boolean): (index: number) => boolean {
    if (mayBeAll && this.byte() !== 0) return () => true;
    const bits = this.bytes(Math.ceil(count / 8));
    return (index) => ((bits[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0;
  }

  /** Names in UTF-16, each ended by a zero. */
  names(count: number): string[] {
    const names = new TextDecoder('utf-16le')
      .decode(this.bytes(this.#data.byteLength - this.#at))
      .split('\0');
    return names.slice(0, count);
  }
}
