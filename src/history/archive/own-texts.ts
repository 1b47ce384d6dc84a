// Recognises what tiers 1 and 2 left of a result. Anyone may write a line that names a file of this conversation; only what
// was written here is also a part of that file. Works in a new process with the same storage.

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

  /** Compares a text with the file that it names, so that `has` knows it. @throws {ReaderError} ABORTED */
  async check(text: string, signal: AbortSignal | undefined): Promise<boolean> {
    if (!isPlaceholder(text)) return false;
    const hash = sha256Of(text);
    let isOwn = this.#known.get(hash);
    if (isOwn === undefined) {
      const pointer = pointerIn(text);
      const original = pointer === null ? null : await this.#archive.ownOutput(pointer, signal);
      isOwn = original !== null && this.#isLeftOf(text, original);
      this.#known.set(hash, isOwn);
    }
    return isOwn;
  }

  /** Whether a text that was added or checked was written here. */
  has(text: string): boolean {
    return isPlaceholder(text) && this.#known.get(sha256Of(text)) === true;
  }
}
