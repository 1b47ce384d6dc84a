// Facts about a column: the type of its values, how many are missing, how many are distinct. Uses constant memory for
// any number of rows.

import type { Column, ColumnType } from './result.ts';
import { JsonText, type Plain } from './value.ts';

/** Distinct values are counted exactly up to this number. */
const MOST_EXACT = 1000;

/**
 * Strings up to this length are kept directly; V8 may keep longer ones as slices, which hold the text they are cut
 * from.
 */
const MOST_KEPT_CHARACTERS = 12;

/**
 * 4096 registers give a standard error of 1.04 / sqrt(4096) = 1.6 % (Flajolet et al., "HyperLogLog: the analysis of a
 * near-optimal cardinality estimation algorithm", 2007).
 */
const REGISTER_BITS = 12;
const REGISTERS = 1 << REGISTER_BITS;
const BIAS = 0.7213 / (1 + 1.079 / REGISTERS);

const LOW_BITS = 32 - REGISTER_BITS;
const LOW_MASK = (1 << LOW_BITS) - 1;

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);

/** The two halves of the last value's hash. */
let high = 0;
let low = 0;

function mix(a: number, b: number): void {
  // The finaliser of MurmurHash3 (public domain, Austin Appleby), with each half mixed into the other.
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  a = Math.imul(a ^ (a >>> 16), 0xc2b2ae35);
  high = (a ^ (a >>> 15)) >>> 0;
  low = (b ^ (b >>> 16)) >>> 0;
}

function hash(value: string | number | boolean | bigint): void {
  if (typeof value === 'number') {
    number[0] = value;
    mix((words[0] ?? 0) ^ 0x9e3779b9, (words[1] ?? 0) ^ 0x7f4a7c15);
    return;
  }
  const text = typeof value === 'string' ? value : `${value}`;
  let a = 0x243f6a88 ^ text.length;
  let b = typeof value === 'string' ? 0x13198a2e : 0x03707344;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ unit, 0x5f356495);
    b ^= b >>> 15;
  }
  mix(a, b);
}

/** Rank of the first set bit among the 41 below those that choose the register. */
function rank(): number {
  const first = high & LOW_MASK;
  if (first !== 0) return Math.clz32(first) - REGISTER_BITS + 1;
  return LOW_BITS + Math.min(21, Math.clz32(low)) + 1;
}

/** Number of distinct values added: exact up to 1000, then estimated. */
class Distinct {
  #kept: Set<string | number | boolean | bigint> | undefined;
  #hashed: Set<number> | undefined;
  #registers: Uint8Array | undefined;
  #last: string | number | boolean | bigint | undefined;

  constructor(exact: boolean) {
    if (exact) {
      this.#kept = new Set();
      this.#hashed = new Set();
    } else this.#registers = new Uint8Array(REGISTERS);
  }

  add(value: string | number | boolean | bigint): void {
    if (value === this.#last) return;
    this.#last = value;
    if (this.#registers) {
      hash(value);
      this.#count(this.#registers);
      return;
    }
    const kept = this.#kept;
    const hashed = this.#hashed;
    if (!kept || !hashed) return;
    if (typeof value === 'string' ? value.length <= MOST_KEPT_CHARACTERS : typeof value !== 'bigint')
      kept.add(value);
    else {
      hash(value);
      // 53 bits of the hash, as many as a number holds exactly.
      hashed.add(high * 0x20_0000 + (low >>> 11));
    }
    if (kept.size + hashed.size > MOST_EXACT) this.#estimate(kept, hashed);
  }

  #count(registers: Uint8Array): void {
    const register = high >>> LOW_BITS;
    const found = rank();
    if (found > (registers[register] ?? 0)) registers[register] = found;
  }

  #estimate(kept: ReadonlySet<string | number | boolean | bigint>, hashed: ReadonlySet<number>): void {
    const registers = new Uint8Array(REGISTERS);
    for (const value of kept) {
      hash(value);
      this.#count(registers);
    }
    for (const value of hashed) {
      high = Math.floor(value / 0x20_0000);
      low = ((value % 0x20_0000) << 11) >>> 0;
      this.#count(registers);
    }
    this.#registers = registers;
    this.#kept = undefined;
    this.#hashed = undefined;
  }

  get count(): number {
    const registers = this.#registers;
    if (!registers) return (this.#kept?.size ?? 0) + (this.#hashed?.size ?? 0);
    let sum = 0;
    let empty = 0;
    for (const register of registers) {
      sum += 2 ** -register;
      if (register === 0) empty += 1;
    }
    const raw = (BIAS * REGISTERS * REGISTERS) / sum;
    // Below 2.5 values per register, counting empty registers is the better estimate (the paper, section 4).
    const estimate = raw <= 2.5 * REGISTERS && empty > 0 ? REGISTERS * Math.log(REGISTERS / empty) : raw;
    return Math.round(estimate);
  }
}

const INTEGER = 1;
const NUMBER = 2;
const BOOLEAN = 4;
const STRING = 8;
const DATE = 16;
const JSON_VALUE = 32;

const TYPES: ReadonlyMap<number, ColumnType> = new Map<number, ColumnType>([
  [0, 'empty'],
  [INTEGER, 'integer'],
  [NUMBER, 'number'],
  [INTEGER | NUMBER, 'number'],
  [BOOLEAN, 'boolean'],
  [STRING, 'string'],
  [DATE, 'date'],
  [JSON_VALUE, 'json'],
]);

/** Collects facts of one column as its values are read. */
export class ColumnFacts {
  readonly name: string;
  #kinds = 0;
  #values = 0;
  #distinct: Distinct;

  /** `exact`: count up to 1000 distinct values exactly; too expensive for every column of a table with thousands. */
  constructor(name: string, exact: boolean) {
    this.name = name;
    this.#distinct = new Distinct(exact);
  }

  add(value: Plain): void {
    switch (typeof value) {
      case 'string':
        this.#kinds |= STRING;
        break;
      case 'number':
        this.#kinds |= Number.isInteger(value) ? INTEGER : NUMBER;
        break;
      case 'bigint':
        this.#kinds |= INTEGER;
        break;
      case 'boolean':
        this.#kinds |= BOOLEAN;
        break;
      case 'undefined':
        return;
      default:
        if (value === null) return;
        this.#kinds |= value instanceof JsonText ? JSON_VALUE : DATE;
        this.#values += 1;
        this.#distinct.add(value instanceof JsonText ? value.text : value.toISOString());
        return;
    }
    this.#values += 1;
    this.#distinct.add(value);
  }

  /** `rows` is the total; the value is missing in rows that did not provide it. */
  of(rows: number): Column {
    // Caps the estimate at the number of values.
    const distinct = Math.min(this.#distinct.count, this.#values);
    return {
      name: this.name,
      type: TYPES.get(this.#kinds) ?? 'mixed',
      nulls: rows - this.#values,
      distinct,
    };
  }
}
