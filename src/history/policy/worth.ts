// Measures the worth of calls and results: which files they deal with, and whether later calls dealt with those.
// Computed once per batch on the whole list. Does not choose what is removed.

import type { Tokens } from '../../contract/index.ts';
import type { Item } from '../codecs/message.ts';
import type { ItemPosition } from '../ledger/groups.ts';
import { placeKey } from '../ledger/place-key.ts';
import type { Draft } from './draft.ts';
import { changesFile, filesOf } from './file-uses.ts';

/** Worth of a read-only call without its result, relative to the newest use of its file. */
const CALL_WORTH = 0.5;
/** A changed file counts as used later than a file that was only read, by this share of the list. */
const CHANGED_LEAD = 0.2;
/** Files used by the newest calls, up to this share of the prompt, are in work. */
const LATELY = 0.3;

export class Worth<M> {
  readonly #draft: Draft<M>;
  /** The newest group that deals with a file. */
  readonly #lastUse = new Map<string, number>();
  readonly #changed = new Set<string>();
  /** The longest text of a file, from a read or a write. */
  readonly #longest = new Map<string, { readonly at: number; readonly tokens: Tokens }>();
  readonly #turns = new Map<number, number>();
  /** The first of the newest groups, whose files are in work. */
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
      }
    });
  }

  #measure(place: ItemPosition, call: Item): void {
    const tokens = this.#draft.cost(place);
    for (const file of filesOf(call))
      if (tokens >= (this.#longest.get(file)?.tokens ?? 0))
        this.#longest.set(file, { at: placeKey(place), tokens });
  }

  ofResult(place: ItemPosition): number {
    const call = this.#draft.conversation.callOf(place);
    return call ? this.#ofUse(place, this.#draft.item(call), 1) : 0;
  }

  /** Worth of a turn without its results. */
  ofTurn(group: number): number {
    const known = this.#turns.get(group);
    if (known !== undefined) return known;
    let most: number | null = null;
    for (const place of this.#draft.conversation.groups[group]?.places ?? []) {
      const item = this.#draft.item(place);
      if (item.kind !== 'call') continue;
      most = Math.max(most ?? 0, this.#ofCall(place, item));
    }
    most ??= group;
    this.#turns.set(group, most);
    return most;
  }

  #ofCall(place: ItemPosition, item: Item): number {
    const share = changesFile(item, this.#draft.nameOf(place) ?? '') ? 1 : CALL_WORTH;
    return this.#ofUse(place, item, share);
  }

  /** Worth by the newest use of its files; highest for the text that later edits are based on. */
  #ofUse(place: ItemPosition, call: Item, share: number): number {
    const count = this.#draft.conversation.groups.length;
    let newest = 0;
    for (const file of filesOf(call)) {
      if (this.#isBaseOf(file, place)) return 2 * count;
      const use = this.#lastUse.get(file) ?? 0;
      newest = Math.max(newest, use + (this.#changed.has(file) ? CHANGED_LEAD * count : 0));
    }
    return newest * share;
  }

  /** Whether this is the longest text of a file being changed, which later edits are based on. */
  #isBaseOf(file: string, place: ItemPosition): boolean {
    return this.#changed.has(file) && this.#isLate(file) && this.#longest.get(file)?.at === placeKey(place);
  }

  #isLate(file: string): boolean {
    return (this.#lastUse.get(file) ?? -1) >= this.#lately;
  }

  /** Whether the call deals with a file in work. */
  isInWork(call: Item): boolean {
    return [...filesOf(call)].some((file) => this.#isLate(file));
  }
}

/** The first of the newest groups that together cost a share of the prompt. */
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
