// A whole batch: makes the shards of a source, has them worked on here or through a queue, and adds up their outcomes.

import { setTimeout as wait } from 'node:timers/promises';
import type { BlobFacts, Blobs } from '../blobs/index.ts';
import { throwIfAborted } from '../contract/index.ts';
import { ReaderError } from '../index.ts';
import { checkStores } from './check-stores.ts';
import type { Outcome } from './document.ts';
import { LAYOUT } from './layout.ts';
import { storedShard, storeShard } from './manifest.ts';
import { reopen, storedOutcomes } from './outcomes.ts';
import { patientList, patiently } from './patience.ts';
import type { ShardJob, ShardQueue } from './queue/queue.ts';
import { runShard, type ShardWork } from './run-shard.ts';
import { type Shard, type ShardPlan, shardsOf, sourceDigits } from './shard.ts';
import type { BatchSource, Listing } from './source.ts';
import { type BatchSummary, Tally } from './summary.ts';

export interface BatchProgress {
  readonly documents: number;
  /** Known once all are listed. */
  readonly of?: number;
}

export interface BatchOptions extends ShardPlan, Listing {
  readonly source: BatchSource;
  readonly destination: Blobs;
  readonly shardSize: number;
  /** Read documents again that did not succeed. */
  readonly isRetry?: boolean;
  readonly onProgress?: (progress: BatchProgress) => void;
}

/**
 * Reads every document of the source in this process's pool. Shards that an earlier run finished are not read again.
 * @throws {ReaderError} errors of the stores, ABORTED
 */
export async function runBatch(options: BatchOptions & Pick<ShardWork, 'pool'>): Promise<BatchSummary> {
  const { source, destination, signal, pool, onProgress } = options;
  const earlier = await earlierOutcomes(options);
  const tally = new Tally();
  let documents = 0;
  // By key, because a retried shard reports its documents again.
  const seen = new Set<string>();
  const onDocument = ({ key }: Outcome): void => {
    seen.add(key);
    onProgress?.({ documents: documents + seen.size });
  };
  for await (const shard of shardsIn(options, tally)) {
    const work = { source, destination, pool, signal, onDocument };
    tally.add(shard.id, await patiently(() => runShard(shard, work), options));
    documents += shard.documents.length;
    seen.clear();
  }
  return summarized(tally, earlier, options);
}

/**
 * Writes the manifest of every shard that has no outcomes yet, for other engines to work on. Yields their ids.
 * @throws {ReaderError} errors of the stores, ABORTED
 */
export async function* planBatch(options: BatchOptions): AsyncGenerator<string> {
  const { destination, signal } = options;
  await checkStores(options);
  for await (const shard of shardsIn(options)) {
    const ended = await patiently(() => destination.stat(LAYOUT.outcomes(shard.id), signal), options);
    if (ended) continue;
    await patiently(() => storeShard(shard, destination, signal), options);
    yield shard.id;
  }
}

/** The shards of the source, for a retry without outcomes of documents that did not succeed. */
async function* shardsIn(options: BatchOptions, tally?: Tally): AsyncGenerator<Shard> {
  const onSkipped: Listing['onSkipped'] = (name, reason) => {
    tally?.skip();
    options.onSkipped?.(name, reason);
  };
  for await (const shard of shardsOf(options.source, { ...options, onSkipped })) {
    if (options.isRetry) await patiently(() => reopen(shard, options), options);
    yield shard;
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
  const { destination, queue, places, signal, onProgress, isDetached } = options;
  const earlier = await earlierOutcomes(options);
  const waiting = new Set<string>();
  const tally = new Tally();
  let documents = 0;
  let of = 0;
  const take = (id: string, outcomes: readonly Outcome[]): void => {
    tally.add(id, outcomes);
    documents += outcomes.length;
    onProgress?.({ documents, of });
  };
  for await (const shard of shardsIn(options, tally)) {
    of += shard.documents.length;
    const stored = await patiently(() => storedOutcomes(shard, options), options);
    if (stored) take(shard.id, stored);
    else {
      await patiently(() => storeShard(shard, destination, signal), options);
      await patiently(() => queue.add({ id: shard.id, ...places }), options);
      waiting.add(shard.id);
    }
  }
  if (isDetached) return undefined;
  for (let pauseMs = FIRST_POLL_MS; waiting.size > 0; pauseMs = Math.min(MOST_POLL_MS, pauseMs * 1.5)) {
    await wait(pauseMs, undefined, { signal }).catch(() => throwIfAborted(signal));
    // The outcomes in the store decide, not what the queue remembers.
    for await (const { key } of listedOutcomes(options)) {
      const id = LAYOUT.shardOf(key);
      if (!waiting.has(id)) continue;
      // Read again, because the documents of all waiting shards may be more than fit in memory.
      const shard = await patiently(() => storedShard(id, destination, signal), options);
      const stored = await patiently(() => storedOutcomes(shard, options), options);
      if (!stored) continue;
      take(id, stored);
      waiting.delete(id);
    }
    checkFailed(waiting, places, await patiently(() => queue.failed(), options));
    // A worker finds the outcomes of a shard that ended just now, so adding it again changes nothing.
    if (await patiently(() => hasLost(waiting, places, queue), options))
      for (const id of waiting) await patiently(() => queue.add({ id, ...places }), options);
  }
  return summarized(tally, earlier, options);
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

/** Of this source. */
const listedOutcomes = ({ source, destination, signal, onWait }: BatchOptions): AsyncIterable<BlobFacts> =>
  patientList(destination, LAYOUT.outcomesOf(sourceDigits(source.location)), {
    signal,
    ...(onWait && { onWait }),
  });

/** The outcomes of this source before the run. @throws {ReaderError} for stores that cannot be used */
async function earlierOutcomes(options: BatchOptions): Promise<readonly BlobFacts[]> {
  await checkStores(options);
  const earlier: BlobFacts[] = [];
  for await (const facts of listedOutcomes(options)) earlier.push(facts);
  return earlier;
}

/** Writes the summary of a run that ended, and leaves only its outcomes of this source. */
async function summarized(
  tally: Tally,
  earlier: readonly BlobFacts[],
  options: BatchOptions,
): Promise<BatchSummary> {
  const { destination } = options;
  const summary = tally.summary();
  const text = Buffer.from(`${JSON.stringify(summary, undefined, 2)}\n`);
  await patiently(() => destination.put(LAYOUT.summary, text), options);
  // A source without documents may be a folder that is not mounted.
  if (summary.documents === 0) return summary;
  const current = new Set(summary.shards.map(LAYOUT.outcomes));
  for (const { key, version } of earlier)
    if (!current.has(key)) await patiently(() => removeUnchanged(destination, key, version), options);
  return summary;
}

/** Another run may have stored them again in the meantime. */
async function removeUnchanged(destination: Blobs, key: string, version: string): Promise<void> {
  try {
    await destination.remove(key, { ifVersion: version });
  } catch (error) {
    if (!(error instanceof ReaderError) || error.code !== 'CONFLICT') throw error;
  }
}
