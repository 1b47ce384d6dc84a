// The interface of a queue of shards. Deliveries happen at least once; a shard that is delivered twice changes nothing.

export interface ShardJob {
  /** Of the shard; adding it again while it is known changes nothing. */
  readonly id: string;
  readonly source: string;
  readonly destination: string;
}

export interface QueueCounts {
  readonly waiting: number;
  readonly active: number;
  /** Waiting for another attempt. */
  readonly delayed: number;
  readonly failed: number;
}

export interface ShardQueue {
  /** Durable when it resolves. A shard that failed before gets new attempts. */
  add(job: ShardJob): Promise<void>;
  counts(): Promise<QueueCounts>;
  /** Shards that failed in every attempt, of any batch; the latest 1000. */
  failed(): Promise<readonly ShardJob[]>;
  /** Whether the queue holds the shard: waiting, running, or failed. */
  holds(job: ShardJob): Promise<boolean>;
  /** Works on shards until it is closed. An error of `run` is another attempt later, up to the last one. */
  work(
    run: (job: ShardJob, signals: WorkSignals) => Promise<void>,
    options: WorkOptions,
  ): Promise<ShardWorker>;
  close(): Promise<void>;
}

/** When the worker stops: `drain` first, and `signal` for what has not ended a while later. */
export interface WorkSignals {
  readonly signal: AbortSignal;
  readonly drain: AbortSignal;
}

export interface WorkOptions {
  /** Shards at the same time. */
  readonly concurrency: number;
  /** Called with errors of the queue and of shards. */
  readonly onError: (error: unknown) => void;
}

export interface ShardWorker {
  /** Takes no further shard, and gives running ones back once their current documents have ended. */
  close(): Promise<void>;
}
