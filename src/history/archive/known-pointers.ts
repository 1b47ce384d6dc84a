// Locations of one conversation's originals: pointers since the last report, and files for the state and for pruning.
// Most files are listed in newer files, so the state does not grow with the conversation.

import type { Draft } from '../policy/draft.ts';
import type { Kept } from './archive.ts';

/** Maximum number of files in a state after a segment was written. */
const MOST_FILES = 64;

const fileOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('#'));

export class KnownPointers {
  #files: Set<string>;
  #fresh: string[] = [];

  constructor(files: Iterable<string> = []) {
    this.#files = new Set(files);
  }

  /** Files, oldest first; the first may name earlier ones. */
  get files(): Iterable<string> {
    return this.#files;
  }

  /** Files that the next segment must list, so that the state can drop them. */
  get due(): readonly string[] {
    return this.#files.size >= MOST_FILES ? [...this.#files] : [];
  }

  /** Adds the file of one result. */
  add(path: string): void {
    this.#files.add(path);
    this.#fresh.push(path);
  }

  /**
   * Adds what was archived of a draft. `at` maps draft messages to their numbers in `kept`, whose first file lists
   * `due`.
   */
  addKept<M>(kept: Kept, at: ReadonlyMap<number, number>, { list }: Draft<M>, due: readonly string[]): void {
    const named = new Set(due);
    const others = [...this.#files].filter((path) => !named.has(path));
    this.#files = new Set(due.length > 0 ? [...kept.files, ...others] : [...others, ...kept.files]);
    const files = new Set<string>();
    const own: string[] = [];
    for (const [message, index] of at) {
      const pointer = kept.pointer(index);
      if (list[message]?.made !== null) {
        own.push(pointer);
        continue;
      }
      this.#fresh.push(pointer);
      files.add(fileOf(pointer));
    }
    // Our own notices are archived too, for access to what they covered, but they are not originals. Their file is
    // reported only because a notice or another file names it.
    for (const pointer of own) {
      if (!files.has(fileOf(pointer))) this.#fresh.push(pointer);
      files.add(fileOf(pointer));
    }
  }

  /** Pointers added since the last call. */
  takeFresh(): string[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }
}
