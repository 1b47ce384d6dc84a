// Texts that lectern put into messages, in a compaction or when a result arrived. Only these count as its placeholders.

import { sha256Of } from '../archive/exact-text.ts';
import type { Shown } from '../ledger/ledger.ts';

export class WrittenTexts<M> {
  readonly #list: readonly Shown<M>[];
  readonly #arrived: ReadonlySet<string>;
  readonly #byMessage = new Map<number, ReadonlySet<string>>();

  /** `arrived`: hashes of the texts that replaced results on arrival. */
  constructor(list: readonly Shown<M>[], arrived: ReadonlySet<string>) {
    this.#list = list;
    this.#arrived = arrived;
  }

  has(message: number, text: string): boolean {
    return this.#in(message).has(text) || this.#arrived.has(sha256Of(text));
  }

  #in(message: number): ReadonlySet<string> {
    const known = this.#byMessage.get(message);
    if (known) return known;
    const written = new Set<string>();
    for (const edits of this.#list[message]?.edits ?? [])
      for (const edit of edits) if (edit.op === 'text') written.add(edit.text);
    this.#byMessage.set(message, written);
    return written;
  }
}
