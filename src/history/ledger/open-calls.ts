// Tracks tool calls during a pass over a conversation: which wait for a result, and which call a result answers.

import type { Item } from '../codecs/message.ts';
import { addTo } from '../grouped.ts';
import type { ItemPosition } from './groups.ts';

export interface Call {
  readonly place: ItemPosition;
  readonly item: Item;
  readonly group: number;
  /** Index among the calls of its message that the caller's tools answer, from 0. */
  readonly at: number;
}

/** Calls of one message with the same id, which results answer in their order; those from `next` on are open. */
interface Alike {
  readonly calls: Call[];
  next: number;
}

export class OpenCalls {
  readonly #open = new Map<string, Alike>();
  /** Answered calls; a second result is a duplicate. */
  readonly #answered = new Map<string, Call>();
  /** Position of our answer to an interrupted call while the real result may still arrive and replace it. */
  readonly #provisional = new Map<string, ItemPosition>();
  /** Calls of the newest message that has any, by name. */
  readonly #ordered = new Map<string, Call[]>();
  #newest = -1;
  /** How many of them the caller's tools answer. */
  #asked = 0;

  /** Calls that wait for a result. */
  get waiting(): readonly Call[] {
    return [...this.#open.values()].flatMap(({ calls, next }) => calls.slice(next));
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
    if (!item.providerExecuted) this.#asked += 1;
    const alike = this.#open.get(item.callId);
    if (alike?.calls[0]?.place.message === place.message) alike.calls.push(call);
    else this.#open.set(item.callId, { calls: [call], next: 0 });
    this.#answered.delete(item.callId);
    this.#provisional.delete(item.callId);
    addTo(this.#ordered, item.toolName ?? '', call);
  }

  /** The open call that a result with this id answers, if any. */
  find(id: string): Call | undefined {
    return this.#first(id) ?? this.#byOrder(id);
  }

  /**
   * Marks the call as answered by a result with `id`. `provisional`: position of the result if it is our own answer.
   */
  answer(call: Call, id: string, provisional: ItemPosition | null): void {
    const own = call.item.callId ?? id;
    const alike = this.#open.get(own);
    if (alike) {
      alike.next += 1;
      if (alike.next === alike.calls.length) this.#open.delete(own);
    }
    this.#answered.set(id, call);
    if (provisional) this.#provisional.set(id, provisional);
  }

  /** The call that already has a result. */
  answered(id: string): Call | undefined {
    return this.#answered.get(id);
  }

  /** A call we answered ourselves whose real result has now arrived, and the position of our answer. */
  takeBack(id: string): { readonly call: Call; readonly place: ItemPosition } | null {
    const place = this.#provisional.get(id);
    const call = this.#answered.get(id);
    if (!place || !call) return null;
    this.#provisional.delete(id);
    return { call, place };
  }

  /** Removes and returns the open calls of the caller's tools, except those that wait; our answers become final. */
  close(waits: (id: string, call: Call) => boolean = () => false): [id: string, call: Call][] {
    this.#provisional.clear();
    const lost: [id: string, call: Call][] = [];
    for (const [id, { calls, next }] of this.#open) {
      const left: Call[] = [];
      for (const call of calls.slice(next))
        if (call.item.providerExecuted || waits(id, call)) left.push(call);
        else lost.push([id, call]);
      if (left.length > 0) this.#open.set(id, { calls: left, next: 0 });
      else this.#open.delete(id);
    }
    return lost;
  }

  #first(id: string): Call | undefined {
    const alike = this.#open.get(id);
    return alike?.calls[alike.next];
  }

  /**
   * For a result without an id: the newest message's call of the same name and position, `#k:name`, or its first open call
   * of that name, `#:name`.
   */
  #byOrder(id: string): Call | undefined {
    const [, count, name] = /^#(\d{0,9}):([\s\S]*)$/.exec(id) ?? [];
    const alike = name === undefined ? [] : (this.#ordered.get(name) ?? []);
    const isOpen = (call: Call | undefined): boolean =>
      call !== undefined && this.#first(call.item.callId ?? '') === call;
    const call = count === '' ? alike.find(isOpen) : alike[Number(count)];
    return isOpen(call) ? call : undefined;
  }
}
