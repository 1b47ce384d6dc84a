// Keeps what the agent is working with: the turns and results of the highest worth (`worth.ts`) that fit the prompt.
// What no later call came back to is removed first, as single results or whole turns.

import type { Tokens } from '../../contract/index.ts';
import type { ItemPosition } from '../ledger/groups.ts';
import type { Draft } from './draft.ts';
import { inOrder, removable } from './tiers/drop.ts';
import { isMaskable, LEAST_SAVED, maskResult } from './tiers/mask.ts';
import { Worth } from './worth.ts';

/** User messages above this share of the aim, as in a chat without tools, are removable by age like turns. */
const MOST_OF_USERS = 0.5;

/** A unit of removal: a result, or a turn without its results. */
interface Unit {
  readonly worth: number;
  readonly group: number;
  /** Null for the turn without its results. */
  readonly result: ItemPosition | null;
  /** Deals with a file used recently. */
  readonly inWork: boolean;
  readonly cost: number;
}

/** Turns by worth. Create one per batch: worth is measured on the whole list. */
export class WorkingSet<M> {
  readonly #draft: Draft<M>;
  readonly #worth: Worth<M>;
  #areUsersLast = true;

  constructor(draft: Draft<M>) {
    this.#draft = draft;
    this.#worth = new Worth(draft);
  }

  /**
   * Keeps what is worth most in a prompt of `aim` tokens: `kept` groups, then turns and results by worth. Files in
   * work may cost `spare` more tokens. In kept turns, a line replaces each result that is not kept.
   * Returns the order in which turns are removed, and the tokens above the aim.
   */
  settle(kept: ReadonlySet<number>, aim: Tokens, spare: Tokens): { order: number[]; over: Tokens } {
    let said = 0;
    for (const number of removable(this.#draft, kept).users)
      said += this.#draft.leavingCost(this.#draft.conversation.groups[number]);
    this.#areUsersLast = said <= MOST_OF_USERS * aim;
    const units = this.#units(kept);
    const stays = new Set<number>();
    const results = new Set<ItemPosition>();
    const bases = new Map(units.flatMap(({ group, result, cost }) => (result ? [] : [[group, cost]])));
    let left = aim - this.#draft.tokens;
    for (const { cost } of units) left += cost;
    for (const { group, result, cost, inWork } of units) {
      const base = stays.has(group) ? 0 : (bases.get(group) ?? 0);
      const most = result ? base + cost : base;
      if (most > left + (inWork ? spare : 0)) continue;
      left -= most;
      stays.add(group);
      if (result) results.add(result);
    }
    for (const { group, result } of units)
      if (result && stays.has(group) && !results.has(result)) maskResult(this.#draft, result);
    return { order: this.#order(kept, stays), over: Math.max(0, -left) };
  }

  /** Removable groups, least worth first; those in `stays` after all others, the other user messages last. */
  #order(kept: ReadonlySet<number>, stays: ReadonlySet<number>): number[] {
    const { groups } = this.#draft.conversation;
    const worth = (number: number): number =>
      (stays.has(number) ? groups.length : 0) + this.#worth.ofTurn(number);
    const { users } = removable(this.#draft, kept);
    const order = inOrder(this.#draft, this.#candidates(kept), worth);
    return this.#areUsersLast ? [...order, ...users] : order;
  }

  #candidates(kept: ReadonlySet<number>): readonly number[] {
    const { turns, users } = removable(this.#draft, kept);
    return this.#areUsersLast ? turns : [...turns, ...users];
  }

  /** All removable units, highest worth first; of equal worth, newest first. */
  #units(kept: ReadonlySet<number>): Unit[] {
    const draft = this.#draft;
    const units: Unit[] = [];
    const isInWork = (call: ItemPosition | null): boolean =>
      call !== null && this.#worth.isInWork(draft.item(call));
    for (const group of this.#candidates(kept)) {
      const own = draft.conversation.groups[group];
      const places = own?.places ?? [];
      let base = own ? draft.frames(own) : 0;
      for (const place of places) {
        const cost = draft.cost(place);
        const isResult = draft.item(place).kind === 'result';
        if (!isResult || cost <= LEAST_SAVED || draft.isChanged(place) || !isMaskable(draft, place)) {
          base += cost;
          continue;
        }
        base += LEAST_SAVED;
        units.push({
          group,
          result: place,
          worth: this.#worth.ofResult(place),
          inWork: isInWork(draft.conversation.callOf(place)),
          cost: cost - LEAST_SAVED,
        });
      }
      const inWork = places.some((place) => draft.item(place).kind === 'call' && isInWork(place));
      units.push({ group, result: null, worth: this.#worth.ofTurn(group), inWork, cost: base });
    }
    return units.sort((a, b) => b.worth - a.worth || b.group - a.group);
  }
}
