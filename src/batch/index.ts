// Public interface of the batch room.

export type { BatchDocument, Outcome, OutcomeStatus } from './document.ts';
export { LAYOUT } from './layout.ts';
export { openShardQueue } from './queue/bullmq.ts';
export type { QueueCounts, ShardJob, ShardQueue, ShardWorker } from './queue/queue.ts';
export { type BatchProgress, queueBatch, runBatch } from './run-batch.ts';
export { runShard } from './run-shard.ts';
export { type OutputForm, SHARD_DOCUMENTS, shardFrom } from './shard.ts';
export { type BatchSummary, Tally } from './summary.ts';
export { startShardWorker } from './worker.ts';
