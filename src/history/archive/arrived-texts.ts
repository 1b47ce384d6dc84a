// Hashes of the texts that `onToolResult` returned in place of results, so that they are recognised in the list.
// Bounded by the list.

import { sha256Of } from './exact-text.ts';
import { isPlaceholder } from './placeholder.ts';

export class ArrivedTexts {
  readonly #hashes: Set<string>;
  /** Number of hashes from before the last compaction. Each is in the list by now, or never will be. */
  #settled = 0;

  constructor(hashes: Iterable<string> = []) {
    this.#hashes = new Set(hashes);
  }

  /** SHA-256 in hex, in order of arrival. */
  get all(): ReadonlySet<string> {
    return this.#hashes;
  }

  has(text: string): boolean {
    return this.#hashes.has(sha256Of(text));
  }

  add(text: string): void {
    this.#hashes.add(sha256Of(text));
  }

  /** Forgets hashes from before the previous call that are not among the `texts` of the list. */
  settle(texts: readonly string[]): void {
    const held = new Set<string>();
    if (this.#settled > 0) for (const text of texts) if (isPlaceholder(text)) held.add(sha256Of(text));
    for (const hash of [...this.#hashes].slice(0, this.#settled))
      if (!held.has(hash)) this.#hashes.delete(hash);
    this.#settled = this.#hashes.size;
  }
}
