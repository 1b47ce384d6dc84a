// Recognises what tiers 1 and 2 left of a result. Anyone may write a line that names a file of this conversation; only what
// was written here is also a part of that file. Works in a new process with the same storage.

import { refuseAborted } from '../problem.ts';
import type { Archive } from './archive.ts';
import { sha256Of } from './exact-text.ts';
import { isPlaceholder, pointerIn } from './placeholder.ts';

/** Whether `text` can be what was left of `original`. */
export type IsLeftOf = (text: string, original: string) => boolean;

export class OwnTexts {
  readonly #archive: Archive;
  readonly #isLeftOf: IsLeftOf;
  /** By hash; each text is compared with its file once. */
  readonly #known = new Map<string, boolean>();

  constructor(archive: Archive, isLeftOf: IsLeftOf) {
    this.#archive = archive;
    this.#isLeftOf = isLeftOf;
  }

  /** Records a text that was written. */
  add(text: string): void {
    this.#known.set(sha256Of(text), true);
  }

  /** Compares texts with the files that they name, so that `has` knows them; stops where the storage fails. @throws {ReaderError} ABORTED */
  async check(texts: Iterable<string>, signal: AbortSignal | undefined): Promise<void> {
    try {
      for (const text of texts) await this.#compare(text, signal);
    } catch {
      refuseAborted(signal);
    }
  }

  async #compare(text: string, signal: AbortSignal | undefined): Promise<void> {
    const pointer = pointerIn(text);
    const hash = pointer === null ? '' : sha256Of(text);
    if (pointer === null || this.#known.has(hash)) return;
    const original = await this.#archive.ownOutput(pointer, signal);
    this.#known.set(hash, original !== null && this.#isLeftOf(text, original));
  }

  /** Whether a text that was added or checked was written here. */
  has(text: string): boolean {
    return isPlaceholder(text) && this.#known.get(sha256Of(text)) === true;
  }
}
