// Takes the parts of a file as they are converted, ahead of the search, within a bound.

import type { TextPart } from '../../contract/index.ts';

/** Characters waiting to be searched; conversion pauses above. */
const MAX_WAITING = 1024 * 1024;

/** The parts of a conversion that runs ahead. Must be closed. */
export class PartQueue {
  readonly #waiting: TextPart[] = [];
  readonly #parts: AsyncIterator<TextPart>;
  #characters = 0;
  #isEnded = false;
  #failure: { readonly error: unknown } | undefined;
  /** Wakes the side that waits for the other. */
  #wake: () => void = () => undefined;
  readonly #pump: Promise<void>;

  constructor(parts: AsyncIterable<TextPart>) {
    this.#parts = parts[Symbol.asyncIterator]();
    this.#pump = this.#convert();
  }

  async #convert(): Promise<void> {
    try {
      while (!this.#isEnded) {
        const { done, value } = await this.#parts.next();
        if (done === true) break;
        this.#waiting.push(value);
        this.#characters += value.text.length;
        this.#wake();
        while (this.#characters > MAX_WAITING && !this.#isEnded) await this.#woken();
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.#isEnded = true;
    this.#wake();
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      const before = this.#wake;
      this.#wake = () => {
        this.#wake = () => undefined;
        before();
        resolve();
      };
    });
  }

  /** @throws errors of the conversion, after the parts before them */
  async *[Symbol.asyncIterator](): AsyncGenerator<TextPart> {
    for (;;) {
      const part = this.#waiting.shift();
      if (part) {
        this.#characters -= part.text.length;
        this.#wake();
        yield part;
      } else if (!this.#isEnded) await this.#woken();
      else if (this.#failure) throw this.#failure.error;
      else return;
    }
  }

  /** Stops the conversion. */
  async close(): Promise<void> {
    this.#isEnded = true;
    this.#wake();
    await this.#parts.return?.();
    await this.#pump;
  }
}
