// Tracks tool calls during a pass over a conversation: which wait for a result, and which call a result answers. Several
// calls may have one id; results answer them in their order.

import type { Item } from '../codecs/message.ts';
import { addTo } from '../grouped.ts';
import type { ItemPosition } from './groups.ts';

export interface Call {
  readonly id: string;
  readonly place: ItemPosition;
  readonly item: Item;
  readonly group: number;
  /** Index among the calls of its message that the caller's tools answer, from 0. */
  readonly at: number;
}

/** A call that has our own answer, and where that is. */
export interface Provisional {
  readonly call: Call;
  readonly place: ItemPosition;
}

/** The index and the name in the id of a result without one, `#k:name` or `#:name`. */
const UNNAMED = /^#(\d{0,9}):([\s\S]*)$/;
export const nameIn = (id: string): string | null => UNNAMED.exec(id)?.[2] ?? null;

/** Calls of one id, and the first that still waits. */
interface Queue {
  readonly calls: Call[];
  next: number;
}

export class OpenCalls {
  readonly #open = new Map<string, Queue>();
  /** Calls of the provider's own tools, which may never get a result. */
  readonly #hosted = new Map<string, Call>();
  /** Answered calls; a second result is a duplicate. */
  readonly #answered = new Map<string, Call>();
  /** Ids whose calls all have results other than our own. */
  readonly #done = new Set<string>();
  /** Our answers to interrupted calls while the real results may still arrive and replace them. */
  readonly #provisional = new Map<string, Provisional[]>();
  /** Calls of the newest message that has any, by name. */
  readonly #ordered = new Map<string, Call[]>();
  #newest = -1;
  /** How many of them the caller's tools answer. */
  #asked = 0;

  /** Calls of the caller's tools that wait for a result. */
  get waiting(): readonly Call[] {
    return [...this.#open.values()].flatMap(({ calls, next }) => calls.slice(next));
  }

  /** Calls with our own answers. */
  get provisional(): readonly Provisional[] {
    return [...this.#provisional.values()].flat();
  }

  /** Adds the item if it is a call. */
  add(item: Item, place: ItemPosition, group: number): void {
    const { callId: id } = item;
    if (item.kind !== 'call' || id === null) return;
    if (this.#newest !== place.message) {
      this.#ordered.clear();
      this.#asked = 0;
    }
    this.#newest = place.message;
    const call = { id, place, item, group, at: this.#asked };
    if (item.providerExecuted) this.#hosted.set(id, call);
    else {
      this.#asked += 1;
      const queue = this.#open.get(id);
      // A call of a later message takes the id over.
      if (queue && this.#first(id)?.place.message === place.message) queue.calls.push(call);
      else this.#open.set(id, { calls: [call], next: 0 });
    }
    this.#answered.delete(id);
    this.#done.delete(id);
    this.#provisional.delete(id);
    addTo(this.#ordered, item.toolName ?? '', call);
  }

  #first(id: string): Call | undefined {
    const queue = this.#open.get(id);
    return queue?.calls[queue.next];
  }

  /** The open call that a result with this id answers, if any. */
  find(id: string): Call | undefined {
    return this.#first(id) ?? this.#hosted.get(id) ?? this.#byOrder(id);
  }

  /**
   * Marks the call as answered by a result with `id`. `provisional`: position of the result if it is our own answer.
   */
  answer(call: Call, id: string, provisional: ItemPosition | null): void {
    const queue = this.#open.get(call.id);
    if (call.item.providerExecuted) this.#hosted.delete(call.id);
    else if (queue) {
      queue.next += 1;
      if (queue.next === queue.calls.length) this.#open.delete(call.id);
    }
    this.#answered.set(id, call);
    if (provisional) addTo(this.#provisional, id, { call, place: provisional });
    else if (!this.#open.has(call.id) && nameIn(call.id) === null) this.#done.add(call.id);
  }

  /** The call that already has a result. */
  answered(id: string): Call | undefined {
    return this.#answered.get(id);
  }

  /** Whether all calls of the id have results, so that another one belongs to none. */
  isDone(id: string): boolean {
    return this.#done.has(id);
  }

  /** A call we answered ourselves whose real result has now arrived, and the position of our answer. */
  takeBack(id: string): Provisional | null {
    const taken = this.#provisional.get(id)?.shift() ?? null;
    if (taken && nameIn(id) === null) this.#done.add(id);
    return taken;
  }

  /** Removes and returns the open calls of the caller's tools, except those that wait; our answers become final. */
  close(waits: (call: Call) => boolean = () => false): readonly Call[] {
    const lost: Call[] = [];
    const { waiting } = this;
    this.#provisional.clear();
    this.#open.clear();
    for (const call of waiting)
      if (!waits(call)) lost.push(call);
      else this.#open.set(call.id, { calls: [...(this.#open.get(call.id)?.calls ?? []), call], next: 0 });
    return lost;
  }

  /**
   * For a result without an id: the newest message's call of the same name and position, `#k:name`, or its first open call
   * of that name.
   */
  #byOrder(id: string): Call | undefined {
    const [, count, name] = UNNAMED.exec(id) ?? [];
    const alike = name === undefined ? [] : (this.#ordered.get(name) ?? []);
    const isOpen = (call: Call | undefined): boolean => call !== undefined && this.#first(call.id) === call;
    const own = count === '' ? undefined : alike[Number(count)];
    return isOpen(own) ? own : alike.find(isOpen);
  }
}
