// What an agent works with: the files that it read or changed last, by the calls that deal with them. What no later call came
// back to leaves first, a result out of a turn as well as a whole turn.

import type { Tokens } from '../../contract/index.ts';
import type { Item } from '../codecs/message.ts';
import type { ItemPosition } from '../ledger/groups.ts';
import { placeKey } from '../ledger/place-key.ts';
import type { Draft } from './draft.ts';
import { changesFile, filesOf } from './file-uses.ts';
import { isShownBy, longLines } from './long-lines.ts';
import { outcomeOf } from './outcome.ts';
import { isMaskable, LEAST_SAVED, maskResult } from './tiers/mask.ts';

/** Of the worth of a file's newest use: a call that changes nothing, without its result. */
const CALL_WORTH = 0.5;
/** The same of words without a call, by their own age. */
const WORDS_WORTH = 0.9;
/** A file that was changed counts as used later than one that was only read, by this share of the list. */
const CHANGED_LEAD = 0.2;
/** Files that the newest calls dealt with are in work: calls of this share of the prompt. */
const LATELY = 0.3;
/** A message of the user over this leaves as other turns do. */
const LONG_MESSAGE: Tokens = 3000;
/** Of what a prompt is to cost. */
const MOST_OF_USERS = 0.5;

/** Tools that keep the agent's list of steps: the newest call of one stays. */
const PLAN_TOOL = /(?:^|[_\-\s.])(?:todo|plan)|(?:Todo|Plan)(?:[A-Z]|s?$)|(?:todos?|plan)$/;

/** What stays or leaves by itself: a result, or all of a turn but its results. */
interface Unit {
  readonly group: number;
  /** Null for the turn without its results. */
  readonly result: ItemPosition | null;
  /** By the number of the group that dealt last with one of its files; below 0 for what was asked again later. */
  readonly worth: number;
  /** One of its files was dealt with lately. */
  readonly inWork: boolean;
  readonly cost: number;
}

/** Turns by what they are worth to the work. Made once for a batch: worth is measured on the whole list. */
export class WorkingSet<M> {
  readonly #draft: Draft<M>;
  /** The newest group that deals with a file. */
  readonly #lastUse = new Map<string, number>();
  readonly #changed = new Set<string>();
  /** The longest text of a file: what a read gave, or a write was given. */
  readonly #longest = new Map<string, { readonly at: number; readonly tokens: Tokens }>();
  /** The newest call with the same name and arguments. */
  readonly #lastCall = new Map<string, number>();
  /** The newest call of a tool. */
  readonly #lastOfTool = new Map<string, number>();
  readonly #worth = new Map<number, number>();
  /** Messages of the user that cost more leave as other turns do. */
  #longMessage = LONG_MESSAGE;
  /** The first group of the newest, whose files are in work. */
  readonly #lately: number;

  constructor(draft: Draft<M>) {
    this.#draft = draft;
    this.#lately = latelyIn(draft);
    draft.conversation.groups.forEach(({ places }, number) => {
      for (const place of places) {
        const item = draft.item(place);
        const call = item.kind === 'result' ? draft.conversation.callOf(place) : place;
        if (call && (item.kind === 'result' || item.kind === 'call')) this.#measure(place, draft.item(call));
        if (item.kind !== 'call') continue;
        const name = draft.nameOf(place) ?? '';
        const changed = changesFile(item, name);
        for (const file of filesOf(item)) {
          this.#lastUse.set(file, number);
          if (changed) this.#changed.add(file);
        }
        this.#lastOfTool.set(name, number);
        this.#lastCall.set(signatureOf(item, name), number);
      }
    });
  }

  #measure(place: ItemPosition, call: Item): void {
    const tokens = this.#draft.cost(place);
    for (const file of filesOf(call))
      if (tokens >= (this.#longest.get(file)?.tokens ?? 0))
        this.#longest.set(file, { at: placeKey(place), tokens });
  }

  /** The longest text of a file that is being changed: what later edits are made on. */
  #isBase(place: ItemPosition, call: Item): boolean {
    for (const file of filesOf(call))
      if (this.#changed.has(file) && this.#isLate(file) && this.#longest.get(file)?.at === placeKey(place))
        return true;
    return false;
  }

  #isLate(file: string): boolean {
    return (this.#lastUse.get(file) ?? -1) >= this.#lately;
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
    for (const { group, result, cost, inWork } of units) {
      if (result && isShownBy(lines, this.#draft.item(result))) continue;
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
      if (result && stays.has(group) && !results.has(result)) maskResult(this.#draft, result);
    return { order: this.#order(kept, stays), over: Math.max(0, -left) };
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
      call !== null && [...filesOf(draft.item(call))].some((file) => this.#isLate(file));
    for (const group of this.#candidates(kept)) {
      const own = draft.conversation.groups[group];
      const places = own?.places ?? [];
      let base = own ? draft.frames(own) : 0;
      for (const place of places) {
        const cost = draft.cost(place);
        const isResult = draft.item(place).kind === 'result';
        if (!isResult || cost <= LEAST_SAVED || !isMaskable(draft, place)) {
          base += cost;
          continue;
        }
        base += LEAST_SAVED;
        units.push({
          group,
          result: place,
          worth: this.#worthOfResult(place),
          inWork: isInWork(draft.conversation.callOf(place)),
          cost: cost - LEAST_SAVED,
        });
      }
      const inWork = places.some((place) => draft.item(place).kind === 'call' && isInWork(place));
      units.push({ group, result: null, worth: this.#worthOf(group), inWork, cost: base });
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
    if (isAskedAgain) return -1;
    return this.#isBase(place, item) ? this.#baseWorth : this.#newestUse(item);
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
      const changed = changesFile(item, name);
      const used = this.#newestUse(item) * (changed ? 1 : CALL_WORTH);
      worth = Math.max(worth, this.#isBase(place, item) ? this.#baseWorth : used);
    }
    if (calls === 0) worth = group * WORDS_WORTH;
    this.#worth.set(group, worth);
    return worth;
  }

  /** More than any use is worth. */
  get #baseWorth(): number {
    return 2 * this.#draft.conversation.groups.length;
  }

  #newestUse(call: Item): number {
    const lead = CHANGED_LEAD * this.#draft.conversation.groups.length;
    let newest = 0;
    for (const file of filesOf(call))
      newest = Math.max(newest, (this.#lastUse.get(file) ?? 0) + (this.#changed.has(file) ? lead : 0));
    return newest;
  }
}

/** The first of the newest groups that cost a share of the prompt together. */
function latelyIn<M>(draft: Draft<M>): number {
  const { groups } = draft.conversation;
  let number = groups.length;
  for (let left = LATELY * draft.tokens; number > 0 && left > 0; ) {
    number -= 1;
    const group = groups[number];
    if (group) left -= draft.groupCost(group);
  }
  return number;
}

const signatureOf = ({ text }: Item, name: string | null): string => `${name ?? ''}\n${text}`;
