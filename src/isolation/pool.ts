// The pool of child processes: who gets one next, when one is replaced, and which content is not tried again.

import { ReaderError, throwIfAborted } from '../contract/index.ts';
import type { Message } from './channel.ts';
import { Child, type ChildProgram } from './child.ts';
import { ChildEnded } from './ending.ts';

/** What a pool is made with. */
export interface PoolOptions {
  readonly program: ChildProgram;
  /** Children at a time. */
  readonly size: number;
  /** Callers that may wait for one; the next is refused with BUSY. */
  readonly maxQueued: number;
  /** What a child may take for one answer before it is killed. */
  readonly maxMilliseconds: number;
}

/** What a child is wanted for. */
export interface LeaseOptions {
  readonly signal: AbortSignal;
  /** Whose turn it is: callers of different names take turns, however many one of them queues. */
  readonly user: string;
  /** Names the content: what has ended two children is refused for a while. */
  readonly content: string;
}

/** A child for one piece of work. */
export interface Lease {
  send(head: object, body?: Uint8Array): Promise<void>;
  /** The next message. Only the time spent waiting here counts. @throws {ChildEnded} @throws {ReaderError} ABORTED */
  receive(): Promise<Message>;
  /** Starts the clock again: a part of the work is done. */
  restart(): void;
  /** Gives the child back. `clean` says that it waits for the next piece of work; else it is replaced. */
  release(clean: boolean): Promise<void>;
}

/** A pool at work. */
export interface Pool {
  /** @throws {ReaderError} BUSY, ABORTED, CRASHED for content that ended two children */
  lease(options: LeaseOptions): Promise<Lease>;
  readonly status: PoolStatus;
  /** Ends every child. Work under way ends with CRASHED. */
  close(): Promise<void>;
}

/** For health checks and metrics. */
export interface PoolStatus {
  readonly size: number;
  readonly idle: number;
  readonly busy: number;
  readonly queued: number;
  readonly started: number;
  readonly ended: Readonly<Record<ChildEnded['ending'], number>>;
}

/** A child is replaced after so many answers, or once it holds this much of its memory after one. */
const MAX_ANSWERS = 500;
const MAX_RESIDENT_SHARE = 0.4;
const MAX_CPU_SHARE = 0.5;
/** Content that ended this many children is refused for this long. */
const MAX_ENDINGS = 2;
const REFUSED_MS = 10 * 60 * 1000;
const MAX_REFUSED = 10_000;

interface Waiting {
  readonly options: LeaseOptions;
  resolve(): void;
  reject(error: unknown): void;
}

interface Held {
  readonly child: Child;
  answers: number;
}

/** Starts no process before the first lease. */
export function createPool(options: PoolOptions): Pool {
  return new ProcessPool(options);
}

