// Finds tool results that are not next to their calls, and the call that each answers: by its id, or by name and order
// in formats whose results may have none. Moves nothing.

import { INTERRUPTED } from '../archive/placeholder.ts';
import type { ProviderRules } from '../codecs/codec.ts';
import type { Item, MessageView } from '../codecs/message.ts';
import { grouped } from '../grouped.ts';
import { CallQueues } from './call-queues.ts';
import type { ItemPosition } from './groups.ts';
import { placeKey } from './place-key.ts';

/** A response with calls; `end` is its last message, or the last one with results next to it. */
interface Turn {
  end: number;
  /** The first message with results. */
  results: number | null;
}

interface AskedCall {
  readonly callId: string;
  readonly name: string;
  readonly turn: Turn;
  /** Number among all calls of the list. */
  readonly order: number;
  /** Our own answer, which a result replaces. */
  provisional: ItemPosition | null;
}

/** A result to move to the end of the turn of its call. */
export interface LateResult {
  readonly from: ItemPosition;
  readonly call: AskedCall;
}

export interface Misplaced {
  readonly late: readonly LateResult[];
  /** Our own answers to calls whose results came late. */
  readonly replaced: readonly ItemPosition[];
  /** Number of the call that the result at `place` answers, for sorting; results without a call come last. */
  orderOf(place: ItemPosition): number;
}

/** A result whose call is not open, and the number of calls before it. */
interface Loose {
  readonly place: ItemPosition;
  readonly id: string;
  readonly calls: number;
}

/** The name in the id of a result without one, `#k:name` or `#:name`. */
const nameIn = (id: string): string | null => /^#\d{0,9}:([\s\S]*)$/.exec(id)?.[1] ?? null;

/** Whether the item is part of a result, or of an approval, which comes before one. */
function belongs({ kind, callId, links }: Item): boolean {
  return (
    kind === 'result' || (kind === 'media' && callId !== null) || (kind === 'opaque' && links.length > 0)
  );
}

/** One pass over the list. */
class Search {
  readonly #rules: ProviderRules;
  /** All results of a turn must be in one message. */
  readonly #inOne: boolean;
  /** Calls of the current turn without results. */
  readonly #open = new CallQueues<AskedCall>();
  /** Calls of earlier turns without results. */
  readonly #unanswered: AskedCall[] = [];
  /** Ids of answered calls, and of calls that the provider answers. */
  readonly #answered = new Set<string>();
  readonly #loose: Loose[] = [];
  readonly #late: LateResult[] = [];
  readonly #orders = new Map<number, number>();
  #turn: Turn | null = null;
  #calls = 0;

  constructor(rules: ProviderRules) {
    this.#rules = rules;
    this.#inOne = rules.results === 'next';
  }

  message({ role, items }: MessageView, at: number): void {
    const apart = role === 'system' || items.some(({ boundary }) => boundary);
    if (role === 'assistant') {
      if (apart || this.#turn?.results !== null || this.#rules.results === 'after') this.#close();
      this.#turn ??= { end: at, results: null };
      this.#turn.end = at;
      for (const item of items) this.#ask(item, this.#turn);
      return;
    }
    items.forEach((item, index) => {
      if (item.kind === 'result') this.#result(item, { message: at, item: index });
    });
    if (!apart && items.every(belongs)) {
      const isFull = this.#inOne && this.#turn?.results !== null;
      if (this.#turn && items.length > 0 && !isFull) this.#turn.end = at;
      return;
    }
    // The next response ends the turn.
    if (this.#rules.results === 'anywhere') this.#turn = null;
    else this.#close();
  }

  #ask({ kind, callId, toolName, providerExecuted }: Item, turn: Turn): void {
    if (kind !== 'call' || callId === null) return;
    if (providerExecuted) {
      this.#answered.add(callId);
      return;
    }
    this.#answered.delete(callId);
    this.#open.add(callId, {
      callId,
      name: toolName ?? '',
      turn,
      order: this.#calls,
      provisional: null,
    });
    this.#calls += 1;
  }

