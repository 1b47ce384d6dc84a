// Where the originals of one conversation are: pointers since the last report, and the files, for the state and for what a
// prune spares. Of many files most are named in a newer one, so that a state does not grow with the conversation.

import type { Draft } from '../policy/draft.ts';
import type { Kept } from './archive.ts';

/** Files that a state names at most once a segment was kept. */
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

  /** Files that the next segment is to name: as many as the state should not. */
  get due(): readonly string[] {
    return this.#files.size >= MOST_FILES ? [...this.#files] : [];
  }

  /** Adds the file of one result. */
  add(path: string): void {
    this.#files.add(path);
    this.#fresh.push(path);
  }

  /** Adds what was kept of a draft: `at` gives by message of the draft its number in `kept`, which names the files `due`. */
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
    // Our own notices lie there as well: a way to what they stood for, but no originals. A file of nothing else is told for
    // their sake: a notice or another file names it.
    for (const pointer of own) {
      if (!files.has(fileOf(pointer))) this.#fresh.push(pointer);
      files.add(fileOf(pointer));
    }
  }

  /** Pointers since this was called last. */
  takeFresh(): string[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }
}
