// A list of MAPI properties in a TNEF stream ([MS-OXTNEF] 2.1.3.4): a message, a recipient, or an attachment.

import { withoutEnd } from '../../../src/contract/index.ts';
import { decodeCharset } from '../mail/charset.ts';
import type { MapiProperties } from '../mail/outlook.ts';
import { APPOINTMENT } from '../msg/properties.ts';
import { charsetOfCodePage } from '../rtf/charset.ts';

const LONG = 3;
const BOOLEAN = 0xb;
const OBJECT = 0xd;
const STRING8 = 0x1e;
const UNICODE = 0x1f;
const TIME = 0x40;
const BINARY = 0x102;
const MULTIPLE = 0x1000;
/** Bytes of the types with a fixed length; all take a multiple of four. */
const FIXED: Readonly<Record<number, number>> = {
  2: 4,
  [LONG]: 4,
  4: 4,
  5: 8,
  6: 8,
  7: 8,
  10: 4,
  [BOOLEAN]: 4,
  20: 8,
  [TIME]: 8,
  72: 16,
};
/** 100-nanosecond intervals from 1601 to 1970. */
const EPOCH = 11_644_473_600_000;

interface Value {
  readonly type: number;
  readonly data: Buffer;
}

/** The properties of one object. Text in a code page is decoded with `codePage`. */
export class TnefProperties implements MapiProperties {
  readonly codePage: number;
  readonly #values = new Map<number, Value>();
  /** Ids of named appointment properties, by their number. */
  readonly #appointment = new Map<number, number>();

  constructor(codePage: number) {
    this.codePage = codePage;
  }

  /** Sets a value that is stated outside the list, unless the list has it. */
  add(id: number, type: number, data: Buffer): void {
    if (!this.#values.has(id)) this.#values.set(id, { type, data });
  }

  /** Sets a text in the code page, as `add`. */
  addText(id: number, data: Buffer): void {
    this.add(id, STRING8, data);
  }

  /**
   * Reads the list at `from`. Returns where it ends; undefined if the data ends before, or a type of unknown length
   * follows.
   */
  read(data: Buffer, from: number): number | undefined {
    if (from + 4 > data.length) return undefined;
    let at = from + 4;
    for (let left = data.readUInt32LE(from); left > 0; left -= 1) {
      if (at + 4 > data.length) return undefined;
      const type = data.readUInt16LE(at);
      const id = data.readUInt16LE(at + 2);
      const start = id >= 0x8000 ? this.#name(data, at + 4, id) : at + 4;
      const end = start === undefined ? undefined : this.#value(data, start, id, type);
      if (end === undefined) return undefined;
      at = end;
    }
    return at;
  }

  /** The name of a property: a set, and a number or a text. */
  #name(data: Buffer, at: number, id: number): number | undefined {
    if (at + 24 > data.length) return undefined;
    const value = data.readUInt32LE(at + 20);
    if (data.readUInt32LE(at + 16) !== 0) return at + 24 + padded(value);
    if (data.subarray(at, at + 16).equals(APPOINTMENT)) this.#appointment.set(value, id);
    return at + 24;
  }

  /** Keeps the first of several values. */
  #value(data: Buffer, start: number, id: number, stated: number): number | undefined {
    const type = stated & ~MULTIPLE;
    const fixed = FIXED[type];
    let at = start;
    let count = 1;
    if (fixed === undefined || stated !== type) {
      if (at + 4 > data.length) return undefined;
      count = data.readUInt32LE(at);
      at += 4;
    }
    if (fixed === undefined && ![STRING8, UNICODE, BINARY, OBJECT].includes(type)) return undefined;
    for (let index = 0; index < count; index += 1) {
      if (at + 4 > data.length) return undefined;
      const length = fixed ?? data.readUInt32LE(at);
      if (fixed === undefined) at += 4;
      if (at + length > data.length) return undefined;
      this.add(id, type, data.subarray(at, at + length));
      at += padded(length);
    }
    return at;
  }

  /** The id of a named property of appointments. */
  appointment(named: number): number | undefined {
    return this.#appointment.get(named);
  }

  #of(id: number, type: number): Buffer | undefined {
    const value = this.#values.get(id);
    return value?.type === type ? value.data : undefined;
  }

  async text(id: number): Promise<string> {
    const wide = this.#of(id, UNICODE);
    if (wide) return withoutEnd(wide.toString('utf16le', 0, wide.length - (wide.length % 2)), '\0');
    const narrow = this.#of(id, STRING8);
    if (!narrow) return '';
    return withoutEnd((await decodeCharset(narrow, charsetOfCodePage(this.codePage))).text, '\0');
  }

  bytes(id: number): Buffer | undefined {
    return this.#of(id, BINARY);
  }

  /** The content of an embedded object, after the identifier of its interface. */
  object(id: number): Buffer | undefined {
    return this.#of(id, OBJECT)?.subarray(16);
  }

  number(id: number): number | undefined {
    return this.#of(id, LONG)?.readInt32LE(0);
  }

  flag(id: number): boolean {
    return this.#of(id, BOOLEAN)?.[0] === 1;
  }

  time(id: number): Date | undefined {
    const value = this.#of(id, TIME);
    if (!value) return undefined;
    const date = new Date(Number(value.readBigUInt64LE(0) / 10_000n) - EPOCH);
    return Number.isNaN(date.getTime()) ? undefined : date;
  }
}

const padded = (length: number): number => length + ((4 - (length % 4)) % 4);
