// Bits of a file in order, the highest of each byte first. Reads ahead, so that what decodes them need not wait.

import type { Bytes, Source } from '../../../src/contract/index.ts';

export class BitReader {
  readonly #source: Pick<Source, 'read' | 'size'>;
  #bytes: Uint8Array = new Uint8Array();
  /** Of the first byte held. */
  #start: Bytes = 0;
  #at = 0;
  #held = 0;
  #heldBits = 0;
  #isAtEnd = false;

  constructor(source: Pick<Source, 'read' | 'size'>) {
    this.#source = source;
  }

  /** Of the next byte, if all bits before it were read. */
  get position(): Bytes {
    return this.#start + this.#at - (this.#heldBits >> 3);
  }

  /** True after more bits were asked for than there are. */
  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  /** Holds the next `length` bytes, or all up to the end of the file. */
  async ensure(length: Bytes): Promise<void> {
    if (this.#bytes.length - this.#at >= length || this.#start + this.#bytes.length >= this.#source.size)
      return;
    const rest = this.#bytes.subarray(this.#at);
    const more = await this.#source.read(this.#start + this.#bytes.length, 2 * length - rest.length);
    this.#start += this.#at;
    this.#at = 0;
    this.#bytes = rest.length === 0 ? more : Buffer.concat([rest, more]);
  }

  /** The next `count` bits, up to 32. @throws {RangeError} after the last */
  bits(count: number): number {
    if (count > 24) return this.bits(count - 16) * 65_536 + this.bits(16);
    while (this.#heldBits < count) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) {
        this.#isAtEnd = true;
        throw new RangeError('no more bits');
      }
      this.#at += 1;
      this.#held = ((this.#held << 8) | byte) >>> 0;
      this.#heldBits += 8;
    }
    this.#heldBits -= count;
    const value = this.#held >>> this.#heldBits;
    this.#held &= (1 << this.#heldBits) - 1;
    return value;
  }

  /** Drops the bits up to the next byte. */
  align(): void {
    this.bits(this.#heldBits & 7);
  }
}
