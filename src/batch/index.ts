// Public interface of the batch room.

export { checkStores } from './check-stores.ts';
export { LAYOUT } from './layout.ts';
export { shardFrom, storedShard } from './manifest.ts';
export { reopen } from './outcomes.ts';
export { openShardQueue } from './queue/bullmq.ts';
export type { QueueCounts, ShardQueue } from './queue/queue.ts';
export { type BatchOptions, planBatch, queueBatch, runBatch } from './run-batch.ts';
export { runShard } from './run-shard.ts';
export { MAX_SHARD_DOCUMENTS, SHARD_DOCUMENTS, SOURCE_DIGITS } from './shard.ts';
export { type BatchSource, checkAbsolute, LIST, listSource, openSource } from './source.ts';
export { type BatchSummary, Tally } from './summary.ts';
export { startShardWorker } from './worker.ts';
