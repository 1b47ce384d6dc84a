// Converts binary property lists (`bplist00`, as in Apple's open source CFBinaryPList.c) to the equivalent XML property
// list, so that they support views, paging and pointers like any other XML.

import {
  type Bytes,
  ReaderError,
  type Source,
  type TextSource,
  throwIfAborted,
} from '../../../src/contract/index.ts';
import { MemoryText } from '../memory-text.ts';
import { PLIST_MAGIC } from './plist-magic.ts';

const TRAILER_BYTES = 32;
const MAX_BYTES: Bytes = 64 * 1024 * 1024;
const MAX_OBJECTS = 1_000_000;
const MAX_DEPTH = 500;

/** Maximum length of the XML in UTF-16 units: objects may be shared, so a small file can expand to a very large one. */
const MAX_UNITS = 16 * 1024 * 1024;

/** Dates count seconds from 2001-01-01T00:00:00Z. */
const EPOCH_MS = 978_307_200_000;

const MAX_DATE_MS = 8.64e15;

function corrupt(what: string): ReaderError {
  return new ReaderError(
    'CORRUPT_FILE',
    `The binary property list is damaged: ${what}.`,
    'Check the file with `plutil -lint FILE`, or create it again.',
  );
}

function tooLarge(what: string): ReaderError {
  return new ReaderError(
    'LIMIT_EXCEEDED',
    `The binary property list ${what}.`,
    'Convert it with `plutil -convert xml1 FILE` and read the result.',
  );
}

/**
 * Converts a binary property list to XML, in memory: at most 64 MiB of input and 16 MiB of output.
 * @throws {ReaderError} CORRUPT_FILE, LIMIT_EXCEEDED
 */
export async function plistAsXml(source: Source, signal: AbortSignal): Promise<TextSource> {
  if (source.size > MAX_BYTES) throw tooLarge(`has ${source.size} bytes; at most ${MAX_BYTES} are converted`);
  const bytes = await source.read(0, source.size);
  const xml = new PlistWriter(bytes, signal).write();
  return new MemoryText(source.name, xml, `plist ${await source.identity()}`);
}

class PlistWriter {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #signal: AbortSignal;
  readonly #offsets: Bytes;
  readonly #offsetSize: number;
  readonly #refSize: number;
  readonly #objects: number;
  readonly #top: number;
  readonly #out: string[] = [];
  readonly #open = new Set<number>();
  #units = 0;

  constructor(bytes: Uint8Array, signal: AbortSignal) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#signal = signal;
    const trailer = bytes.length - TRAILER_BYTES;
    if (trailer < PLIST_MAGIC.length) throw corrupt('it has no trailer');
    this.#offsetSize = bytes[trailer + 6] ?? 0;
    this.#refSize = bytes[trailer + 7] ?? 0;
    if (this.#offsetSize < 1 || this.#offsetSize > 8 || this.#refSize < 1 || this.#refSize > 8)
      throw corrupt('its trailer has invalid sizes');
    this.#objects = this.#unsigned(trailer + 8, 8);
    this.#top = this.#unsigned(trailer + 16, 8);
    this.#offsets = this.#unsigned(trailer + 24, 8);
    if (this.#objects > MAX_OBJECTS) throw tooLarge(`has more than ${MAX_OBJECTS} objects`);
    if (this.#offsets + this.#objects * this.#offsetSize > trailer)
      throw corrupt('its object table is outside the file');
  }

  write(): string {
    this.#line(0, '<?xml version="1.0" encoding="UTF-8"?>');
    this.#line(0, '<plist version="1.0">');
    this.#object(this.#top, 0);
    this.#line(0, '</plist>');
    return this.#out.join('');
  }

  #line(depth: number, text: string): void {
    this.#room(depth + text.length + 1);
    this.#units += depth + text.length + 1;
    if (this.#out.length % 4096 === 0) throwIfAborted(this.#signal);
    this.#out.push(`${'\t'.repeat(depth)}${text}\n`);
  }

  #room(units: number): void {
    if (this.#units + units > MAX_UNITS) throw tooLarge('would exceed 16 MiB as XML');
  }

  #object(index: number, depth: number): void {
    const at = this.#offsetOf(index);
    const kind = (this.#bytes[at] ?? 0) >> 4;
    if (kind >= 0xa && kind <= 0xd) this.#container(index, at, depth);
    else this.#line(depth, this.#scalar(index, at));
  }

  #scalar(index: number, at: Bytes): string {
    const marker = this.#bytes[at] ?? 0;
    const low = marker & 0xf;
    switch (marker >> 4) {
      case 0x0:
        return low === 8 ? '<false/>' : low === 9 ? '<true/>' : '<null/>';
      case 0x1:
        return `<integer>${this.#integer(at + 1, 2 ** low)}</integer>`;
      case 0x2:
        return `<real>${this.#real(at + 1, low)}</real>`;
      case 0x3:
        return `<date>${this.#date(at + 1)}</date>`;
      case 0x4: {
        const { count, from } = this.#counted(at, low, 1);
        this.#room(count);
        const data = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + from, count);
        return `<data>${data.toString('base64')}</data>`;
      }
      case 0x5:
      case 0x6:
        return `<string>${this.#string(at)}</string>`;
      case 0x8:
        return `<dict><key>CF$UID</key><integer>${this.#integer(at + 1, low + 1)}</integer></dict>`;
      default:
        throw corrupt(`object ${index} has an unknown type`);
    }
  }

