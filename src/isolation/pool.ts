// The pool of child processes: assigns them, replaces them, and refuses content that kills them.

import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { BoundedMap, throwIfAborted } from '../contract/index.ts';
import type { Message } from './channel.ts';
import { Child, type ChildProgram, FOLDER_PREFIX } from './child.ts';
import { type Confinement, confinement } from './confinement.ts';
import type { Ending } from './ending.ts';
import { removeAbandoned } from './owned-folder.ts';
import { closed, FairQueue } from './queue.ts';
import { Refusals } from './refusals.ts';

/** Options of a pool. */
export interface PoolOptions {
  readonly program: ChildProgram;
  /** Number of children working at a time; one more may stand by. */
  readonly size: number;
  /** Callers that may wait; further ones are rejected with BUSY. */
  readonly maxQueued: number;
  /** Time a child may take for one answer before it is killed. */
  readonly maxMilliseconds: number;
  /** The message that tells a new child to preload these families; it is not answered. */
  prepare?(families: readonly string[]): object;
}

/** What a child is leased for. */
export interface LeaseOptions {
  readonly signal: AbortSignal;
  /**
   * Users take turns, however many callers one of them queues, and learn nothing of each other's content: neither that
   * it is refused nor what a child keeps of it.
   */
  readonly user: string;
  /** Identifies the content: content that has killed two children of this user is refused for a while. */
  readonly content: string;
  /** Identifies the code the child will load; a child that has already loaded it is preferred. */
  readonly family: string;
  /** Instead of the time of the pool. */
  readonly maxMilliseconds?: number;
  /**
   * Open files the child inherits, from descriptor 4 on: keep them open until `lease` answers. Such a child is started for
   * this lease and ends with it.
   */
  readonly files?: readonly FileHandle[];
}

/** A child leased for one piece of work. */
export interface Lease {
  send(head: object, body?: Uint8Array): Promise<void>;
  /** The next message. @throws {ChildEnded} @throws {ReaderError} ABORTED, BUSY when no child could be started */
  receive(): Promise<Message>;
  /** Adds time this process spent on the child's behalf to that of `send` and `receive`. */
  charge(milliseconds: number): void;
  /** Restarts the timeout after a part of the work is done. */
  restart(): void;
  /** Records how the child ended; `blamed` means that the content caused it, unless it was killed from outside. */
  report(ending: Ending, blamed: boolean): void;
  /** Returns the child. `clean` means it is ready for the next piece of work; otherwise it is replaced. */
  release(clean: boolean): Promise<void>;
}

/** A running pool. */
export interface Pool {
  /** @throws {ReaderError} BUSY, ABORTED, CRASHED for content that killed two children of this user */
  lease(options: LeaseOptions): Promise<Lease>;
  readonly status: PoolStatus;
  /** Ends every child. Running work ends with CRASHED. */
  close(): Promise<void>;
}

/** For health checks and metrics. */
export interface PoolStatus {
  /** Number of children working at a time. */
  readonly size: number;
  readonly idle: number;
  readonly busy: number;
  /** Waiting callers. */
  readonly queued: number;
  /** Children started since the pool was created. */
  readonly started: number;
  /** Reads that ended a child since the pool was created, by how it ended. */
  readonly ended: Readonly<Record<Ending, number>>;
  /** Whether children can reach a network; `unknown` before the first one. */
  readonly network: Confinement['network'] | 'unknown';
}

/** A child is replaced after this many answers, or if it holds this share of its memory after one. */
const MAX_ANSWERS = 500;
const MAX_RESIDENT_SHARE = 0.4;
const MAX_CPU_SHARE = 0.5;
/** Number of most recent families a stand-by child is prepared for. */
const MAX_PREPARED = 8;

interface Held {
  readonly child: Child;
  readonly families: Set<string>;
  answers: number;
}

/** Starts no process before the first lease. */
export function createPool(options: PoolOptions): Pool {
  return new ProcessPool(options);
}

