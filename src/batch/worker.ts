// A worker: takes shards from a queue and works on them, with stores opened by the locations in the job and credentials
// of its own environment.

import { openBlobs } from '../blobs/index.ts';
import type { Pool } from '../index.ts';
import type { Outcome } from './document.ts';
import { storedShard } from './manifest.ts';
import type { ShardJob, ShardQueue, ShardWorker, WorkSignals } from './queue/queue.ts';
import { runShard } from './run-shard.ts';
import { openSource } from './source.ts';

export interface WorkerOptions {
  readonly queue: ShardQueue;
  readonly pool: Pool;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Shards at the same time; their documents share the pool. */
  readonly concurrency: number;
  readonly onDocument?: (outcome: Outcome) => void;
  readonly onError: (error: unknown) => void;
}

/** Works until it is closed. */
export function startShardWorker(options: WorkerOptions): Promise<ShardWorker> {
  const { queue, concurrency, onError } = options;
  return queue.work((job, signals) => workOn(job, signals, options), { concurrency, onError });
}

async function workOn(
  { id, source, destination }: ShardJob,
  { signal, drain }: WorkSignals,
  { pool, environment, onDocument }: WorkerOptions,
): Promise<void> {
  const stores = await Promise.all([
    openSource(source, environment),
    openBlobs(destination, { environment }),
  ]);
  const [from, to] = stores;
  try {
    const shard = await storedShard(id, to, signal);
    await runShard(shard, {
      source: from,
      destination: to,
      pool,
      signal,
      drain,
      ...(onDocument && { onDocument }),
    });
  } finally {
    for (const store of stores) await store.close();
  }
}
