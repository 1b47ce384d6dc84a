// Divides a conversation into groups that must stay or go together: an assistant response with its calls and results, a
// user message, the system prompt. Also finds what a provider would reject. Makes no decisions about size.

import { INTERRUPTED } from '../archive/placeholder.ts';
import type { ProviderRules } from '../codecs/codec.ts';
import type { Item, MessageView, OpenCall } from '../codecs/message.ts';
import { JoinedGroups } from './joined-groups.ts';
import { type LateResult, type Loose, pairedLate, type Unanswered } from './misplaced.ts';
import { type Call, OpenCalls, type Provisional } from './open-calls.ts';
import { placeKey } from './place-key.ts';

/** An item by message and index in the message, both from 0. */
export interface ItemPosition {
  readonly message: number;
  readonly item: number;
}

/**
 * - `system` instructions, and a provider's replacements for earlier parts: never removed;
 * - `user` the content of a user message other than results;
 * - `notice` a notice of ours;
 * - `turn` an assistant response, with all its calls and their results.
 */
export interface Group {
  readonly kind: 'system' | 'user' | 'notice' | 'turn';
  /** In message order. */
  readonly places: readonly ItemPosition[];
  /** Some of its calls have no results yet. */
  readonly open: boolean;
  /**
   * Number of the turn that starts the same tool loop with sealed reasoning, and must stay as long as this one: a
   * provider that requires the reasoning at the start of a loop would reject the rest. Null if there is none.
   */
  readonly leader: number | null;
}

/** Something a provider would reject. */
export type Fault =
  | {
      readonly kind: 'orphan-result' | 'duplicate-result';
      readonly at: ItemPosition;
      readonly callId: string | null;
      /** The first result of the same call; null if there is none, or it must stay as it is. */
      readonly of: ItemPosition | null;
    }
  /**
   * Calls of one response without results, the first at `at`; `after` is the last message of the response and its
   * results.
   */
  | {
      readonly kind: 'interrupted-call';
      readonly at: ItemPosition;
      readonly after: number;
      readonly calls: readonly OpenCall[];
    }
  | { readonly kind: 'empty-message' | 'reasoning-alone'; readonly message: number };

export interface Conversation {
  /** Ordered by first place. */
  readonly groups: readonly Group[];
  /** Group number of each item, by message and item; -1 for orphans. */
  readonly groupOf: readonly (readonly number[])[];
  /** Tool name of every call and result, and of media in a result. */
  readonly names: readonly (readonly (string | null)[])[];
  /** The call that the result at `place` answers. */
  callOf(place: ItemPosition): ItemPosition | null;
  readonly faults: readonly Fault[];
}

/** Results that are not next to their calls. */
export interface Misplaced {
  readonly late: readonly LateResult[];
  /** The last message of the response of a call and the results next to it. */
  endOf(call: Call): number;
  /** The call that the result at `place` answers where it is. */
  callOf(place: ItemPosition): ItemPosition | null;
}

/** State of one pass over the messages: the one place where calls and results are matched. */
class Walk {
  readonly #rules: ProviderRules;
  readonly #groupOf: number[][] = [];
  readonly #names: (string | null)[][] = [];
  readonly #groups = new JoinedGroups();
  readonly #open = new OpenCalls();
  /** Calls of the turn that wait for approval; their results come after the approval. */
  readonly #unapproved = new Set<string>();
  /** The call that each result answers. */
  readonly #calls = new Map<number, ItemPosition>();
  /** The result of each call that may be edited, by id. */
  readonly #firsts = new Map<string, ItemPosition>();
  readonly #links = new Map<string, number>();
  readonly #faults: Fault[] = [];
  /** By turn: its last message, or the last one with results next to it, and the first message with results. */
  readonly #ends = new Map<number, number>();
  readonly #resultsAt = new Map<number, number>();
  readonly #unanswered: Unanswered[] = [];
  readonly #loose: Loose[] = [];
  /** Results in a second message, where the provider wants all in one. */
  readonly #apart: LateResult[] = [];
  #turn = -1;
  /** The turn has results, so further assistant text starts a new turn. */
  #hasResults = false;

  constructor(rules: ProviderRules) {
    this.#rules = rules;
  }

