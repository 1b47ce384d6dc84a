// A whole batch: makes the shards of a source, has them worked on here or through a queue, and adds up their outcomes.

import { setTimeout as wait } from 'node:timers/promises';
import type { Blobs } from '../blobs/index.ts';
import { throwIfAborted } from '../contract/index.ts';
import { ReaderError } from '../index.ts';
import type { Outcome } from './document.ts';
import { LAYOUT } from './layout.ts';
import { storeShard } from './manifest.ts';
import { patientList, patiently } from './patience.ts';
import type { ShardJob, ShardQueue } from './queue/queue.ts';
import { runShard, type ShardWork, storedOutcomes } from './run-shard.ts';
import { type ShardPlan, shardsOf } from './shard.ts';
import type { BatchSource } from './source.ts';
import { type BatchSummary, Tally } from './summary.ts';

export interface BatchProgress {
  readonly documents: number;
  /** Known once all are listed. */
  readonly of?: number;
}

export interface BatchOptions extends ShardPlan {
  readonly source: BatchSource;
  readonly destination: Blobs;
  readonly shardSize: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: BatchProgress) => void;
}

/**
 * Reads every document of the source in this process's pool. Shards that an earlier run finished are not read again.
 * @throws {ReaderError} errors of the stores, ABORTED
 */
export async function runBatch(
  options: BatchOptions & Pick<ShardWork, 'pool' | 'environment'>,
): Promise<BatchSummary> {
  const { source, destination, signal, pool, environment, onProgress } = options;
  const tally = new Tally();
  let documents = 0;
  // By key, because a retried shard reports its documents again.
  const seen = new Set<string>();
  const onDocument = ({ key }: Outcome): void => {
    seen.add(key);
    onProgress?.({ documents: documents + seen.size });
  };
  for await (const shard of shardsOf(source, options, { size: options.shardSize, signal })) {
    const work = { source, destination, pool, environment, signal, onDocument };
    for (const outcome of await patiently(() => runShard(shard, work), signal)) tally.add(outcome);
    documents += shard.documents.length;
    seen.clear();
  }
  return summarized(tally, destination, signal);
}

/**
 * Writes the manifest of every shard that has no outcomes yet, for other engines to work on. Yields their ids.
 * @throws {ReaderError} errors of the stores, ABORTED
 */
export async function* planBatch(options: BatchOptions): AsyncGenerator<string> {
  const { source, destination, signal, shardSize } = options;
  for await (const shard of shardsOf(source, options, { size: shardSize, signal })) {
    const ended = await patiently(() => destination.stat(LAYOUT.outcomes(shard.id), signal), signal);
    if (ended) continue;
    await patiently(() => storeShard(shard, destination, signal), signal);
    yield shard.id;
  }
}

/** Where workers find a shard. */
export interface Places {
  readonly source: string;
  readonly destination: string;
}

export interface QueuedBatchOptions extends BatchOptions {
  readonly queue: ShardQueue;
  /** The locations of the stores, as workers open them. */
  readonly places: Places;
  /** Return once every shard is queued. */
  readonly isDetached: boolean;
}

/** How often the store is asked for outcomes: the first answers soon, a long batch at little cost. */
const FIRST_POLL_MS = 500;
const MOST_POLL_MS = 10_000;

/**
 * Queues every shard that has no outcomes yet, and waits until all have.
 * @throws {ReaderError} errors of the stores and of the queue, ABORTED, CRASHED for a shard that failed for good
 */
export async function queueBatch(options: QueuedBatchOptions): Promise<BatchSummary | undefined> {
  const { source, destination, queue, places, signal, onProgress, isDetached } = options;
  const waiting = new Set<string>();
  const tally = new Tally();
  let documents = 0;
  let of = 0;
  const take = (outcomes: readonly Outcome[]): void => {
    for (const outcome of outcomes) tally.add(outcome);
    documents += outcomes.length;
    onProgress?.({ documents, of });
  };
  for await (const shard of shardsOf(source, options, { size: options.shardSize, signal })) {
    of += shard.documents.length;
    const stored = await patiently(() => storedOutcomes(shard, { destination, signal }), signal);
    if (stored) take(stored);
    else {
      await patiently(() => storeShard(shard, destination, signal), signal);
      await patiently(() => queue.add({ id: shard.id, ...places }), signal);
      waiting.add(shard.id);
    }
  }
  if (isDetached) return undefined;
  for (let pauseMs = FIRST_POLL_MS; waiting.size > 0; pauseMs = Math.min(MOST_POLL_MS, pauseMs * 1.5)) {
    await wait(pauseMs, undefined, { signal }).catch(() => throwIfAborted(signal));
    // The outcomes in the store decide, not what the queue remembers.
    for await (const { key } of patientList(destination, LAYOUT.outcomesPrefix, signal)) {
      const id = LAYOUT.shardOf(key);
      const stored = waiting.has(id)
        ? await patiently(() => storedOutcomes({ id }, { destination, signal }), signal)
        : undefined;
      if (!stored) continue;
      take(stored);
      waiting.delete(id);
    }
    checkFailed(waiting, places, await patiently(() => queue.failed(), signal));
    // A worker finds the outcomes of a shard that ended just now, so adding it again changes nothing.
    if (await patiently(() => hasLost(waiting, places, queue), signal))
      for (const id of waiting) await patiently(() => queue.add({ id, ...places }), signal);
  }
  return summarized(tally, destination, signal);
}

/** Of this batch: the queue may hold others. @throws {ReaderError} CRASHED for a shard that failed for good */
function checkFailed(
  waiting: ReadonlySet<string>,
  { source, destination }: Places,
  failed: readonly ShardJob[],
): void {
  const lost = failed.find(
    (job) => job.source === source && job.destination === destination && waiting.has(job.id),
  );
  if (lost !== undefined)
    throw new ReaderError(
      'CRASHED',
      `The shard ${lost.id.slice(0, 12)} failed in every attempt.`,
      'See the logs of the workers, then run the same command again: finished shards are kept.',
    );
}

/** Shards that are looked for in the queue at each poll: those added first, which are next to be worked on. */
const LOOKED_FOR = 10;

/** Whether the queue no longer holds a shard, as after the restart of a server that stores nothing. */
async function hasLost(waiting: ReadonlySet<string>, places: Places, queue: ShardQueue): Promise<boolean> {
  for (const id of [...waiting].slice(0, LOOKED_FOR))
    if (!(await queue.holds({ id, ...places }))) return true;
  return false;
}

async function summarized(tally: Tally, destination: Blobs, signal: AbortSignal): Promise<BatchSummary> {
  const summary = tally.summary();
  const text = Buffer.from(`${JSON.stringify(summary, undefined, 2)}\n`);
  await patiently(() => destination.put(LAYOUT.summary, text), signal);
  return summary;
}
