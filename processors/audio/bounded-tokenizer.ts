// Adapts a source for the tag library, with limits on bytes and on the number of reads. The library cannot be
// interrupted while it processes a chunk, so the byte limit also bounds its time.

import {
  AbstractTokenizer,
  EndOfStreamError,
  type IRandomAccessFileInfo,
  type IReadChunkOptions,
} from 'strtok3';
import type { Bytes } from '../../src/contract/index.ts';
import type { SourceBytes } from './bytes.ts';
import type { Recording } from './recording.ts';

/** Maximum reads and skips: three per block of a WavPack file. */
const MAX_STEPS = 50_000;
/** Bytes loaded at a time; jumping from block to block needs no more. */
const WINDOW: Bytes = 4096;

/** Reports the end of the file when a limit is reached. */
export class BoundedTokenizer extends AbstractTokenizer {
  readonly fileInfo: IRandomAccessFileInfo;
  readonly #bytes: SourceBytes;
  readonly #maxBytes: Bytes;
  #window: Uint8Array = new Uint8Array(0);
  #start: Bytes = 0;
  #given: Bytes = 0;
  #steps = 0;

  /** `maxBytes` limits the total of all reads. */
  constructor(bytes: SourceBytes, mimeType: Recording['mimeType'], maxBytes: Bytes) {
    super({ maxBufferSize: maxBytes });
    this.fileInfo = { size: bytes.size, mimeType };
    this.#bytes = bytes;
    this.#maxBytes = maxBytes;
  }

  supportsRandomAccess(): boolean {
    return true;
  }

  setPosition(position: Bytes): void {
    this.validateLength(position, 'position');
    this.position = position;
  }

  async readBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { position } = this.normalizeOptions(target, options);
    const count = await this.peekBuffer(target, options);
    this.position = position + count;
    return count;
  }

  async peekBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { length, position, mayBeLess } = this.normalizeOptions(target, options);
    this.#spend(length);
    const from = position - this.#start;
    if (from < 0 || from + length > this.#window.length) {
      this.#window = await this.#bytes.copy(position, Math.max(length, WINDOW));
      this.#start = position;
    }
    const found = this.#window.subarray(position - this.#start, position - this.#start + length);
    if (found.length < length && !mayBeLess) throw new EndOfStreamError();
    target.set(found);
    return found.length;
  }

  override ignore(length: number): Promise<number> {
    this.#spend(0);
    return super.ignore(length);
  }

  #spend(length: Bytes): void {
    this.#given += length;
    this.#steps += 1;
    if (this.#given > this.#maxBytes || this.#steps > MAX_STEPS) throw new EndOfStreamError();
  }
}
