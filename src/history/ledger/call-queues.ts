// Calls that wait for results, by id. Several may have one id; results answer them in their order.

interface Queue<C> {
  readonly calls: C[];
  /** The first that still waits. */
  next: number;
}

export class CallQueues<C> {
  readonly #queues = new Map<string, Queue<C>>();

  add(id: string, call: C): void {
    const queue = this.#queues.get(id);
    if (queue) queue.calls.push(call);
    else this.#queues.set(id, { calls: [call], next: 0 });
  }

  /** The call that the next result with this id answers. */
  first(id: string): C | undefined {
    const queue = this.#queues.get(id);
    return queue?.calls[queue.next];
  }

  /** Removes the first call of the id; returns whether another one waits. */
  take(id: string): boolean {
    const queue = this.#queues.get(id);
    if (!queue) return false;
    queue.next += 1;
    if (queue.next < queue.calls.length) return true;
    this.#queues.delete(id);
    return false;
  }

  /** Forgets all calls of the id. */
  delete(id: string): void {
    this.#queues.delete(id);
  }

  clear(): void {
    this.#queues.clear();
  }

  /** The first call of each id. */
  *firsts(): Generator<C> {
    for (const { calls, next } of this.#queues.values()) {
      const call = calls[next];
      if (call !== undefined) yield call;
    }
  }

  *all(): Generator<C> {
    for (const { calls, next } of this.#queues.values())
      for (let at = next; at < calls.length; at += 1) {
        const call = calls[at];
        if (call !== undefined) yield call;
      }
  }
}
