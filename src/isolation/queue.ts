// The queue for processes: users take turns, however many callers one of them queues.

import { ReaderError, throwIfAborted } from '../contract/index.ts';

/** A waiting caller. */
export interface Turn {
  readonly user: string;
  readonly signal: AbortSignal;
}

interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
}

/** `size` slots, and a bounded queue for them. */
export class FairQueue {
  readonly #size: number;
  readonly #maxQueued: number;
  /** By user, in turn order. No queue is empty. */
  readonly #queues = new Map<string, Waiting[]>();
  #busy = 0;
  #queued = 0;
  #closed = false;

  constructor(size: number, maxQueued: number) {
    this.#size = size;
    this.#maxQueued = maxQueued;
  }

  /** Number of slots in use. */
  get busy(): number {
    return this.#busy;
  }

  get queued(): number {
    return this.#queued;
  }

  /**
   * Resolves when the caller has a slot. A full queue rejects the last caller of the user with the most callers, which
   * may be this one.
   * @throws {ReaderError} BUSY, ABORTED
   */
  enter({ user, signal }: Turn): Promise<void> {
    if (this.#closed) return Promise.reject(closed());
    if (this.#busy < this.#size) {
      this.#busy += 1;
      return Promise.resolve();
    }
    if (this.#queued >= this.#maxQueued && !this.#makeRoom(user)) return Promise.reject(this.#full());
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#remove(user, waiting);
        try {
          throwIfAborted(signal);
        } catch (error) {
          reject(error);
        }
      };
      const waiting: Waiting = {
        resolve: () => {
          signal.removeEventListener('abort', abort);
          resolve();
        },
        reject: (error) => {
          signal.removeEventListener('abort', abort);
          reject(error);
        },
      };
      signal.addEventListener('abort', abort, { once: true });
      const queue = this.#queues.get(user);
      if (queue) queue.push(waiting);
      else this.#queues.set(user, [waiting]);
      this.#queued += 1;
    });
  }

  /** Frees a slot for the next user in turn. */
  leave(): void {
    const [next] = this.#queues;
    const first = next?.[1][0];
    if (!next || !first) {
      this.#busy -= 1;
      return;
    }
    const [user, queue] = next;
    this.#remove(user, first);
    // To the end of the line.
    if (queue.length > 0) {
      this.#queues.delete(user);
      this.#queues.set(user, queue);
    }
    first.resolve();
  }

  /** Rejects all waiting and future callers. */
  close(): void {
    this.#closed = true;
    const all = [...this.#queues.values()].flat();
    this.#queues.clear();
    this.#queued = 0;
    for (const { reject } of all) reject(closed());
  }

  #remove(user: string, waiting: Waiting): void {
    const queue = this.#queues.get(user);
    const at = queue?.indexOf(waiting) ?? -1;
    if (!queue || at < 0) return;
    queue.splice(at, 1);
    this.#queued -= 1;
    if (queue.length === 0) this.#queues.delete(user);
  }

  #makeRoom(user: string): boolean {
    let longest: readonly [string, Waiting[]] | undefined;
    for (const entry of this.#queues) if (entry[1].length > (longest?.[1].length ?? 0)) longest = entry;
    const own = this.#queues.get(user)?.length ?? 0;
    const last = longest?.[1].at(-1);
    if (!longest || !last || longest[1].length <= own + 1) return false;
    this.#remove(longest[0], last);
    last.reject(this.#full());
    return true;
  }

  #full(): ReaderError {
    return new ReaderError(
      'BUSY',
      `All ${this.#size} reading processes are busy and ${this.#maxQueued} reads are waiting (limit \`maxQueuedReads\`).`,
      'Try again in a few seconds.',
    );
  }
}

/** The error for a closed pool. */
export function closed(): ReaderError {
  return new ReaderError('BUSY', 'The pool of reading processes is closed.', 'Create a new reader.');
}