  message({ role, items }: MessageView, message: number, ours: boolean): void {
    this.#groupOf.push([]);
    this.#names.push([]);
    if (role === 'system' || items.some(({ boundary }) => boundary)) {
      if (this.#rules.results !== 'anywhere') this.#close();
      const group = this.#groups.begin('system', message);
      items.forEach((item, at) => {
        this.#put({ message, item: at }, group, item.toolName);
        if (role === 'assistant') this.#open.add(item, { message, item: at }, group);
      });
      return;
    }
    if (items.length === 0 && !this.#rules.mayBeEmpty) this.#faults.push({ kind: 'empty-message', message });
    if (role === 'assistant') this.#assistant(items, message, ours);
    else this.#others(items, message, ours);
  }

  #put({ message, item }: ItemPosition, group: number, name: string | null): void {
    const [groups, names] = [this.#groupOf[message], this.#names[message]];
    if (groups) groups[item] = group;
    if (names) names[item] = name;
  }

  /** Puts an item other than a result into the group of its result, or into `otherwise`. */
  #join(item: Item, place: ItemPosition, otherwise: () => number): number {
    const { kind, callId, toolName } = item;
    const owner = kind === 'media' && callId !== null ? this.#open.answered(callId) : undefined;
    const group = owner?.group ?? otherwise();
    this.#put(place, group, toolName ?? owner?.item.toolName ?? null);
    this.#groups.seen(group, place.message);
    for (const link of item.links) {
      const other = this.#links.get(link);
      if (other === undefined) this.#links.set(link, group);
      else this.#groups.join(other, group);
    }
    return group;
  }

  #assistant(items: readonly Item[], message: number, ours: boolean): void {
    if (this.#turn < 0 || this.#hasResults || this.#rules.results === 'after') {
      this.#close();
      this.#turn = this.#groups.begin('turn', message);
      this.#hasResults = false;
    }
    this.#ends.set(this.#turn, message);
    items.forEach((item, index) => {
      const place = { message, item: index };
      if (item.kind === 'result') {
        this.#result(item, place, ours);
        return;
      }
      const group = this.#join(item, place, () => this.#turn);
      if (item.kind === 'opaque' && item.callId !== null) this.#unapproved.add(item.callId);
      this.#open.add(item, place, group);
    });
  }

  #others(items: readonly Item[], message: number, ours: boolean): void {
    let user = -1;
    const begin = (): number => {
      if (this.#rules.results !== 'anywhere') this.#close();
      if (user < 0) user = this.#groups.begin(ours ? 'notice' : 'user', message);
      this.#turn = -1;
      return user;
    };
    // Results first: the other content of a message comes after them, regardless of its position.
    items.forEach((item, index) => {
      if (item.kind === 'result') this.#result(item, { message, item: index }, ours);
    });
    items.forEach((item, index) => {
      if (item.kind === 'result') return;
      const isApproval = item.kind === 'opaque' && item.links.length > 0 && this.#turn >= 0;
      this.#join(item, { message, item: index }, isApproval ? () => this.#turn : begin);
      if (isApproval) this.#ends.set(this.#turn, message);
    });
    if (items.length === 0) this.#groups.begin(ours ? 'notice' : 'user', message);
  }

