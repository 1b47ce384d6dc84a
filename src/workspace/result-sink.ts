// Text on its way into bytes: gathered into pieces large enough to be cheap, one piece being written while the next is
// made. Knows no format and opens no file.

import type { Bytes } from '../contract/index.ts';
import type { Remarks } from './result-value.ts';

/** Where bytes go. What is handed over is not changed afterwards. */
export interface ByteTarget {
  write(bytes: Uint8Array): Promise<void>;
}

/** Characters gathered before they are written: the smallest at which writing 10 million rows gets no faster. */
const PIECE_CHARACTERS = 128 * 1024;

/** Bytes handed on at once. */
const PIECE_BYTES = 256 * 1024;

const UNPAIRED = /\p{Surrogate}/u;

/** Gathers text, and writes it as UTF-8. Never holds more than two pieces, or one text that is longer. */
export class TextSink {
  /** Handed on so far. */
  bytes: Bytes = 0;
  #text = '';
  #writing: Promise<void> | undefined;
  readonly #target: ByteTarget;
  readonly #remarks: Remarks;

  constructor(target: ByteTarget, remarks: Remarks) {
    this.#target = target;
    this.#remarks = remarks;
  }

  /** There is enough for a piece: call `flush` before more is added. */
  get full(): boolean {
    return this.#text.length >= PIECE_CHARACTERS;
  }

  add(text: string): void {
    this.#text += text;
  }

  /** Hands the text on. Comes back once the piece before is written, so that a fast source waits for a slow disk. */
  async flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    if (text === '') return;
    if (UNPAIRED.test(text))
      this.#remarks.add(
        `piece(s) of text hold unpaired surrogates, which UTF-8 has no form for; each is written as \`\u{fffd}\``,
      );
    await this.#write(Buffer.from(text, 'utf8'));
  }

  /** Bytes as they are, after the text added so far. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.flush();
    for (let from = 0; from < bytes.length; from += PIECE_BYTES)
      await this.#write(bytes.subarray(from, from + PIECE_BYTES));
    // They are the caller's, who may change them once this has come back.
    await this.settled();
  }

  /** All that was added is written. */
  async end(): Promise<void> {
    await this.flush();
    await this.settled();
  }

  /** Nothing is being written any more. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#writing;
    this.bytes += bytes.length;
    const writing = this.#target.write(bytes);
    // Whoever waits for it next is told; until then nobody is listening.
    writing.catch(() => undefined);
    this.#writing = writing;
  }
}
