// Records why a group or item stayed or was removed. Makes no decisions and produces no text.

import type { ItemPosition } from '../ledger/groups.ts';
import { placeKey } from '../ledger/place-key.ts';

/**
 * - `instructions`, `goal` (the user's first message), `newest-user`, `newest-turn`, `open-call`, `pinned`, `recent`,
 *   `needed` (signed reasoning that a later turn continues): never removed if avoidable.
 * - `in-work` (deals with a file in work), `used` (a later message deals with its
 *   file), `unused`: set by the working set.
 * - `unimportant`: by score. `shortened`: by the caller's `shorten`. `oldest`, `middle`: by position only.
 */
export type Why =
  | 'instructions'
  | 'goal'
  | 'newest-user'
  | 'newest-turn'
  | 'open-call'
  | 'pinned'
  | 'recent'
  | 'needed'
  | 'in-work'
  | 'used'
  | 'unused'
  | 'unimportant'
  | 'shortened'
  | 'oldest'
  | 'middle';

export interface Reason {
  readonly why: Why;
  /** The file in work. */
  readonly file?: string;
  /** The later message, by its index in the call's list, from 0. */
  readonly message?: number;
}

/** Reasons of one draft: the first recorded for a group or item, unless replaced explicitly. */
export class Reasons {
  readonly #groups = new Map<number, Reason>();
  readonly #items = new Map<number, Reason>();

  group(number: number, reason: Reason, replaces: boolean = false): void {
    if (replaces || !this.#groups.has(number)) this.#groups.set(number, reason);
  }

  item(place: ItemPosition, reason: Reason): void {
    this.#items.set(placeKey(place), reason);
  }

  /** Marks a group as removed for its recorded reason; a group that is only recent is removed by position. */
  leaves(number: number): void {
    const why = this.#groups.get(number)?.why ?? 'recent';
    if (why === 'recent') this.#groups.set(number, { why: 'oldest' });
  }

  ofGroup(number: number): Reason | null {
    return this.#groups.get(number) ?? null;
  }

  ofItem(place: ItemPosition): Reason | null {
    return this.#items.get(placeKey(place)) ?? null;
  }
}