  #result(item: Item, place: ItemPosition, ours: boolean): void {
    const id = item.callId ?? '';
    const isAnswer = ours || item.text === INTERRUPTED;
    const open = this.#open.find(id);
    const taken = open || isAnswer ? null : this.#takeBack(id);
    const call = open ?? taken?.call;
    if (!call) {
      if (!isAnswer && !item.providerExecuted && !this.#open.isDone(id)) this.#loose.push({ place, id });
      const kind = this.#open.answered(id) ? 'duplicate-result' : 'orphan-result';
      const of = kind === 'duplicate-result' ? (this.#firsts.get(id) ?? null) : null;
      this.#faults.push({ kind, at: place, callId: item.callId, of });
      this.#put(place, -1, item.toolName);
      return;
    }
    if (open) this.#open.answer(call, id, isAnswer ? place : null);
    if (!item.providerExecuted) this.#locate(call, place, taken?.place ?? null, isAnswer);
    this.#calls.set(placeKey(place), call.place);
    if (item.sealed || item.providerExecuted || isAnswer) this.#firsts.delete(id);
    else this.#firsts.set(id, place);
    this.#put(place, call.group, item.toolName ?? call.item.toolName);
    // A provider's own tool may answer in a later response. Both, and everything between, become one group.
    if (this.#turn >= 0 && item.providerExecuted) this.#groups.join(call.group, this.#turn);
    this.#groups.seen(call.group, place.message);
    if (!item.providerExecuted) this.#hasResults = true;
  }

  /** Notes where the results of a turn are, and one that is apart from the others. */
  #locate(call: Call, place: ItemPosition, replaces: ItemPosition | null, isAnswer: boolean): void {
    const first = this.#resultsAt.get(call.group) ?? place.message;
    this.#resultsAt.set(call.group, first);
    if (this.#rules.results === 'next' && first !== place.message && !isAnswer)
      this.#apart.push({ from: place, call, replaces });
    else this.#ends.set(call.group, place.message);
  }

  /** The call for which we added an answer, now that its real result arrived; our answer is removed. */
  #takeBack(id: string): Provisional | null {
    const answered = this.#open.takeBack(id);
    if (!answered) return null;
    const { call, place } = answered;
    this.#calls.delete(placeKey(place));
    const groups = this.#groupOf[place.message];
    if (groups) groups[place.item] = -1;
    this.#faults.push({ kind: 'duplicate-result', at: place, callId: call.item.callId, of: null });
    return answered;
  }

  /** No later message can answer the calls that are still open. */
  #close(waits?: (call: Call) => boolean): void {
    const lost = new Map<number, { at: ItemPosition; calls: OpenCall[] }>();
    this.#unapproved.clear();
    for (const { call, place } of this.#open.provisional) this.#unanswered.push({ call, provisional: place });
    for (const call of this.#open.close(waits)) {
      this.#unanswered.push({ call, provisional: null });
      const { id: callId, item, group, place, at: among } = call;
      const root = this.#groups.root(group);
      const found = lost.get(root) ?? { at: place, calls: [] };
      const { toolName, form } = item;
      found.calls.push({ callId, toolName: toolName ?? '', at: among, ...(form && { form }) });
      lost.set(root, found);
    }
    for (const [group, { at, calls }] of lost)
      this.#faults.push({ kind: 'interrupted-call', at, after: this.#groups.last(group), calls });
  }

  misplaced(): Misplaced {
    // The calls of the newest turn may still get their results.
    const waiting = this.#open.waiting.filter(({ group }) => group !== this.#turn);
    const unanswered = [...this.#unanswered, ...waiting.map((call) => ({ call, provisional: null }))];
    return {
      late: [...this.#apart, ...pairedLate(unanswered, this.#loose)],
      endOf: ({ group }) => this.#ends.get(group) ?? 0,
      callOf: (place) => this.#calls.get(placeKey(place)) ?? null,
    };
  }

  end(views: readonly MessageView[]): Conversation {
    const last = this.#groups.newest();
    // Results of the newest response may still be pending until the first of them arrives. A list that ends before that
    // is about to be sent, except for a call that waits for the user's approval.
    const unapproved = new Set(this.#unapproved);
    this.#close(
      ({ id, group }) => unapproved.has(id) || (!this.#hasResults && this.#groups.root(group) === last),
    );
    const places = new Map<number, ItemPosition[]>();
    const numbers = new Map<number, number>();
    const groupOf = this.#groupOf.map((groups, message) =>
      groups.map((group, item) => {
        if (group < 0) return -1;
        const root = this.#groups.root(group);
        let number = numbers.get(root);
        if (number === undefined) {
          number = numbers.size;
          numbers.set(root, number);
          places.set(root, []);
        }
        places.get(root)?.push({ message, item });
        return number;
      }),
    );
    const open = new Set(this.#open.waiting.map(({ group }) => this.#groups.root(group)));
    const groups = [...places].map(([root, its]) => ({
      kind: this.#groups.kind(root),
      places: its,
      open: open.has(root),
      leader: null as number | null,
    }));
    const itemAt = ({ message, item }: ItemPosition): Item | undefined => views[message]?.items[item];
    let leader: number | null = null;
    groups.forEach((group, number) => {
      if (group.kind === 'user') leader = null;
      if (group.kind !== 'turn') return;
      const first = group.places[0] && itemAt(group.places[0]);
      if (first?.kind === 'reasoning' && first.sealed) leader = number;
      else group.leader = leader;
      const reasons = group.places.every((place) => itemAt(place)?.kind === 'reasoning');
      if (reasons && !this.#rules.reasoningAlone && number < groups.length - 1)
        for (const message of new Set(group.places.map((place) => place.message)))
          this.#faults.push({ kind: 'reasoning-alone', message });
    });
    return {
      groups,
      groupOf,
      names: this.#names,
      callOf: (place) => this.#calls.get(placeKey(place)) ?? null,
      faults: this.#faults,
    };
  }
}

/** Groups a list of messages by their views; `ours` identifies notices. Linear in the number of items. */
export function conversationOf(
  views: readonly MessageView[],
  ours: readonly boolean[],
  rules: ProviderRules,
): Conversation {
  const walk = new Walk(rules);
  views.forEach((view, index) => {
    walk.message(view, index, ours[index] ?? false);
  });
  return walk.end(views);
}

/** Finds results that are not next to their calls. Linear in the number of items. */
export function misplacedResults(views: readonly MessageView[], rules: ProviderRules): Misplaced {
  const walk = new Walk(rules);
  views.forEach((view, index) => {
    walk.message(view, index, false);
  });
  return walk.misplaced();
}