  #container(index: number, at: Bytes, depth: number): void {
    if (depth >= MAX_DEPTH) throw tooLarge(`is nested more than ${MAX_DEPTH} levels deep`);
    if (this.#open.has(index)) throw corrupt(`object ${index} contains itself`);
    const marker = this.#bytes[at] ?? 0;
    const dictionary = marker >> 4 === 0xd;
    const tag = dictionary ? 'dict' : 'array';
    const { count, from } = this.#counted(at, marker & 0xf, this.#refSize * (dictionary ? 2 : 1));
    if (count === 0) {
      this.#line(depth, `<${tag}/>`);
      return;
    }
    this.#open.add(index);
    this.#line(depth, `<${tag}>`);
    for (let item = 0; item < count; item++) {
      const ref = from + item * this.#refSize;
      if (dictionary) {
        const key = this.#offsetOf(this.#unsigned(ref, this.#refSize));
        this.#line(depth + 1, `<key>${this.#string(key)}</key>`);
        this.#object(this.#unsigned(ref + count * this.#refSize, this.#refSize), depth + 1);
      } else this.#object(this.#unsigned(ref, this.#refSize), depth + 1);
    }
    this.#line(depth, `</${tag}>`);
    this.#open.delete(index);
  }

  #offsetOf(index: number): Bytes {
    if (index >= this.#objects) throw corrupt(`object ${index} is not in the object table`);
    const at = this.#unsigned(this.#offsets + index * this.#offsetSize, this.#offsetSize);
    if (at < PLIST_MAGIC.length || at >= this.#offsets) throw corrupt(`object ${index} is outside the file`);
    return at;
  }

  /** The count in a marker, or in the integer after it, and the offset of the counted content. */
  #counted(at: Bytes, low: number, size: number): { readonly count: number; readonly from: Bytes } {
    let count = low;
    let from = at + 1;
    if (low === 0xf) {
      const marker = this.#bytes[from] ?? 0;
      if (marker >> 4 !== 1 || (marker & 0xf) > 3) throw corrupt('a count is not an integer');
      const length = 2 ** (marker & 0xf);
      count = this.#unsigned(from + 1, length);
      from += 1 + length;
    }
    if (from + count * size > this.#offsets) throw corrupt('an object extends past the end of the file');
    return { count, from };
  }

  #string(at: Bytes): string {
    const marker = this.#bytes[at] ?? 0;
    const wide = marker >> 4 === 6;
    if (!wide && marker >> 4 !== 5) throw corrupt('a key is not a string');
    const { count, from } = this.#counted(at, marker & 0xf, wide ? 2 : 1);
    this.#room(count);
    const bytes = this.#bytes.subarray(from, from + count * (wide ? 2 : 1));
    const text = new TextDecoder(wide ? 'utf-16be' : 'latin1', { ignoreBOM: true }).decode(bytes);
    return escaped(text);
  }

  #integer(at: Bytes, length: number): bigint {
    if (length > 16 || at + length > this.#offsets)
      throw corrupt('an integer extends past the end of the file');
    let value = 0n;
    for (const byte of this.#bytes.subarray(at, at + length)) value = (value << 8n) | BigInt(byte);
    return length >= 8 ? BigInt.asIntN(length * 8, value) : value;
  }

  #real(at: Bytes, low: number): string {
    if ((low !== 2 && low !== 3) || at + 2 ** low > this.#offsets)
      throw corrupt('a number has an invalid size');
    const value = low === 2 ? this.#view.getFloat32(at) : this.#view.getFloat64(at);
    return Number.isNaN(value)
      ? 'nan'
      : Number.isFinite(value)
        ? String(value)
        : value > 0
          ? '+infinity'
          : '-infinity';
  }

  #date(at: Bytes): string {
    if (at + 8 > this.#offsets) throw corrupt('a date extends past the end of the file');
    const time = EPOCH_MS + this.#view.getFloat64(at) * 1000;
    if (!(Math.abs(time) <= MAX_DATE_MS)) throw corrupt('a date is out of range');
    return new Date(time).toISOString().replace('.000Z', 'Z');
  }

  #unsigned(at: Bytes, length: number): number {
    if (at + length > this.#bytes.length) throw corrupt('a number is outside the file');
    let value = 0;
    for (let index = 0; index < length; index++) value = value * 256 + (this.#bytes[at + index] ?? 0);
    return value;
  }
}

/** Replaces characters that XML 1.0 cannot represent by U+FFFD. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
}
