// XXH64 (xxHash specification 0.1.1), the checksum of Zstandard frames, in halves of 32 bits: BigInt takes ten times as
// long.

/** The primes (chapter "XXH64 algorithm"), each as its high and low half. */
const P1 = [0x9e3779b1, 0x85ebca87] as const;
const P2 = [0xc2b2ae3d, 0x27d4eb4f] as const;
const P3 = [0x165667b1, 0x9e3779f9] as const;
const P4 = [0x85ebca77, 0xc2b2ae63] as const;
const P5 = [0x27d4eb2f, 0x165667c5] as const;

type Prime = readonly [number, number];

const STRIPE = 32;

/** 64 bits that change in place. */
class Word {
  high: number;
  low: number;

  constructor(high: number, low: number) {
    this.high = high | 0;
    this.low = low | 0;
  }

  add(high: number, low: number): void {
    const sum = (this.low >>> 0) + (low >>> 0);
    this.low = sum | 0;
    this.high = (this.high + high + (sum > 0xffffffff ? 1 : 0)) | 0;
  }

  times([high, low]: Prime): void {
    const a = this.low & 0xffff;
    const b = this.low >>> 16;
    const c = low & 0xffff;
    const d = low >>> 16;
    const first = b * c + ((a * c) >>> 16);
    const second = a * d + (first & 0xffff);
    const carried = b * d + (first >>> 16) + (second >>> 16);
    this.high = (Math.imul(this.high, low) + Math.imul(this.low, high) + carried) | 0;
    this.low = Math.imul(this.low, low);
  }

  rotate(bits: number): void {
    const { high, low } = this;
    if (bits < 32) {
      this.high = (high << bits) | (low >>> (32 - bits));
      this.low = (low << bits) | (high >>> (32 - bits));
    } else {
      this.high = bits === 32 ? low : (low << (bits - 32)) | (high >>> (64 - bits));
      this.low = bits === 32 ? high : (high << (bits - 32)) | (low >>> (64 - bits));
    }
  }

  xor(high: number, low: number): void {
    this.high ^= high;
    this.low ^= low;
  }

  /** Xors itself with itself shifted right. */
  fold(bits: number): void {
    const { high, low } = this;
    if (bits >= 32) this.low = low ^ (high >>> (bits - 32));
    else {
      this.low = low ^ ((low >>> bits) | (high << (32 - bits)));
      this.high = high ^ (high >>> bits);
    }
  }

  /** One round over a lane of input. */
  round(high: number, low: number): void {
    PRODUCT.high = high;
    PRODUCT.low = low;
    PRODUCT.times(P2);
    this.add(PRODUCT.high, PRODUCT.low);
    this.rotate(31);
    this.times(P1);
  }
}

const PRODUCT = new Word(0, 0);

/** The sum of pieces with the seed 0. */
export class Xxh64 {
  // P1 + P2, P2, 0 and -P1.
  readonly #lanes: readonly Word[] = [
    new Word(0x60ea27ee, 0xadc0b5d6),
    new Word(...P2),
    new Word(0, 0),
    new Word(0x61c8864e, 0x7a143579),
  ];
  readonly #held: Buffer = Buffer.alloc(STRIPE);
  #heldLength = 0;
  #length = 0;

  add(piece: Uint8Array): void {
    this.#length += piece.length;
    let at = 0;
    if (this.#heldLength > 0) {
      at = Math.min(STRIPE - this.#heldLength, piece.length);
      this.#held.set(piece.subarray(0, at), this.#heldLength);
      this.#heldLength += at;
      if (this.#heldLength < STRIPE) return;
      this.#stripes(this.#held, 0);
      this.#heldLength = 0;
    }
    at = this.#stripes(piece, at);
    this.#held.set(piece.subarray(at));
    this.#heldLength = piece.length - at;
  }

  /** The low half of the sum, which is what a frame of Zstandard ends with. */
  low32(): number {
    const sum = this.#converged();
    sum.add(Math.floor(this.#length / 2 ** 32), this.#length % 2 ** 32);
    let at = 0;
    for (; at + 8 <= this.#heldLength; at += 8) {
      const lane = new Word(0, 0);
      lane.round(this.#held.readInt32LE(at + 4), this.#held.readInt32LE(at));
      sum.xor(lane.high, lane.low);
      sum.rotate(27);
      sum.times(P1);
      sum.add(...P4);
    }
    if (at + 4 <= this.#heldLength) {
      const lane = new Word(0, this.#held.readInt32LE(at));
      lane.times(P1);
      sum.xor(lane.high, lane.low);
      sum.rotate(23);
      sum.times(P2);
      sum.add(...P3);
      at += 4;
    }
    for (; at < this.#heldLength; at += 1) {
      const lane = new Word(0, this.#held[at] ?? 0);
      lane.times(P5);
      sum.xor(lane.high, lane.low);
      sum.rotate(11);
      sum.times(P1);
    }
    sum.fold(33);
    sum.times(P2);
    sum.fold(29);
    sum.times(P3);
    sum.fold(32);
    return sum.low >>> 0;
  }

  #converged(): Word {
    if (this.#length < STRIPE) return new Word(...P5);
    const sum = new Word(0, 0);
    for (const [index, { high, low }] of this.#lanes.entries()) {
      const turned = new Word(high, low);
      turned.rotate([1, 7, 12, 18][index] ?? 0);
      sum.add(turned.high, turned.low);
    }
    for (const { high, low } of this.#lanes) {
      const lane = new Word(0, 0);
      lane.round(high, low);
      sum.xor(lane.high, lane.low);
      sum.times(P1);
      sum.add(...P4);
    }
    return sum;
  }

  /** Takes whole stripes from `at` on; returns where they end. */
  #stripes(bytes: Uint8Array, from: number): number {
    const [first, second, third, fourth] = this.#lanes;
    const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = from;
    for (; at + STRIPE <= bytes.length; at += STRIPE) {
      first?.round(data.getInt32(at + 4, true), data.getInt32(at, true));
      second?.round(data.getInt32(at + 12, true), data.getInt32(at + 8, true));
      third?.round(data.getInt32(at + 20, true), data.getInt32(at + 16, true));
      fourth?.round(data.getInt32(at + 28, true), data.getInt32(at + 24, true));
    }
    return at;
  }
}