class ProcessPool implements Pool {
  readonly #options: PoolOptions;
  readonly #queue: FairQueue;
  readonly #refusals = new Refusals();
  readonly #idle: Held[] = [];
  readonly #busy = new Set<Held>();
  /** Requested families, most recent last. */
  readonly #families = new BoundedMap<string, true>({ most: MAX_PREPARED });
  readonly #ended = { TIMED_OUT: 0, OUT_OF_MEMORY: 0, CRASHED: 0, KILLED: 0 };
  readonly #starting = new Set<Promise<Held>>();
  #sweep: Promise<void> | undefined;
  #standingBy = false;
  #network: PoolStatus['network'] = 'unknown';
  #started = 0;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#queue = new FairQueue(options.size, options.maxQueued);
  }

  get status(): PoolStatus {
    return {
      size: this.#options.size,
      idle: this.#idle.length,
      busy: this.#queue.busy,
      queued: this.#queue.queued,
      started: this.#started,
      ended: { ...this.#ended },
      network: this.#network,
    };
  }

  async lease(options: LeaseOptions): Promise<Lease> {
    throwIfAborted(options.signal);
    this.#refusals.check(options);
    await this.#queue.enter(options);
    try {
      throwIfAborted(options.signal);
      // It may have become known during the wait.
      this.#refusals.check(options);
      const held = await this.#take(options);
      this.#busy.add(held);
      return this.#leaseOf(held, options);
    } catch (error) {
      this.#queue.leave();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.close();
    await Promise.allSettled(this.#starting);
    const all = [...this.#idle.splice(0), ...this.#busy];
    await Promise.all(all.map(({ child }) => child.end()));
    await this.#sweep;
  }

  /** An idle child, preferring one that knows the family, or a new one. */
  async #take({ family, files }: LeaseOptions): Promise<Held> {
    if (files) {
      const own = await this.#start(files);
      own.child.idle(false);
      return own;
    }
    this.#families.set(family, true);
    let held = await this.#waiting(family);
    if (held) this.#standBy();
    else held = await this.#start();
    held.child.idle(false);
    held.families.add(family);
    return held;
  }

  async #waiting(family: string): Promise<Held | undefined> {
    while (this.#idle.length > 0) {
      const known = this.#idle.findLastIndex(({ families }) => families.has(family));
      const [held] = this.#idle.splice(known, 1);
      if (held?.child.alive) return held;
      await held?.child.end();
    }
    return undefined;
  }

  #start(files?: readonly FileHandle[]): Promise<Held> {
    const start = async (): Promise<Held> => {
      const { wrapper, network } = await confinement();
      this.#network = network;
      const child = await Child.start(this.#options.program, wrapper, files);
      this.#started += 1;
      // Look for leftovers while the first child starts, without making callers wait.
      this.#sweep ??= removeAbandoned(tmpdir(), FOLDER_PREFIX).catch(() => undefined);
      if (!this.#closed) return { child, families: new Set(), answers: 0 };
      await child.end();
      throw closed();
    };
    const started = start().finally(() => this.#starting.delete(started));
    this.#starting.add(started);
    return started;
  }

  /** Keeps one child ready while the pool is in use, so that nobody waits when another is replaced. */
  #standBy(): void {
    if (this.#standingBy || this.#closed || this.#idle.length > 0) return;
    this.#standingBy = true;
    const ready = (held: Held): void => {
      const families = [...this.#families.keys()];
      if (this.#options.prepare)
        void held.child.send(this.#options.prepare(families), this.#options.maxMilliseconds);
      for (const family of families) held.families.add(family);
      this.#idle.push(held);
    };
    void this.#start()
      // The next lease starts one itself and reports the error.
      .then(ready, () => undefined)
      .finally(() => {
        this.#standingBy = false;
      });
  }

  #leaseOf(held: Held, options: LeaseOptions): Lease {
    const { signal, files, maxMilliseconds = this.#options.maxMilliseconds } = options;
    const { child } = held;
    let left = maxMilliseconds;
    let released = false;
    const timed = async <T>(work: () => Promise<T>): Promise<T> => {
      const started = performance.now();
      try {
        return await work();
      } catch (error) {
        throwIfAborted(signal);
        throw error;
      } finally {
        left -= performance.now() - started;
      }
    };
    const abort = (): void => void child.end();
    signal.addEventListener('abort', abort, { once: true });
    // It may have been aborted while the child was starting.
    if (signal.aborted) abort();
    return {
      send: (head, body) => timed(() => child.send(head, left, body)),
      receive: () => timed(() => child.receive(left)),
      charge: (milliseconds) => {
        left -= milliseconds;
      },
      restart: () => {
        left = maxMilliseconds;
      },
      report: (ending, blamed) => {
        this.#ended[ending] += 1;
        if (blamed && ending !== 'KILLED') this.#refusals.add(options);
      },
      release: async (clean) => {
        if (released) return;
        released = true;
        signal.removeEventListener('abort', abort);
        this.#busy.delete(held);
        held.answers += 1;
        if (clean && !files && !this.#closed && child.alive && !this.#isWorn(held)) {
          child.idle(true);
          this.#idle.push(held);
        } else await child.end();
        this.#queue.leave();
      },
    };
  }

  #isWorn({ child, answers }: Held): boolean {
    // The stand-by child was one more than there is room for.
    if (answers >= MAX_ANSWERS || this.#idle.length + this.#busy.size >= this.#options.size + 1) return true;
    const usage = child.usage();
    const { memoryBytes, cpuSeconds } = this.#options.program.limits;
    return (
      usage !== undefined &&
      (usage.bytes > memoryBytes * MAX_RESIDENT_SHARE || usage.cpuSeconds > cpuSeconds * MAX_CPU_SHARE)
    );
  }
}
