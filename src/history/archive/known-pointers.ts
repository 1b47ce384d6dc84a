// Pointers to the originals of one conversation: all of them, for the state and for what a prune spares, and those since the
// last report.

import type { Draft } from '../policy/draft.ts';
import type { Kept } from './archive.ts';

const fileOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('#'));

export class KnownPointers {
  readonly #all: Set<string>;
  #fresh: string[] = [];

  constructor(pointers: Iterable<string> = []) {
    this.#all = new Set(pointers);
  }

  get all(): ReadonlySet<string> {
    return this.#all;
  }

  add(pointer: string): void {
    this.#all.add(pointer);
    this.#fresh.push(pointer);
  }

  /** Adds what was kept of a draft: `at` gives by message of the draft its number in `kept`. */
  addKept<M>(kept: Kept, at: ReadonlyMap<number, number>, { list }: Draft<M>): void {
    const files = new Set<string>();
    const own: string[] = [];
    for (const [message, index] of at) {
      const pointer = kept.pointer(index);
      if (list[message]?.made !== null) {
        own.push(pointer);
        continue;
      }
      this.add(pointer);
      files.add(fileOf(pointer));
    }
    // Our own notices lie there as well: a way to what they stood for, but no originals. A file of nothing else is kept for
    // their sake: a notice or another file names it.
    for (const pointer of own) {
      if (!files.has(fileOf(pointer))) this.add(pointer);
      files.add(fileOf(pointer));
    }
  }

  /** Those added since this was called last. */
  takeFresh(): string[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }
}
