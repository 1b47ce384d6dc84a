// What an agent works with: the files that it read or changed last, by the calls that deal with them. What no later call came
// back to leaves first, a result out of a turn as well as a whole turn.

import type { Tokens } from '../../contract/index.ts';
import type { Item } from '../codecs/message.ts';
import type { ItemPosition } from '../ledger/groups.ts';
import type { Draft } from './draft.ts';
import { argumentsOf, changes, filesOf } from './file-uses.ts';
import { outcomeOf } from './outcome.ts';
import { isMaskable, LEAST_SAVED, maskResult } from './tiers/mask.ts';

/** Of the worth of a file's newest use: a call that changes nothing, without its result. */
const CALL_WORTH = 0.5;
/** The same of words without a call, by their own age. */
const WORDS_WORTH = 0.9;
/** A file that was changed counts as used later than one that was only read, by this share of the list. */
const CHANGED_LEAD = 0.2;
/** A message of the user over this leaves as other turns do. */
const LONG_MESSAGE: Tokens = 3000;

/** Tools that keep the agent's list of steps: the newest call of one stays. */
const PLAN_TOOL = /(?:^|[_\-\s.])(?:todo|plan)|(?:Todo|Plan)(?:[A-Z]|s?$)|(?:todos?|plan)$/;

/** What stays or leaves by itself: a result, or all of a turn but its results. */
interface Unit {
  readonly group: number;
  /** Null for the turn without its results. */
  readonly result: ItemPosition | null;
  /** By the number of the group that dealt last with one of its files; below 0 for what was asked again later. */
  readonly worth: number;
  readonly cost: number;
}

/** Turns by what they are worth to the work. Made once for a batch: worth is measured on the whole list. */
export class WorkingSet<M> {
  readonly #draft: Draft<M>;
  /** The newest group that deals with a file. */
  readonly #lastUse = new Map<string, number>();
  readonly #changed = new Set<string>();
  /** The newest call with the same name and arguments. */
  readonly #lastCall = new Map<string, number>();
  /** The newest call of a tool. */
  readonly #lastOfTool = new Map<string, number>();
  readonly #worth = new Map<number, number>();

  constructor(draft: Draft<M>) {
    this.#draft = draft;
    draft.conversation.groups.forEach(({ places }, number) => {
      for (const place of places) {
        const item = draft.item(place);
        if (item.kind !== 'call') continue;
        const name = draft.nameOf(place) ?? '';
        const changed = changes(name, argumentsOf(item));
        for (const file of filesOf(item)) {
          this.#lastUse.set(file, number);
          if (changed) this.#changed.add(file);
        }
        this.#lastOfTool.set(name, number);
        this.#lastCall.set(signatureOf(item, name), number);
      }
    });
  }

  /**
   * Keeps what is worth most where the prompt is to cost `aim` tokens: `kept` groups, then turns and results by worth. Of
   * turns that stay, a line stands for each result that does not. Gives the order in which turns leave.
   */
  settle(kept: ReadonlySet<number>, aim: Tokens): number[] {
    const units = this.#units(kept);
    const stays = new Set<number>();
    const results = new Set<ItemPosition>();
    const bases = new Map(units.flatMap(({ group, result, cost }) => (result ? [] : [[group, cost]])));
    let left = aim - this.#draft.tokens;
    for (const { cost } of units) left += cost;
    for (const { group, result, cost } of units) {
      const base = stays.has(group) ? 0 : (bases.get(group) ?? 0);
      const most = result ? base + cost : base;
      if (most > left) continue;
      left -= most;
      stays.add(group);
      if (result) results.add(result);
    }
    for (const { group, result } of units)
      if (result && stays.has(group) && !results.has(result)) maskResult(this.#draft, result);
    return this.#order(kept, stays);
  }

  /** The groups that may leave, least worth first; those of `stays` after all others, short messages of the user last. */
  #order(kept: ReadonlySet<number>, stays: ReadonlySet<number>): number[] {
    const { groups } = this.#draft.conversation;
    const worth = (number: number): number => (stays.has(number) ? groups.length : 0) + this.#worthOf(number);
    const leaving = this.#candidates(kept);
    const others = new Set(leaving);
    const users = groups.flatMap(({ kind }, number) =>
      kind === 'user' && !kept.has(number) && !others.has(number) ? [number] : [],
    );
    // A turn that others lean on goes after the last of them.
    const needed = new Map<number, number>();
    for (const number of leaving) {
      const leader = groups[number]?.leader ?? null;
      if (leader !== null) needed.set(leader, Math.max(needed.get(leader) ?? 0, worth(number)));
    }
    const rank = (number: number): number => Math.max(worth(number), needed.get(number) ?? 0);
    const leads = (number: number): number => (needed.has(number) ? 1 : 0);
    return [...leaving.sort((a, b) => rank(a) - rank(b) || leads(a) - leads(b) || a - b), ...users];
  }

