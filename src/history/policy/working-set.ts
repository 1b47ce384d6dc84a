// What an agent works with stays: of turns and results, those that are worth most to the work (`worth.ts`) as far as the
// prompt has room. What no later call came back to leaves first, a result out of a turn as well as a whole turn.

import type { Tokens } from '../../contract/index.ts';
import type { ItemPosition } from '../ledger/groups.ts';
import type { Draft } from './draft.ts';
import { isShownBy, longLines } from './long-lines.ts';
import type { Reason } from './reasons.ts';
import { inOrder } from './tiers/drop.ts';
import { isMaskable, LEAST_SAVED, maskResult } from './tiers/mask.ts';
import { type Valuation, Worth } from './worth.ts';

/** A message of the user over this leaves as other turns do. */
const LONG_MESSAGE: Tokens = 3000;
/** Of what a prompt is to cost. */
const MOST_OF_USERS = 0.5;

/** What stays or leaves by itself: a result, or all of a turn but its results. */
interface Unit extends Valuation {
  readonly group: number;
  /** Null for the turn without its results. */
  readonly result: ItemPosition | null;
  /** One of its files was dealt with lately. */
  readonly inWork: boolean;
  readonly cost: number;
}

/** Turns by what they are worth to the work. Made once for a batch: worth is measured on the whole list. */
export class WorkingSet<M> {
  readonly #draft: Draft<M>;
  readonly #worth: Worth<M>;
  readonly #accounts: boolean;
  /** Messages of the user that cost more leave as other turns do. */
  #longMessage = LONG_MESSAGE;

  /** `accounts` as the policy has it. */
  constructor(draft: Draft<M>, accounts: boolean) {
    this.#draft = draft;
    this.#accounts = accounts;
    this.#worth = new Worth(draft);
  }

  /**
   * Keeps what is worth most where the prompt is to cost `aim` tokens: `kept` groups, then turns and results by worth, each
   * text once. What is in work may cost `spare` tokens more. Of turns that stay, a line stands for each result that does not.
   * Gives the order in which turns leave, and the tokens over the aim.
   */
  settle(kept: ReadonlySet<number>, aim: Tokens, spare: Tokens): { order: number[]; over: Tokens } {
    this.#limitUsers(kept, aim);
    const units = this.#units(kept);
    const stays = new Set<number>();
    const results = new Set<ItemPosition>();
    const lines = this.#linesOf(kept);
    const bases = new Map(units.flatMap(({ group, result, cost }) => (result ? [] : [[group, cost]])));
    let left = aim - this.#draft.tokens;
    for (const { cost } of units) left += cost;
    for (const { group, result, cost, inWork, reason } of units) {
      this.#explain(group, result, reason);
      if (result && isShownBy(lines, this.#draft.item(result))) {
        this.#explain(group, result, { why: 'shown' });
        continue;
      }
      const base = stays.has(group) ? 0 : (bases.get(group) ?? 0);
      const most = result ? base + cost : base;
      if (most > left + (inWork ? spare : 0)) continue;
      left -= most;
      stays.add(group);
      if (!result) continue;
      results.add(result);
      for (const line of longLines(this.#draft.item(result))) lines.add(line);
    }
    for (const { group, result } of units)
      if (result && stays.has(group) && !results.has(result))
        maskResult(this.#draft, result, { accounts: this.#accounts });
    return { order: this.#order(kept, stays), over: Math.max(0, -left) };
  }

  /** What stays of a turn stays for the turn's reason, what leaves of it for its own. */
  #explain(group: number, result: ItemPosition | null, reason: Reason): void {
    if (result) this.#draft.reasons.item(result, reason);
    else this.#draft.reasons.group(group, reason, true);
  }

  /** Lines of the results of groups. */
  #linesOf(groups: ReadonlySet<number>): Set<string> {
    const lines = new Set<string>();
    for (const number of groups)
      for (const place of this.#draft.conversation.groups[number]?.places ?? []) {
        const item = this.#draft.item(place);
        if (item.kind === 'result') for (const line of longLines(item)) lines.add(line);
      }
    return lines;
  }

  /** The groups that may leave, least worth first; those of `stays` after all others, short messages of the user last. */
  #order(kept: ReadonlySet<number>, stays: ReadonlySet<number>): number[] {
    const { groups } = this.#draft.conversation;
    const worth = (number: number): number =>
      (stays.has(number) ? groups.length : 0) + this.#worth.ofTurn(number).worth;
    const leaving = this.#candidates(kept);
    const others = new Set(leaving);
    const users = groups.flatMap(({ kind }, number) =>
      kind === 'user' && !kept.has(number) && !others.has(number) ? [number] : [],
    );
    return [...inOrder(this.#draft, leaving, worth), ...users];
  }

  /** Where messages of the user alone would take most of the aim, as in a talk without tools, they leave by age as well. */
  #limitUsers(kept: ReadonlySet<number>, aim: Tokens): void {
    let cost = 0;
    this.#draft.conversation.groups.forEach((group, number) => {
      if (group.kind === 'user' && !kept.has(number)) cost += this.#draft.groupCost(group);
    });
    if (cost > MOST_OF_USERS * aim) this.#longMessage = 0;
  }

  #candidates(kept: ReadonlySet<number>): number[] {
    const draft = this.#draft;
    return draft.conversation.groups.flatMap((group, number) => {
      if (kept.has(number) || draft.gone.has(number)) return [];
      const isLong = group.kind === 'user' && draft.groupCost(group) > this.#longMessage;
      return group.kind === 'turn' || isLong ? [number] : [];
    });
  }

  /** All that may leave, the most worth first, the newest first of equals. */
  #units(kept: ReadonlySet<number>): Unit[] {
    const draft = this.#draft;
    const units: Unit[] = [];
    const isInWork = (call: ItemPosition | null): boolean =>
      call !== null && this.#worth.fileInWork(draft.item(call)) !== null;
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
          ...this.#worth.ofResult(place),
          inWork: isInWork(draft.conversation.callOf(place)),
          cost: cost - LEAST_SAVED,
        });
      }
      const inWork = places.some((place) => draft.item(place).kind === 'call' && isInWork(place));
      units.push({ group, result: null, ...this.#worth.ofTurn(group), inWork, cost: base });
    }
    return units.sort((a, b) => b.worth - a.worth || b.group - a.group);
  }
}
