// Bytes that are written once and read back: in memory, or in an unnamed temporary file once they are many.

import type { FileHandle } from 'node:fs/promises';
import { unnamedFile } from './unnamed-file.ts';

const MEMORY_BYTES = 4 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;

/** Do not make concurrent calls. Throws system errors. */
export class TemporaryBytes {
  bytes = 0;
  #held: Uint8Array[] = [];
  #file: FileHandle | undefined;

  /** Copies `bytes`. */
  async append(bytes: Uint8Array): Promise<void> {
    if (!this.#file && this.bytes + bytes.length > MEMORY_BYTES) {
      this.#file = await unnamedFile();
      for (const piece of this.#held) await this.#file.appendFile(piece);
      this.#held = [];
    }
    if (this.#file) await this.#file.appendFile(bytes);
    else this.#held.push(Uint8Array.prototype.slice.call(bytes));
    this.bytes += bytes.length;
  }

  /** Reads from `position` into `target`. Returns the number of bytes read. */
  async read(target: Uint8Array, position: number): Promise<number> {
    if (this.#file) return (await this.#file.read(target, 0, target.length, position)).bytesRead;
    if (this.#held.length > 1) this.#held = [Buffer.concat(this.#held)];
    const [held = new Uint8Array()] = this.#held;
    const piece = held.subarray(position, position + target.length);
    target.set(piece);
    return piece.length;
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    if (!this.#file) return yield* this.#held;
    for (let at = 0; at < this.bytes; ) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, this.bytes - at));
      const length = await this.read(piece, at);
      if (length === 0) throw new Error('The temporary file was cut short.');
      yield piece.subarray(0, length);
      at += length;
    }
  }

  /** Idempotent. */
  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#held = [];
    this.bytes = 0;
    await file?.close();
  }
}
