// Pointers to the originals that a compaction archived, for its report.

import type { Draft } from '../policy/draft.ts';
import type { Kept } from './archive.ts';

const fileOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('#'));

export class FreshPointers {
  #fresh: string[] = [];

  add(pointer: string): void {
    this.#fresh.push(pointer);
  }

  /** Adds what was archived of a draft. `at` maps draft messages to their numbers in `kept`. */
  addKept<M>(kept: Kept, at: ReadonlyMap<number, number>, { list }: Draft<M>): void {
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
  take(): string[] {
    return this.#fresh.splice(0);
  }
}
