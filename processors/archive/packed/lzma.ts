// LZMA (LZMA specification, 2015, from the LZMA SDK): decodes a range-coded stream into a window, of which the last
// bytes stay for later matches. Knows no container.

import type { Bytes } from '../../../src/contract/index.ts';

export class BrokenLzma extends Error {
  override readonly name = 'BrokenLzma';
}

const STATES = 12;
const POSITIONS = 16;
const MIN_MATCH = 2;
const HALF = 1024;
const TOP = 2 ** 24;

/** Output with the bytes before it, at least as many as matches may reach back. */
export class Window {
  readonly #reach: Bytes;
  bytes: Uint8Array;
  /** Where the next byte goes. */
  at = 0;
  #taken = 0;
  /** Bytes that a match may reach back. */
  #known: Bytes = 0;

  constructor(reach: Bytes) {
    this.#reach = reach;
    this.bytes = new Uint8Array(MIN_WINDOW);
  }

  /** Makes room for `length` bytes. What was not taken stays. */
  room(length: Bytes): void {
    if (this.at + length <= this.bytes.length) return;
    const keep = Math.min(this.at, Math.max(this.#reach, this.at - this.#taken));
    const from = this.at - keep;
    // Bytes are moved only after half as many were added, so that each is moved twice at most.
    if (from >= keep / 2 && keep + length <= this.bytes.length) this.bytes.copyWithin(0, from, this.at);
    else {
      const larger = new Uint8Array(2 * (keep + length));
      larger.set(this.bytes.subarray(from, this.at));
      this.bytes = larger;
    }
    this.at = keep;
    this.#taken -= from;
  }

  /** The output since the last call, as a copy. */
  take(): Uint8Array {
    const piece = this.bytes.slice(this.#taken, this.at);
    this.#taken = this.at;
    return piece;
  }

  /** Forgets what matches may reach. */
  reset(): void {
    this.#known = 0;
  }

  get known(): Bytes {
    return this.#known;
  }

  put(byte: number): void {
    this.bytes[this.at] = byte;
    this.at += 1;
    this.#known += 1;
  }

  /** @throws {BrokenLzma} for a distance before the first byte */
  copy(distance: number, length: number): void {
    if (distance >= this.#known || distance >= this.#reach) throw new BrokenLzma('distance');
    const { bytes } = this;
    let from = this.at - distance - 1;
    for (const end = this.at + length; this.at < end; this.at += 1, from += 1)
      bytes[this.at] = bytes[from] ?? 0;
    this.#known += length;
  }

  /** The byte `distance` + 1 before the next; 0 before the first. */
  back(distance: number): number {
    return distance >= this.#known ? 0 : (this.bytes[this.at - distance - 1] ?? 0);
  }
}

const MIN_WINDOW: Bytes = 64 * 1024;

const fresh = (length: number): Uint16Array => new Uint16Array(length).fill(HALF);

/** Lengths of matches. */
class LengthCoder {
  readonly choice: Uint16Array = fresh(2);
  readonly low: Uint16Array = fresh(POSITIONS << 3);
  readonly middle: Uint16Array = fresh(POSITIONS << 3);
  readonly high: Uint16Array = fresh(256);
}

/** What a stream's properties byte states. */
export interface LzmaProperties {
  readonly lc: number;
  readonly lp: number;
  readonly pb: number;
}

/** Undefined for a byte that states none. */
export function lzmaProperties(byte: number): LzmaProperties | undefined {
  return byte >= 9 * 5 * 5
    ? undefined
    : { lc: byte % 9, lp: Math.floor(byte / 9) % 5, pb: Math.floor(byte / 45) };
}

/** The state of one stream; its input may come in chunks. */
export class LzmaDecoder {
  readonly #window: Window;
  readonly #lc: number;
  readonly #literalMask: number;
  readonly #positionMask: number;
  readonly #isMatch = fresh(STATES * POSITIONS);
  readonly #isRep = fresh(STATES);
  readonly #isRep0 = fresh(STATES);
  readonly #isRep1 = fresh(STATES);
  readonly #isRep2 = fresh(STATES);
  readonly #isRep0Long = fresh(STATES * POSITIONS);
  readonly #slots = fresh(4 << 6);
  readonly #special = fresh(128);
  readonly #align = fresh(16);
  readonly #lengths = new LengthCoder();
  readonly #repLengths = new LengthCoder();
  readonly #literals: Uint16Array;
  #state = 0;
  #rep0 = 0;
  #rep1 = 0;
  #rep2 = 0;
  #rep3 = 0;
  #input: Uint8Array = new Uint8Array();
  #at = 0;
  #range = 0xffffffff;
  #code = 0;

  constructor(window: Window, { lc, lp, pb }: LzmaProperties) {
    this.#window = window;
    this.#lc = lc;
    this.#literalMask = (1 << lp) - 1;
    this.#positionMask = (1 << pb) - 1;
    this.#literals = fresh(0x300 << (lc + lp));
  }

  /** Bytes of the input consumed. */
  get consumed(): Bytes {
    return this.#at;
  }

  /** Continues with other input, from its start. */
  feed(input: Uint8Array): void {
    this.#input = input;
    this.#at = 0;
  }

  /** Reads the first 5 bytes of a range-coded stream. */
  start(): void {
    if (this.#input[this.#at] !== 0) throw new BrokenLzma('range coder');
    this.#at += 1;
    this.#range = 0xffffffff;
    this.#code = 0;
    for (let index = 0; index < 4; index += 1) this.#code = ((this.#code << 8) | this.#next()) >>> 0;
  }

  /**
   * Decodes until `length` more bytes are in the window, or a match or two past that if `mayPass`. True at the mark of
   * the end. @throws {BrokenLzma}
   */
  decode(length: Bytes, mayPass: boolean): boolean {
    const window = this.#window;
    const end = window.at + length;
    while (window.at < end) {
      const place = window.known & this.#positionMask;
      if (this.#bit(this.#isMatch, (this.#state << 4) + place) === 0) this.#literal();
      else {
        const run = this.#match(place);
        if (run === 0) return true;
        if (run > end - window.at && !mayPass) throw new BrokenLzma('length');
        window.copy(this.#rep0, run);
      }
    }
    return false;
  }

  #literal(): void {
    const window = this.#window;
    const previous = window.back(0);
    const set = ((window.known & this.#literalMask) << this.#lc) + (previous >> (8 - this.#lc));
    const base = set * 0x300;
    let symbol = 1;
    if (this.#state >= 7) {
      let match = window.back(this.#rep0);
      do {
        const matchBit = (match >> 7) & 1;
        match <<= 1;
        const bit = this.#bit(this.#literals, base + ((1 + matchBit) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (bit !== matchBit) break;
      } while (symbol < 0x100);
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(this.#literals, base + symbol);
    window.put(symbol & 0xff);
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  /** The length of the match, whose distance is then `#rep0`; 0 at the mark of the end. */
  #match(place: number): number {
    const state = this.#state;
    if (this.#bit(this.#isRep, state) === 0) {
      this.#rep3 = this.#rep2;
      this.#rep2 = this.#rep1;
      this.#rep1 = this.#rep0;
      const length = this.#length(this.#lengths, place);
      this.#state = state < 7 ? 7 : 10;
      this.#rep0 = this.#distance(length);
      return this.#rep0 === 0xffffffff ? 0 : length + MIN_MATCH;
    }
    if (this.#window.known === 0) throw new BrokenLzma('distance');
    if (this.#bit(this.#isRep0, state) === 0) {
      if (this.#bit(this.#isRep0Long, (state << 4) + place) === 0) {
        this.#state = state < 7 ? 9 : 11;
        return 1;
      }
    } else {
      let distance = this.#rep1;
      if (this.#bit(this.#isRep1, state) === 1) {
        distance = this.#rep2;
        if (this.#bit(this.#isRep2, state) === 1) {
          distance = this.#rep3;
          this.#rep3 = this.#rep2;
        }
        this.#rep2 = this.#rep1;
      }
      this.#rep1 = this.#rep0;
      this.#rep0 = distance;
    }
    this.#state = state < 7 ? 8 : 11;
    return this.#length(this.#repLengths, place) + MIN_MATCH;
  }

  #length({ choice, low, middle, high }: LengthCoder, place: number): number {
    if (this.#bit(choice, 0) === 0) return this.#tree(low, place << 3, 3);
    if (this.#bit(choice, 1) === 0) return 8 + this.#tree(middle, place << 3, 3);
    return 16 + this.#tree(high, 0, 8);
  }

  #distance(length: number): number {
    const slot = this.#tree(this.#slots, Math.min(length, 3) << 6, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return base + this.#reverse(this.#special, base - slot, bits);
    return base + this.#direct(bits - 4) * 16 + this.#reverse(this.#align, 0, 4);
  }

  #tree(coder: Uint16Array, base: number, bits: number): number {
    let symbol = 1;
    for (let index = 0; index < bits; index += 1) symbol = (symbol << 1) | this.#bit(coder, base + symbol);
    return symbol - (1 << bits);
  }

  #reverse(coder: Uint16Array, base: number, bits: number): number {
    let node = 1;
    let symbol = 0;
    for (let index = 0; index < bits; index += 1) {
      const bit = this.#bit(coder, base + node);
      node = (node << 1) | bit;
      symbol |= bit << index;
    }
    return symbol;
  }

  #direct(bits: number): number {
    let value = 0;
    for (let index = 0; index < bits; index += 1) {
      this.#range >>>= 1;
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit === 1) this.#code -= this.#range;
      value = value * 2 + bit;
      if (this.#range < TOP) this.#shift();
    }
    return value;
  }

  #bit(coder: Uint16Array, index: number): 0 | 1 {
    const chance = coder[index] ?? HALF;
    const bound = (this.#range >>> 11) * chance;
    let bit: 0 | 1 = 0;
    if (this.#code < bound) {
      this.#range = bound;
      coder[index] = chance + ((2048 - chance) >> 5);
    } else {
      this.#range -= bound;
      this.#code -= bound;
      coder[index] = chance - (chance >> 5);
      bit = 1;
    }
    if (this.#range < TOP) this.#shift();
    return bit;
  }

  #shift(): void {
    this.#range = (this.#range << 8) >>> 0;
    this.#code = ((this.#code << 8) | this.#next()) >>> 0;
  }

  #next(): number {
    const byte = this.#input[this.#at];
    if (byte === undefined) throw new BrokenLzma('input');
    this.#at += 1;
    return byte;
  }
}
