// A list of MAPI properties in a TNEF stream ([MS-OXTNEF] 2.1.3.4): a message, a recipient, or an attachment.

import { APPOINTMENT, MapiProperties, TYPE } from '../mail/outlook.ts';

const MULTIPLE = 0x1000;
/** Bytes of the types with a fixed length; all take a multiple of four. */
const FIXED: ReadonlyMap<number, number> = new Map([
  ...[2, TYPE.long, 4, 10, TYPE.boolean].map((type): [number, number] => [type, 4]),
  ...[5, 6, 7, 20, TYPE.time].map((type): [number, number] => [type, 8]),
  [72, 16],
]);
const VARIABLE: readonly number[] = [TYPE.string8, TYPE.unicode, TYPE.binary, TYPE.object];

interface Value {
  readonly type: number;
  readonly data: Buffer;
}

/** The properties of one object. Text in a code page is decoded with `codePage`. */
export class TnefProperties extends MapiProperties {
  readonly #values: Map<number, Value>;
  /** Ids of named appointment properties, by their number. */
  readonly #appointment = new Map<number, number>();

  constructor(codePage: number) {
    const values = new Map<number, Value>();
    super(codePage, (id, type) => {
      const value = values.get(id);
      return value?.type === type ? value.data : undefined;
    });
    this.#values = values;
  }

  /** Sets a value that is stated outside the list, unless the list has it. */
  add(id: number, type: number, data: Buffer): void {
    if (!this.#values.has(id)) this.#values.set(id, { type, data });
  }

  /** Sets a text in the code page, as `add`. */
  addText(id: number, data: Buffer): void {
    this.add(id, TYPE.string8, data);
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
    const fixed = FIXED.get(type);
    let at = start;
    let count = 1;
    if (fixed === undefined || stated !== type) {
      if (at + 4 > data.length) return undefined;
      count = data.readUInt32LE(at);
      at += 4;
    }
    if (fixed === undefined && !VARIABLE.includes(type)) return undefined;
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

  /** The content of an embedded object, after the identifier of its interface. */
  object(id: number): Buffer | undefined {
    const value = this.#values.get(id);
    return value?.type === TYPE.object ? value.data.subarray(16) : undefined;
  }
}

const padded = (length: number): number => length + ((4 - (length % 4)) % 4);