  #result({ callId, text }: Item, place: ItemPosition): void {
    const id = callId ?? '';
    const call = this.#open.first(id) ?? this.#named(id);
    if (call) {
      const { turn } = call;
      turn.results ??= place.message;
      if (this.#inOne && turn.results !== place.message && text !== INTERRUPTED) {
        this.#late.push({ from: place, call });
        this.#answer(call);
        return;
      }
      this.#orders.set(placeKey(place), call.order);
      turn.end = place.message;
      if (text === INTERRUPTED) call.provisional = place;
      else this.#answer(call);
    } else if (text !== INTERRUPTED && !this.#answered.has(id))
      this.#loose.push({ place, id, calls: this.#calls });
  }

  /** The first open call of that name, for a result without an id. */
  #named(id: string): AskedCall | undefined {
    const name = nameIn(id);
    if (name === null) return undefined;
    for (const call of this.#open.firsts()) if (call.name === name) return call;
    return undefined;
  }

  #answer(call: AskedCall): void {
    const { callId } = call;
    if (!this.#open.take(callId) && nameIn(callId) === null) this.#answered.add(callId);
  }

  /** Later results of the open calls are late. */
  #close(): void {
    this.#turn = null;
    for (const call of this.#open.all()) this.#unanswered.push(call);
    this.#open.clear();
  }

  end(): Misplaced {
    // The calls of the newest turn may still get their results.
    for (const call of this.#open.all()) if (call.turn !== this.#turn) this.#unanswered.push(call);
    const byId = grouped(this.#unanswered, ({ callId }) => callId);
    for (const [id, results] of grouped(this.#loose, (one) => one.id))
      if (nameIn(id) === null) this.#matchId(results, byId.get(id) ?? []);
    const taken = new Set(this.#late.map(({ call }) => call));
    const byName = grouped(
      this.#unanswered.filter((call) => !taken.has(call)),
      ({ name }) => name,
    );
    const unnamed = this.#loose.filter(({ id }) => nameIn(id) !== null);
    for (const [name, results] of grouped(unnamed, ({ id }) => nameIn(id) ?? ''))
      this.#matchName(results, byName.get(name) ?? []);
    return {
      late: this.#late,
      replaced: this.#late.flatMap(({ call }) => call.provisional ?? []),
      orderOf: (place) => this.#orders.get(placeKey(place)) ?? Number.POSITIVE_INFINITY,
    };
  }

  /**
   * Each result belongs to the newest turn before it with a call of its id; without one, to the first behind it. Results
   * of one turn are in call order.
   */
  #matchId(results: readonly Loose[], calls: readonly AskedCall[]): void {
    const coming = calls.toReversed();
    const before: AskedCall[] = [];
    const matched: { readonly from: ItemPosition; readonly call: AskedCall }[] = [];
    for (const { place, calls: asked } of results) {
      for (let next = coming.at(-1); next && next.order < asked; next = coming.at(-1)) {
        before.push(next);
        coming.pop();
      }
      const call = before.pop() ?? coming.pop();
      if (call) matched.push({ from: place, call });
    }
    for (const own of grouped(matched, ({ call }) => call.turn).values()) {
      const due = own.map(({ call }) => call).sort((a, b) => b.order - a.order);
      for (const { from } of own) {
        const call = due.pop();
        if (call) this.#late.push({ from, call });
      }
    }
  }

  /** The newest result belongs to the newest turn before it, and so on; results of one turn are in call order. */
  #matchName(results: readonly Loose[], calls: readonly AskedCall[]): void {
    const left = [...calls];
    const matched: { readonly from: ItemPosition; readonly turn: Turn }[] = [];
    for (const { place, calls: asked } of results.toReversed()) {
      while ((left.at(-1)?.order ?? -1) >= asked) left.pop();
      const call = left.pop();
      if (call) matched.push({ from: place, turn: call.turn });
    }
    const due = grouped(calls.toReversed(), ({ turn }) => turn);
    for (const { from, turn } of matched.toReversed()) {
      const call = due.get(turn)?.pop();
      if (call) this.#late.push({ from, call });
    }
  }
}

/** Linear in the number of items. */
export function misplacedResults(views: readonly MessageView[], rules: ProviderRules): Misplaced {
  const search = new Search(rules);
  views.forEach((view, at) => {
    search.message(view, at);
  });
  return search.end();
}