class ProcessPool implements Pool {
  readonly #options: PoolOptions;
  readonly #idle: Held[] = [];
  readonly #busy = new Set<Held>();
  /** By user, in the order in which they get their turn. */
  readonly #queues = new Map<string, Waiting[]>();
  readonly #endings = new Map<string, { count: number; until: number }>();
  readonly #ended = { TIMED_OUT: 0, OUT_OF_MEMORY: 0, CRASHED: 0 };
  #slots = 0;
  #started = 0;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get status(): PoolStatus {
    let queued = 0;
    for (const queue of this.#queues.values()) queued += queue.length;
    return {
      size: this.#options.size,
      idle: this.#idle.length,
      busy: this.#slots,
      queued,
      started: this.#started,
      ended: { ...this.#ended },
    };
  }

  async lease(options: LeaseOptions): Promise<Lease> {
    throwIfAborted(options.signal);
    this.#refuseKnown(options.content);
    await this.#turn(options);
    try {
      throwIfAborted(options.signal);
      const held = await this.#take();
      this.#busy.add(held);
      return this.#leaseOf(held, options);
    } catch (error) {
      this.#freeSlot();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const queue of this.#queues.values()) for (const { reject } of queue) reject(closed());
    this.#queues.clear();
    const all = [...this.#idle.splice(0), ...this.#busy];
    await Promise.all(all.map(({ child }) => child.end()));
  }

  #refuseKnown(content: string): void {
    const known = this.#endings.get(content);
    if (!known || known.count < MAX_ENDINGS) return;
    if (known.until > Date.now())
      throw new ReaderError(
        'CRASHED',
        `This content ended ${known.count} processes that read it; it is refused for ${REFUSED_MS / 60_000} minutes.`,
        'Repair the file with the program that wrote it, or read another file.',
      );
    this.#endings.delete(content);
  }

  /** Resolves when a slot is this caller's. */
  #turn(options: LeaseOptions): Promise<void> {
    if (this.#closed) return Promise.reject(closed());
    if (this.#slots < this.#options.size) {
      this.#slots += 1;
      return Promise.resolve();
    }
    if (this.status.queued >= this.#options.maxQueued)
      return Promise.reject(
        new ReaderError(
          'BUSY',
          `All ${this.#options.size} processes are busy and ${this.#options.maxQueued} reads are waiting.`,
          'Try again in a few seconds.',
        ),
      );
    return new Promise((resolve, reject) => {
      const { signal, user } = options;
      const forget = (): void => {
        const left = this.#queues.get(user)?.filter((other) => other !== waiting) ?? [];
        if (left.length > 0) this.#queues.set(user, left);
        else this.#queues.delete(user);
        try {
          throwIfAborted(signal);
        } catch (error) {
          reject(error);
        }
      };
      const waiting: Waiting = {
        options,
        resolve: () => {
          signal.removeEventListener('abort', forget);
          resolve();
        },
        reject,
      };
      signal.addEventListener('abort', forget, { once: true });
      const queue = this.#queues.get(user);
      if (queue) queue.push(waiting);
      else this.#queues.set(user, [waiting]);
    });
  }

  /** Hands the slot to the next user in turn. */
  #freeSlot(): void {
    const [next] = this.#queues;
    if (!next) {
      this.#slots -= 1;
      return;
    }
    const [user, [first, ...rest]] = next;
    this.#queues.delete(user);
    if (rest.length > 0) this.#queues.set(user, rest);
    first?.resolve();
  }

  async #take(): Promise<Held> {
    for (let held = this.#idle.pop(); held; held = this.#idle.pop()) {
      if (held.child.alive) {
        held.child.idle(false);
        return held;
      }
      await held.child.end();
    }
    const child = await Child.start(this.#options.program);
    this.#started += 1;
    child.idle(false);
    return { child, answers: 0 };
  }

  #leaseOf(held: Held, { signal, content }: LeaseOptions): Lease {
    const { child } = held;
    let left = this.#options.maxMilliseconds;
    let released = false;
    const abort = (): void => void child.end();
    signal.addEventListener('abort', abort, { once: true });
    // It may have been aborted while the child was started.
    if (signal.aborted) abort();
    return {
      send: (head, body) => child.send(head, body),
      receive: async () => {
        const started = performance.now();
        try {
          return await child.receive(left);
        } catch (error) {
          throwIfAborted(signal);
          if (error instanceof ChildEnded) this.#count(content, error);
          throw error;
        } finally {
          left -= performance.now() - started;
        }
      },
      restart: () => {
        left = this.#options.maxMilliseconds;
      },
      release: async (clean) => {
        if (released) return;
        released = true;
        signal.removeEventListener('abort', abort);
        this.#busy.delete(held);
        held.answers += 1;
        if (clean && !this.#closed && child.alive && !this.#worn(held)) {
          child.idle(true);
          this.#idle.push(held);
        } else await child.end();
        this.#freeSlot();
      },
    };
  }

  #worn({ child, answers }: Held): boolean {
    if (answers >= MAX_ANSWERS) return true;
    const usage = child.usage();
    const { memoryBytes, cpuSeconds } = this.#options.program.limits;
    return (
      usage !== undefined &&
      (usage.bytes > memoryBytes * MAX_RESIDENT_SHARE || usage.cpuSeconds > cpuSeconds * MAX_CPU_SHARE)
    );
  }

  #count(content: string, { ending }: ChildEnded): void {
    this.#ended[ending] += 1;
    const count = (this.#endings.get(content)?.count ?? 0) + 1;
    this.#endings.delete(content);
    this.#endings.set(content, { count, until: Date.now() + REFUSED_MS });
    if (this.#endings.size <= MAX_REFUSED) return;
    const [oldest] = this.#endings.keys();
    if (oldest !== undefined) this.#endings.delete(oldest);
  }
}

function closed(): ReaderError {
  return new ReaderError('BUSY', 'The reader is closed.', 'Make a new reader.');
}
