// Why a group or an item stayed or went, written down by whoever decides it. Decides nothing, and says nothing in words.

import type { ItemPosition } from '../ledger/groups.ts';
import { placeKey } from '../ledger/place-key.ts';

/**
 * - `instructions`, `goal` (the first message of the user), `newest-user`, `newest-turn`, `open-call`, `pinned`, `recent`,
 *   `needed` (signed reasoning that a later turn continues): never leaves, as far as that goes.
 * - `plan` (the newest list of steps), `in-work` (deals with a file in work), `used` (a later message deals with its file),
 *   `unused`, `superseded` (a later message asked for the same), `shown` (other results hold its lines): by the working set.
 * - `unimportant`: by its score. `oldest`, `middle`: by place alone.
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
  | 'plan'
  | 'in-work'
  | 'used'
  | 'unused'
  | 'superseded'
  | 'shown'
  | 'unimportant'
  | 'oldest'
  | 'middle';

export interface Reason {
  readonly why: Why;
  /** The file in work. */
  readonly file?: string;
  /** The later message, by its place in the list of the call, from 0. */
  readonly message?: number;
}

/** Reasons of one draft: the first that is given for a group or an item, unless a later one replaces it. */
export class Reasons {
  readonly #groups = new Map<number, Reason>();
  readonly #items = new Map<number, Reason>();

  group(number: number, reason: Reason, replaces: boolean = false): void {
    if (replaces || !this.#groups.has(number)) this.#groups.set(number, reason);
  }

  item(place: ItemPosition, reason: Reason): void {
    this.#items.set(placeKey(place), reason);
  }

  /** A group goes for the reason it has; where nothing is known but that it is new, its place in the order is all. */
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
