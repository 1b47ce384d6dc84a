// How far a read is: bytes of a Source that is watched, and pages of a document as they are converted.

import { type Bytes, type FormatFacts, type Part, ReaderError, type Source } from '../../contract/index.ts';
import type { Progress } from '../request.ts';

const MIN_INTERVAL_MS = 100;

/** Reports the progress of one read to `onProgress`, at most ten times a second. */
export class Meter {
  readonly #onProgress: (progress: Progress) => void;
  readonly #of: Bytes;
  #bytes = 0;
  #page: number | undefined;
  #pages: number | undefined;
  #last = Date.now();

  /** `of` is the size of the file. */
  constructor(onProgress: (progress: Progress) => void, of: Bytes) {
    this.#onProgress = onProgress;
    this.#of = of;
  }

  /** @throws {ReaderError} BAD_INPUT when `onProgress` throws; as `part` does */
  bytes(read: Bytes): void {
    this.#bytes += read;
    this.#report();
  }

  /** Takes note of the page that `part` ends on; `facts` may say how many there are. Other parts change nothing. */
  part({ shown }: Part, facts: FormatFacts): void {
    const page = shown.find(({ unit }) => unit === 'page' || unit === 'slide');
    if (!page) return;
    this.#page = Math.max(page.to, this.#page ?? 0);
    const pages = page.of ?? facts['pages'] ?? facts['slides'];
    if (typeof pages === 'number') this.#pages = pages;
    this.#report();
  }

  #report(): void {
    const now = Date.now();
    if (now - this.#last < MIN_INTERVAL_MS) return;
    this.#last = now;
    try {
      this.#onProgress({
        bytes: this.#bytes,
        of: this.#of,
        ...(this.#page !== undefined && { page: this.#page }),
        ...(this.#page !== undefined && this.#pages !== undefined && { pages: this.#pages }),
      });
    } catch (error) {
      throw new ReaderError('BAD_INPUT', '`onProgress` threw.', 'Catch errors inside `onProgress`.', error);
    }
  }
}

/** `source`, whose reads are reported to `meter`. */
export function watched(source: Source, meter: Meter): Source {
  return {
    name: source.name,
    extension: source.extension,
    mimeType: source.mimeType,
    size: source.size,
    ...(source.remote === true && { remote: true }),
    identity: () => source.identity(),
    read: async (position, length) => {
      const read = await source.read(position, length);
      meter.bytes(read.length);
      return read;
    },
    readInto: async (target, position) => {
      const filled = await source.readInto(target, position);
      meter.bytes(filled);
      return filled;
    },
    async *chunks(from) {
      for await (const chunk of source.chunks(from)) {
        meter.bytes(chunk.length);
        yield chunk;
      }
    },
    bytes: () => source.bytes(),
  };
}
