// Properties of a message, recipient or attachment in an Outlook file ([MS-OXMSG]): text, bytes, numbers and times by
// id.

import { withoutEnd } from '../../../src/contract/index.ts';
import type { CompoundEntry, CompoundFile } from '../../../src/package/index.ts';
import { decodeCharset } from '../mail/charset.ts';
import { charsetOfCodePage } from '../rtf/charset.ts';
import { pairs } from '../words.ts';

const UNICODE = 0x1f;
const STRING8 = 0x1e;
const BINARY = 0x102;
const LONG = 3;
const BOOLEAN = 0xb;
const TIME = 0x40;
/** 100-nanosecond intervals from 1601 to 1970. */
const EPOCH = 11_644_473_600_000;

/** Code pages by locale language ([MS-LCID]), if no code page is stated. */
const BY_LOCALE = pairs(
  '1 1256 2 1251 4 936 5 1250 8 1253 13 1255 14 1250 17 932 18 949 21 1250 24 1250 25 1251 30 874 ' +
    '31 1254 34 1251 37 1257 38 1257 39 1257 42 1258',
);

/** The properties of one object. Text in a code page is decoded with `codePage`. */
export class Properties {
  readonly #file: CompoundFile;
  readonly #streams = new Map<string, CompoundEntry>();
  readonly #fixed = new Map<number, Buffer>();
  readonly #codePage: number;

  /** `skipped`: bytes before the first fixed property: 32 at the top, 24 in an embedded message, 8 elsewhere. */
  constructor(file: CompoundFile, folder: CompoundEntry, skipped: number, codePage?: number) {
    this.#file = file;
    for (const entry of file.children(folder))
      if (!entry.folder) this.#streams.set(entry.name.toLowerCase(), entry);
    const fixed = this.#streams.get('__properties_version1.0');
    const data = fixed ? file.bytes(fixed) : Buffer.alloc(0);
    for (let at = skipped; at + 16 <= data.length; at += 16)
      this.#fixed.set(data.readUInt32LE(at), data.subarray(at + 8, at + 16));
    this.#codePage =
      codePage ??
      this.number(0x3ffd) ??
      Number(BY_LOCALE.get(`${(this.number(0x3ff1) ?? 0) & 0x3ff}`) ?? 1252);
  }

  get codePage(): number {
    return this.#codePage;
  }

  #stream(id: number, type: number): Buffer | undefined {
    const hex = ((id << 16) | type) >>> 0;
    const entry = this.#streams.get(`__substg1.0_${hex.toString(16).padStart(8, '0')}`);
    return entry && this.#file.bytes(entry);
  }

  #value(id: number, type: number): Buffer | undefined {
    return this.#fixed.get(((id << 16) | type) >>> 0);
  }

  /** `''` if the property is missing. */
  async text(id: number): Promise<string> {
    const wide = this.#stream(id, UNICODE);
    if (wide) return withoutEnd(wide.toString('utf16le', 0, wide.length - (wide.length % 2)), '\0');
    const narrow = this.#stream(id, STRING8);
    if (!narrow) return '';
    return withoutEnd((await decodeCharset(narrow, charsetOfCodePage(this.#codePage))).text, '\0');
  }

  bytes(id: number): Buffer | undefined {
    return this.#stream(id, BINARY);
  }

  /** The declared length of a binary property, without reading it. */
  size(id: number): number | undefined {
    return this.#streams.get(`__substg1.0_${id.toString(16).padStart(4, '0')}0102`)?.size;
  }

  number(id: number): number | undefined {
    return this.#value(id, LONG)?.readInt32LE(0);
  }

  flag(id: number): boolean {
    return this.#value(id, BOOLEAN)?.[0] === 1;
  }

  time(id: number): Date | undefined {
    const value = this.#value(id, TIME);
    if (!value) return undefined;
    const date = new Date(Number(value.readBigUInt64LE(0) / 10_000n) - EPOCH);
    return Number.isNaN(date.getTime()) ? undefined : date;
  }
}

/** `PSETID_Appointment` ([MS-OXPROPS] 1.3.2) in its stored form. */
export const APPOINTMENT: Buffer = Buffer.from('0220060000000000c000000000000046', 'hex');

/** The id the file assigns to a named appointment property ([MS-OXMSG] 2.2.3). */
export function appointmentId(file: CompoundFile, named: number): number | undefined {
  const folder = file.children(file.root).find(({ name }) => name === '__nameid_version1.0');
  if (!folder) return undefined;
  const streams = file.children(folder);
  const read = (suffix: string): Buffer => {
    const entry = streams.find(({ name }) => name.toLowerCase() === `__substg1.0_${suffix}`);
    return entry ? file.bytes(entry) : Buffer.alloc(0);
  };
  const sets = read('00020102');
  const names = read('00030102');
  for (let at = 0; at + 8 <= names.length; at += 8) {
    const place = names.readUInt16LE(at + 4);
    const set = (place >> 1) - 3;
    if ((place & 1) !== 0 || names.readUInt32LE(at) !== named || set < 0) continue;
    if (sets.subarray(set * 16, set * 16 + 16).equals(APPOINTMENT))
      return 0x8000 + names.readUInt16LE(at + 6);
  }
  return undefined;
}
