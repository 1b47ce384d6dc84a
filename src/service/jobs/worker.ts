// Works on the items of a queue: claims in turn, reads with bounded concurrency, renews the leases and stores the
// outcomes. Does not know how a file is read.

import { ReaderError } from '../../index.ts';
import type { BlobStore } from './blob-store.ts';
import { failureJson } from './failure.ts';
import type { JobLimits } from './limits.ts';
import { pause } from './pause.ts';
import {
  type ClaimedItem,
  type ItemError,
  itemErrorOf,
  type JobQueue,
  type Lease,
  RETRYABLE,
} from './queue.ts';

/** What the reader of an item gets: the claimed item, and the path of an uploaded file. */
export interface WorkItem extends ClaimedItem {
  /** Undefined for a workspace path. */
  readonly file?: string;
}

/**
 * Reads one item. An unreadable file is an answer with `error`, or a thrown ReaderError; any other error counts as
 * INTERNAL. Must end soon after `signal` aborts.
 */
export type ReadItem = (item: WorkItem, signal: AbortSignal) => Promise<ItemAnswer>;

export interface ItemAnswer {
  /** The complete answer, stored and sent unchanged. */
  readonly json: string;
  /** Its error, if it has one. */
  readonly error?: ItemError;
}

export interface WorkerOptions {
  readonly queue: JobQueue;
  readonly blobs: BlobStore;
  readonly read: ReadItem;
  readonly limits: JobLimits;
  /** Called with errors of the queue itself; the worker continues. */
  readonly onError?: (error: unknown) => void;
}

/** Maximum delay before a retry or the work of another node is noticed. */
const POLL_MS = 500;

interface Running {
  readonly lease: Lease;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

export class JobWorker {
  readonly #options: WorkerOptions;
  readonly #running = new Map<string, Running>();
  /** No new items. */
  readonly #stop = new AbortController();
  /** No running items either. */
  readonly #idle = new AbortController();
  #claiming: Promise<void> | undefined;
  #renewing: Promise<void> | undefined;
  #wake: AbortController = new AbortController();

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Starts working; leases of processes that ended are taken over at once. */
  start(): void {
    this.#claiming ??= this.#claimLoop();
    this.#renewing ??= this.#leaseLoop();
  }

  /**
   * Stops claiming and waits for running items. Items still running when `signal` aborts are aborted and returned to
   * the queue unchanged.
   */
  async drain(signal: AbortSignal): Promise<void> {
    const abortAll = (): void => {
      for (const { stop } of this.#running.values()) stop.abort(DRAINED);
    };
    signal.addEventListener('abort', abortAll, { once: true });
    this.#stop.abort();
    this.#wake.abort();
    await this.#claiming;
    if (signal.aborted) abortAll();
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
    signal.removeEventListener('abort', abortAll);
    this.#idle.abort();
    await this.#renewing;
  }

  /** Renews the leases now, and stops reading items whose lease was lost, for example to a cancelled job. */
  async checkLeases(): Promise<void> {
    const lost = await this.#options.queue.heartbeat([...this.#running.values()].map(({ lease }) => lease));
    for (const lease of lost) this.#running.get(keyOf(lease))?.stop.abort(LEASE_LOST);
  }

  async #claimLoop(): Promise<void> {
    const { queue, limits } = this.#options;
    while (!this.#stop.signal.aborted) {
      this.#wake = new AbortController();
      const wake = this.#wake.signal;
      const change = queue.changed(wake); // before the claim, so that no change is missed
      const item =
        this.#running.size < limits.jobWorkers ? await this.#guard(() => queue.claim()) : undefined;
      if (item !== undefined) this.#startItem(item);
      else if (!this.#stop.signal.aborted) await Promise.race([change, pause(POLL_MS, wake)]);
      this.#wake.abort();
    }
  }

  #startItem(item: ClaimedItem): void {
    const { lease } = item;
    const stop = new AbortController();
    const key = keyOf(lease);
    const ended = this.#work(item, stop.signal).finally(() => {
      this.#running.delete(key);
      this.#wake.abort();
    });
    this.#running.set(key, { lease, stop, ended });
  }

  async #work(item: ClaimedItem, signal: AbortSignal): Promise<void> {
    const { queue } = this.#options;
    const { lease } = item;
    const answer = await this.#read(item, signal);
    if (signal.reason === LEASE_LOST) return;
    await this.#guard(async () => {
      const { json, error } = answer;
      if (error === undefined) await queue.complete(lease, { ok: true, json });
      else if (signal.aborted) await queue.release(lease);
      else if (RETRYABLE.has(error.code)) await queue.fail(lease, error, json);
      else await queue.complete(lease, { ok: false, json });
    });
  }

  async #read(item: ClaimedItem, signal: AbortSignal): Promise<ItemAnswer> {
    const { blobs, read } = this.#options;
    try {
      if (item.input.kind === 'path') return await read(item, signal);
      return await read({ ...item, file: await blobs.path(item.user, item.input.blob) }, signal);
    } catch (error) {
      const known =
        error instanceof ReaderError
          ? error
          : new ReaderError('INTERNAL', 'The file could not be read.', 'Try again later.', error);
      if (known !== error) this.#options.onError?.(error);
      return { json: failureJson(item.name, itemErrorOf(known)), error: itemErrorOf(known) };
    }
  }

  /** Renews first, so that a stalled event loop does not make this process lose leases to itself. */
  async #leaseLoop(): Promise<void> {
    const { queue, limits } = this.#options;
    while (!this.#idle.signal.aborted) {
      await this.#guard(async () => {
        await this.checkLeases();
        if ((await queue.reclaim()) > 0) this.#wake.abort();
      });
      await pause(limits.jobLeaseMilliseconds / 3, this.#idle.signal);
    }
  }

  async #guard<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#options.onError?.(error);
      return undefined;
    }
  }
}

const DRAINED = new ReaderError('ABORTED', 'The service is stopping.', 'The file is read after the restart.');
const LEASE_LOST = new ReaderError(
  'ABORTED',
  'The job was cancelled, or another worker took over the file.',
  'Check the job.',
);

const keyOf = ({ job, index, fence }: Lease): string => `${job}/${index}/${fence}`;
