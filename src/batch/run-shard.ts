// Works on one shard: reads its documents, stores their texts and then, in one step, their outcomes. May run twice, at
// the same time or after a crash: outputs are named by their content, and only the first outcomes are kept.

import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { Blobs } from '../blobs/index.ts';
import { jsonWithBytes, throwIfAborted } from '../contract/index.ts';
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
import type { Shard } from './shard.ts';
import type { BatchSource } from './source.ts';
import { type SourceFiles, sourceFiles } from './source-files.ts';

export interface ShardWork {
  readonly source: Pick<BatchSource, 'stream'>;
  readonly destination: Blobs;
  /** Where every document is read. */
  readonly pool: Pool;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** When it aborts, running documents end and no other begins. */
  readonly drain?: AbortSignal;
  /** Called after each document, also for those that an earlier run had finished. */
  readonly onDocument?: (outcome: Outcome) => void;
}

/** Outcomes that a crash may cost. */
const PROGRESS_DOCUMENTS = 50;
/** Reads of one document, if they end its process or take too long; the pool refuses it after two. */
const ATTEMPTS = 2;
const FATAL = new Set(['TIMED_OUT', 'OUT_OF_MEMORY', 'CRASHED']);
/** A busy pool says nothing about the document: it is asked again, with growing pauses, for about 10 seconds. */
const BUSY_ATTEMPTS = 10;
const BUSY_PAUSE_MS = 200;

/**
 * The outcomes of `shard`, in the order of its documents: those already stored, or new ones.
 * @throws {ReaderError} errors of the stores, ABORTED; what was done until then is not done again
 */
export async function runShard(shard: Shard, work: ShardWork): Promise<readonly Outcome[]> {
  const stored = await storedOutcomes(shard, work);
  if (stored) {
    for (const outcome of stored) work.onDocument?.(outcome);
    return stored;
  }
  const files = sourceFiles(work.source, shard.documents);
  const reader = createReader({
    environment: { LECTERN_MAX_ANSWER_BYTES: String(ANSWER_BYTES), ...work.environment },
    isolation: work.pool,
    // A batch reads every document to its end, so its totals are those of the whole document.
    limits: { remoteWindowBytes: Number.MAX_SAFE_INTEGER },
    workspace: files,
    // A batch reads each document once; the cache would only evict what others read again.
    cache: false,
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
  return finish(shard, progress.outcomes(), work);
}

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

const OUTCOME = z.object({
  key: z.string(),
  version: z.string(),
  bytes: z.int().min(0),
  status: z.enum(['succeeded', 'failed', 'dead']),
  milliseconds: z.number(),
});

/** The outcomes of an earlier run up to a crash or an abort, and those of this one. */
class Progress {
  readonly #shard: Shard;
  readonly #work: ShardWork;
  readonly #outcomes: Map<string, Outcome>;
  #unsaved = 0;
  #saving: Promise<unknown> = Promise.resolve();

  private constructor(shard: Shard, work: ShardWork, known: readonly Outcome[]) {
    this.#shard = shard;
    this.#work = work;
    const versions = new Map(shard.documents.map(({ key, version }) => [key, version]));
    const held = known.filter(({ key, version }) => versions.get(key) === version);
    this.#outcomes = new Map(held.map((outcome) => [outcome.key, outcome]));
    for (const outcome of this.#outcomes.values()) work.onDocument?.(outcome);
  }

  static async load(shard: Shard, work: ShardWork): Promise<Progress> {
    return new Progress(
      shard,
      work,
      (await outcomesAt(LAYOUT.progress(shard.id), work.destination, work.signal)) ?? [],
    );
  }

  has(key: string): boolean {
    return this.#outcomes.has(key);
  }

  async add(outcome: Outcome): Promise<void> {
    this.#outcomes.set(outcome.key, outcome);
    this.#work.onDocument?.(outcome);
    this.#unsaved += 1;
    if (this.#unsaved >= PROGRESS_DOCUMENTS) await this.save();
  }

  /** One save at a time, without the signal: it also runs after an abort. */
  async save(): Promise<void> {
    this.#unsaved = 0;
    const lines = linesOf(this.outcomes());
    // After an earlier save, even one that failed: that was reported.
    this.#saving = this.#saving
      .catch(() => undefined)
      .then(() => this.#work.destination.put(LAYOUT.progress(this.#shard.id), Buffer.from(lines)));
    await this.#saving;
  }

  /** In the order of the shard. */
  outcomes(): readonly Outcome[] {
    return this.#shard.documents.flatMap(({ key }) => this.#outcomes.get(key) ?? []);
  }
}

/** Stores the outcomes unless another worker was first; then its outcomes hold. */
async function finish(
  shard: Shard,
  outcomes: readonly Outcome[],
  work: ShardWork,
): Promise<readonly Outcome[]> {
  const { destination, signal } = work;
  try {
    await destination.put(LAYOUT.outcomes(shard.id), Buffer.from(linesOf(outcomes)), {
      ifAbsent: true,
      signal,
    });
  } catch (error) {
    if (!(error instanceof ReaderError) || error.code !== 'ALREADY_EXISTS') throw error;
    const stored = await storedOutcomes(shard, work);
    if (!stored) throw error;
    return stored;
  }
  await destination.remove(LAYOUT.progress(shard.id));
  return outcomes;
}

/** Undefined if the shard has not ended. */
export const storedOutcomes = (
  { id }: Pick<Shard, 'id'>,
  { destination, signal }: Pick<ShardWork, 'destination' | 'signal'>,
): Promise<readonly Outcome[] | undefined> => outcomesAt(LAYOUT.outcomes(id), destination, signal);

async function outcomesAt(
  key: string,
  destination: Blobs,
  signal: AbortSignal,
): Promise<readonly Outcome[] | undefined> {
  let text: string;
  try {
    text = Buffer.from(await destination.read(key, { signal })).toString('utf8');
  } catch (error) {
    if (error instanceof ReaderError && error.code === 'FILE_NOT_FOUND') return undefined;
    throw error;
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => outcomeIn(line, key));
}

/** Checked for what is counted; the rest is as it was written. @throws {ReaderError} CORRUPT_FILE */
function outcomeIn(line: string, key: string): Outcome {
  try {
    const outcome: unknown = JSON.parse(line);
    OUTCOME.parse(outcome);
    return outcome as Outcome; // the line was written by this file
  } catch (cause) {
    throw new ReaderError(
      'CORRUPT_FILE',
      `The outcomes in \`${key}\` are damaged.`,
      'Remove this file from the destination, then run the batch again.',
      cause,
    );
  }
}

const linesOf = (outcomes: readonly Outcome[]): string =>
  outcomes.map((outcome) => `${JSON.stringify(outcome)}\n`).join('');

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
