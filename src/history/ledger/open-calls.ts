// Tracks tool calls during a pass over a conversation: which wait for a result, and which call a result answers.

import type { Item } from '../codecs/message.ts';
import { addTo } from '../grouped.ts';
import { CallQueues } from './call-queues.ts';
import type { ItemPosition } from './groups.ts';

export interface Call {
  readonly place: ItemPosition;
  readonly item: Item;
  readonly group: number;
  /** Index among the calls of its message that the caller's tools answer, from 0. */
  readonly at: number;
}

export class OpenCalls {
  readonly #open = new CallQueues<Call>();
  /** Calls of the provider's own tools, which may never get a result. */
  readonly #hosted = new Map<string, Call>();
  /** Answered calls; a second result is a duplicate. */
  readonly #answered = new Map<string, Call>();
  /** Our answers to interrupted calls while the real results may still arrive and replace them. */
  readonly #provisional = new Map<string, { readonly call: Call; readonly place: ItemPosition }[]>();
  /** Calls of the newest message that has any, by name. */
  readonly #ordered = new Map<string, Call[]>();
  #newest = -1;
  /** How many of them the caller's tools answer. */
  #asked = 0;

  /** Calls of the caller's tools that wait for a result. */
  get waiting(): readonly Call[] {
    return [...this.#open.all()];
  }

  /** Adds the item if it is a call. */
  add(item: Item, place: ItemPosition, group: number): void {
    if (item.kind !== 'call' || item.callId === null) return;
    if (this.#newest !== place.message) {
      this.#ordered.clear();
      this.#asked = 0;
    }
    this.#newest = place.message;
    const call = { place, item, group, at: this.#asked };
    if (item.providerExecuted) this.#hosted.set(item.callId, call);
    else {
      this.#asked += 1;
      // A call of a later message takes the id over.
      if (this.#open.first(item.callId)?.place.message !== place.message) this.#open.delete(item.callId);
      this.#open.add(item.callId, call);
    }
    this.#answered.delete(item.callId);
    this.#provisional.delete(item.callId);
    addTo(this.#ordered, item.toolName ?? '', call);
  }

  /** The open call that a result with this id answers, if any. */
  find(id: string): Call | undefined {
    return this.#open.first(id) ?? this.#hosted.get(id) ?? this.#byOrder(id);
  }

  /**
   * Marks the call as answered by a result with `id`. `provisional`: position of the result if it is our own answer.
   */
  answer(call: Call, id: string, provisional: ItemPosition | null): void {
    const own = call.item.callId ?? id;
    if (call.item.providerExecuted) this.#hosted.delete(own);
    else this.#open.take(own);
    this.#answered.set(id, call);
    if (provisional) addTo(this.#provisional, id, { call, place: provisional });
  }

  /** The call that already has a result. */
  answered(id: string): Call | undefined {
    return this.#answered.get(id);
  }

  /** A call we answered ourselves whose real result has now arrived, and the position of our answer. */
  takeBack(id: string): { readonly call: Call; readonly place: ItemPosition } | null {
    return this.#provisional.get(id)?.shift() ?? null;
  }

  /** Removes and returns the open calls of the caller's tools, except those that wait; our answers become final. */
  close(waits: (id: string, call: Call) => boolean = () => false): [id: string, call: Call][] {
    this.#provisional.clear();
    const lost: [id: string, call: Call][] = [];
    const left: [id: string, call: Call][] = [];
    for (const call of this.#open.all()) {
      const id = call.item.callId ?? '';
      (waits(id, call) ? left : lost).push([id, call]);
    }
    this.#open.clear();
    for (const [id, call] of left) this.#open.add(id, call);
    return lost;
  }

  /**
   * For a result without an id: the newest message's call of the same name and position, `#k:name`, or its first open call
   * of that name, `#:name`.
   */
  #byOrder(id: string): Call | undefined {
    const [, count, name] = /^#(\d{0,9}):([\s\S]*)$/.exec(id) ?? [];
    const alike = name === undefined ? [] : (this.#ordered.get(name) ?? []);
    const isOpen = (call: Call | undefined): boolean =>
      call !== undefined && this.#open.first(call.item.callId ?? '') === call;
    const call = count === '' ? alike.find(isOpen) : alike[Number(count)];
    return isOpen(call) ? call : undefined;
  }
}
