// Public interface of the batch room.

export { openShardQueue } from './queue/bullmq.ts';
export type { QueueCounts, ShardQueue } from './queue/queue.ts';
export { queueBatch, runBatch } from './run-batch.ts';
export { runShard } from './run-shard.ts';
export { SHARD_DOCUMENTS, shardFrom } from './shard.ts';
export { type BatchSummary, Tally } from './summary.ts';
export { startShardWorker } from './worker.ts';
