// Works on one shard: reads its documents, stores their texts and then, in one step, their outcomes. May run twice, at
// the same time or after a crash: outputs are named by their content, and only the first outcomes are kept.

import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Blobs } from '../blobs/index.ts';
import { jsonWithBytes, quoted, throwIfAborted } from '../contract/index.ts';
import {
  createReader,
  type FileExtractionResult,
  type Pool,
  type Reader,
  ReaderError,
  type ReadRequest,
} from '../index.ts';
import type { BatchDocument, Outcome } from './document.ts';
import { LAYOUT } from './layout.ts';
import { Progress, storedOutcomes, storeOutcomes } from './outcomes.ts';
import type { Shard } from './shard.ts';
import type { BatchSource } from './source.ts';
import { type SourceFiles, sourceFiles } from './source-files.ts';

export interface ShardWork {
  readonly source: Pick<BatchSource, 'stream' | 'isEmpty' | 'location'>;
  readonly destination: Blobs;
  /** Where every document is read. */
  readonly pool: Pool;
  readonly signal: AbortSignal;
  /** When it aborts, running documents end and no other begins. */
  readonly drain?: AbortSignal;
  /** Called after each document, also for those that an earlier run had finished. */
  readonly onDocument?: (outcome: Outcome) => void;
}

/** Reads of one document, if they end its process or take too long; the pool refuses it after two. */
const ATTEMPTS = 2;
const FATAL = new Set(['TIMED_OUT', 'OUT_OF_MEMORY', 'CRASHED']);
/** A busy pool says nothing about the document: it is asked again, with growing pauses, for about 10 seconds. */
const BUSY_ATTEMPTS = 10;
const BUSY_PAUSE_MS = 200;

/**
 * The outcomes of `shard`, in the order of its documents: those already stored, or new ones.
 * @throws {ReaderError} BAD_INPUT for another source; errors of the stores, ABORTED; what was done until then is not done again
 */
export async function runShard(shard: Shard, work: ShardWork): Promise<readonly Outcome[]> {
  const stored = await storedOutcomes(shard, work);
  if (stored) {
    for (const outcome of stored) work.onDocument?.(outcome);
    return stored;
  }
  checkSource(shard, work);
  const files = sourceFiles(work.source, shard.documents);
  const reader = createReader({
    // The limits of the shard, and none of where it is worked on.
    environment: {},
    isolation: timed(work.pool, shard.maxReadMilliseconds),
    limits: {
      maxAnswerBytes: ANSWER_BYTES,
      ...shard.limits,
      // A batch reads every document to its end, so its totals are those of the whole document.
      remoteWindowBytes: Number.MAX_SAFE_INTEGER,
    },
    workspace: files,
    // A batch reads each document once; the cache would only evict what others read again.
    cache: false,
    ...(shard.redact && { redact: true }),
    user: 'batch',
  });
  const progress = await Progress.load(shard, work);
  try {
    await eachOf(shard.documents, work.pool.status.size, async (document) => {
      if (progress.has(document.key)) return;
      throwIfAborted(work.signal);
      if (work.drain) throwIfAborted(work.drain);
      await progress.add(await outcomeOf(document, shard, { reader, files, ...work }));
    });
  } catch (error) {
    await progress.save().catch(() => undefined); // the first error is the one to report
    throw error;
  }
  return storeOutcomes(shard, progress.outcomes(), work);
}

/** Another source may have other documents under the same keys. @throws {ReaderError} BAD_INPUT */
function checkSource({ location }: Shard, { source }: ShardWork): void {
  if (location === source.location) return;
  throw new ReaderError(
    'BAD_INPUT',
    `The manifest is for the source ${quoted(location)}, not for ${quoted(source.location)}.`,
    'Give the source for which it was written.',
  );
}

/** `pool`, with another time for each read. */
const timed = (pool: Pool, maxMilliseconds: number): Pool => ({
  lease: (options) => pool.lease({ ...options, maxMilliseconds }),
  get status() {
    return pool.status;
  },
  close: () => pool.close(),
});

/** Memory of one text, as in the service. */
const ANSWER_BYTES = 32 * 1024 * 1024;

/** Counting runs in this process: for longer texts it would delay other work. */
const MAX_COUNTED_BYTES = 4 * 1024 * 1024;

interface Tools extends ShardWork {
  readonly reader: Reader;
  readonly files: SourceFiles;
}

async function outcomeOf(document: BatchDocument, shard: Shard, tools: Tools): Promise<Outcome> {
  const started = performance.now();
  const result = await readPatiently(document, shard.request, tools);
  const facts = {
    ...document,
    milliseconds: Math.round(performance.now() - started),
    ...('fileType' in result && result.fileType !== undefined && { fileType: result.fileType }),
  };
  if (!result.success) {
    const { code, message } = result.error;
    return { ...facts, status: FATAL.has(code) ? 'dead' : 'failed', error: { code, message } };
  }
  const bytes = Buffer.from(shard.form === 'json' ? jsonWithBytes(result) : result.text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const tokens = bytes.length <= MAX_COUNTED_BYTES ? tools.reader.count(result.text) : undefined;
  const output = LAYOUT.output(sha256, shard.form);
  await tools.destination.put(output, bytes, { signal: tools.signal });
  const warnings = [...new Set(result.warnings.map(({ code }) => code))];
  return {
    ...facts,
    status: 'succeeded',
    output,
    sha256,
    outputBytes: bytes.length,
    ...(tokens !== undefined && { tokens }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** @throws {ReaderError} of the store, ABORTED */
async function readPatiently(
  { key }: BatchDocument,
  request: ReadRequest,
  { reader, files, signal }: Tools,
): Promise<FileExtractionResult> {
  let fatal = 0;
  let busy = 0;
  for (;;) {
    const result = await reader.read({ path: key }, { ...request, signal });
    const failure = await files.takeFailure(key, signal);
    if (result.success) return result;
    throwIfAborted(signal);
    if (failure) throw failure;
    const { code, message, hint } = result.error;
    if (code === 'BUSY') {
      busy += 1;
      if (busy > BUSY_ATTEMPTS) throw new ReaderError(code, message, hint);
      await wait(BUSY_PAUSE_MS * busy, undefined, { signal }).catch(() => throwIfAborted(signal));
      continue;
    }
    fatal += 1;
    if (fatal >= ATTEMPTS || !FATAL.has(code)) return result;
  }
}

/** Runs `work` on each item, `width` at a time. After an error no further item begins, and running ones are awaited. */
async function eachOf<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const errors: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (const item of rest) {
      if (errors.length > 0) return;
      try {
        await work(item);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, width) }, lane));
  if (errors.length > 0) throw errors[0];
}
