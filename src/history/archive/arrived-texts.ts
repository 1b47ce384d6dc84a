// The texts that `onToolResult` gave in place of results, by hash: known again as ours in the list. Bounded by what the list
// holds.

import { sha256Of } from './exact-text.ts';
import { isPlaceholder } from './placeholder.ts';

export class ArrivedTexts {
  readonly #hashes: Set<string>;
  /** The first of them that came before the last compaction: each is in the list by now, or in none. */
  #settled = 0;

  constructor(hashes: Iterable<string> = []) {
    this.#hashes = new Set(hashes);
  }

  /** SHA-256 in hex, in the order they came. */
  get all(): ReadonlySet<string> {
    return this.#hashes;
  }

  has(text: string): boolean {
    return this.#hashes.has(sha256Of(text));
  }

  add(text: string): void {
    this.#hashes.add(sha256Of(text));
  }

  /** Forgets those that a list, by its `texts`, does not hold, and did not come since this was called last. */
  settle(texts: readonly string[]): void {
    const held = new Set<string>();
    if (this.#settled > 0) for (const text of texts) if (isPlaceholder(text)) held.add(sha256Of(text));
    for (const hash of [...this.#hashes].slice(0, this.#settled))
      if (!held.has(hash)) this.#hashes.delete(hash);
    this.#settled = this.#hashes.size;
  }
}
