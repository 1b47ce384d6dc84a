// A worker: takes shards from a queue and works on them, with stores opened by the locations in the job and credentials
// of its own environment.

import { type Blobs, openBlobs } from '../blobs/index.ts';
import { type Pool, ReaderError } from '../index.ts';
import type { Outcome } from './document.ts';
import { LAYOUT } from './layout.ts';
import type { ShardJob, ShardQueue, ShardWorker } from './queue/queue.ts';
import { runShard } from './run-shard.ts';
import { shardFrom } from './shard.ts';

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
  return queue.work((job, signal) => workOn(job, signal, options), { concurrency, onError });
}

async function workOn(
  { id, source, destination }: ShardJob,
  signal: AbortSignal,
  { pool, environment, onDocument }: WorkerOptions,
): Promise<void> {
  const stores = await Promise.all([
    openBlobs(source, { environment }),
    openBlobs(destination, { environment }),
  ]);
  const [from, to] = stores;
  try {
    const shard = shardFrom(await manifestIn(to, id, signal));
    await runShard(shard, {
      source: from,
      destination: to,
      pool,
      environment,
      signal,
      ...(onDocument && { onDocument }),
    });
  } finally {
    for (const store of stores) await store.close();
  }
}

async function manifestIn(store: Blobs, id: string, signal: AbortSignal): Promise<string> {
  const text = Buffer.from(await store.read(LAYOUT.shard(id), { signal })).toString('utf8');
  if (text.includes(id)) return text;
  throw new ReaderError('BAD_INPUT', 'The manifest is of another shard.', 'Queue the batch again.');
}