  #candidates(kept: ReadonlySet<number>): number[] {
    const draft = this.#draft;
    return draft.conversation.groups.flatMap((group, number) => {
      if (kept.has(number) || draft.gone.has(number)) return [];
      const isLong = group.kind === 'user' && draft.groupCost(group) > LONG_MESSAGE;
      return group.kind === 'turn' || isLong ? [number] : [];
    });
  }

  /** All that may leave, the most worth first, the newest first of equals. */
  #units(kept: ReadonlySet<number>): Unit[] {
    const draft = this.#draft;
    const units: Unit[] = [];
    for (const group of this.#candidates(kept)) {
      let base = 0;
      for (const place of draft.conversation.groups[group]?.places ?? []) {
        const cost = draft.cost(place);
        const isResult = draft.item(place).kind === 'result';
        if (!isResult || cost <= LEAST_SAVED || !isMaskable(draft, place)) {
          base += cost;
          continue;
        }
        base += LEAST_SAVED;
        units.push({ group, result: place, worth: this.#worthOfResult(place), cost: cost - LEAST_SAVED });
      }
      units.push({ group, result: null, worth: this.#worthOf(group), cost: base });
    }
    return units.sort((a, b) => b.worth - a.worth || b.group - a.group);
  }

  #worthOfResult(place: ItemPosition): number {
    const { conversation } = this.#draft;
    const call = conversation.callOf(place);
    const group = conversation.groupOf[place.message]?.[place.item] ?? 0;
    if (!call) return 0;
    const item = this.#draft.item(call);
    const isAskedAgain =
      (this.#lastCall.get(signatureOf(item, this.#draft.nameOf(call))) ?? group) > group &&
      outcomeOf(this.#draft.item(place)) !== 'failed';
    return isAskedAgain ? -1 : this.#newestUse(item);
  }

  /** Of a turn without its results. */
  #worthOf(group: number): number {
    const known = this.#worth.get(group);
    if (known !== undefined) return known;
    let worth = 0;
    let calls = 0;
    for (const place of this.#draft.conversation.groups[group]?.places ?? []) {
      const item = this.#draft.item(place);
      if (item.kind !== 'call') continue;
      calls += 1;
      const name = this.#draft.nameOf(place) ?? '';
      if (PLAN_TOOL.test(name) && this.#lastOfTool.get(name) === group) worth = Number.POSITIVE_INFINITY;
      const changed = changes(name, argumentsOf(item));
      worth = Math.max(worth, this.#newestUse(item) * (changed ? 1 : CALL_WORTH));
    }
    if (calls === 0) worth = group * WORDS_WORTH;
    this.#worth.set(group, worth);
    return worth;
  }

  #newestUse(call: Item): number {
    const lead = CHANGED_LEAD * this.#draft.conversation.groups.length;
    let newest = 0;
    for (const file of filesOf(call))
      newest = Math.max(newest, (this.#lastUse.get(file) ?? 0) + (this.#changed.has(file) ? lead : 0));
    return newest;
  }
}

const signatureOf = ({ text }: Item, name: string | null): string => `${name ?? ''}\n${text}`;
