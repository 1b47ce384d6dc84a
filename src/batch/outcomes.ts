// Outcomes of shards in the destination: those of shards that ended, and those so far of shards that have not.

import { z } from 'zod';
import type { Blobs } from '../blobs/index.ts';
import { ReaderError } from '../index.ts';
import type { Outcome } from './document.ts';
import { LAYOUT } from './layout.ts';
import type { Shard } from './shard.ts';

/** Where outcomes are kept. */
export interface Stored {
  readonly destination: Blobs;
  readonly signal: AbortSignal;
}

/** Outcomes that a crash may cost. */
const PROGRESS_DOCUMENTS = 50;

const OUTCOME = z.object({
  key: z.string(),
  version: z.string(),
  bytes: z.int().min(0),
  status: z.enum(['succeeded', 'failed', 'dead']),
  milliseconds: z.number(),
});

/** Undefined if the shard has not ended. @throws {ReaderError} CORRUPT_FILE unless they are those of its documents */
export async function storedOutcomes(shard: Shard, stored: Stored): Promise<readonly Outcome[] | undefined> {
  const key = LAYOUT.outcomes(shard.id);
  const lines = await linesAt(key, stored);
  if (!lines) return undefined;
  const outcomes = lines.flatMap((line) => outcomeIn(line) ?? []);
  const { documents } = shard;
  const isWhole =
    lines.length === documents.length &&
    documents.every(({ key, version }, at) => outcomes[at]?.key === key && outcomes[at]?.version === version);
  if (isWhole) return outcomes;
  throw new ReaderError(
    'CORRUPT_FILE',
    `The outcomes in \`${key}\` are damaged: they are not one for each document of the shard.`,
    'Remove this file from the destination, then run the batch again.',
  );
}

/** Stores the outcomes unless another worker was first; then its outcomes hold. */
export async function storeOutcomes(
  shard: Shard,
  outcomes: readonly Outcome[],
  stored: Stored,
): Promise<readonly Outcome[]> {
  const { destination, signal } = stored;
  try {
    await destination.put(LAYOUT.outcomes(shard.id), Buffer.from(linesOf(outcomes)), {
      ifAbsent: true,
      signal,
    });
  } catch (error) {
    if (!(error instanceof ReaderError) || error.code !== 'ALREADY_EXISTS') throw error;
    const first = await storedOutcomes(shard, stored);
    if (!first) throw error;
    return first;
  }
  await destination.remove(LAYOUT.progress(shard.id));
  return outcomes;
}

/** Makes a shard with documents that did not succeed one that has not ended, and has only them left. */
export async function reopen(shard: Shard, stored: Stored): Promise<void> {
  const outcomes = await storedOutcomes(shard, stored);
  const succeeded = outcomes?.filter(({ status }) => status === 'succeeded');
  if (!succeeded || succeeded.length === shard.documents.length) return;
  const { destination, signal } = stored;
  await destination.put(LAYOUT.progress(shard.id), Buffer.from(linesOf(succeeded)), { signal });
  await destination.remove(LAYOUT.outcomes(shard.id));
}

/** The outcomes of an earlier run up to a crash or an abort, and those of this one. */
export class Progress {
  readonly #shard: Shard;
  readonly #destination: Blobs;
  readonly #onDocument: (outcome: Outcome) => void;
  readonly #outcomes: Map<string, Outcome>;
  #unsaved = 0;
  #saving: Promise<unknown> = Promise.resolve();

  private constructor(
    shard: Shard,
    destination: Blobs,
    known: readonly Outcome[],
    onDocument: (outcome: Outcome) => void,
  ) {
    this.#shard = shard;
    this.#destination = destination;
    this.#onDocument = onDocument;
    const versions = new Map(shard.documents.map(({ key, version }) => [key, version]));
    const held = known.filter(({ key, version }) => versions.get(key) === version);
    this.#outcomes = new Map(held.map((outcome) => [outcome.key, outcome]));
    for (const outcome of this.#outcomes.values()) onDocument(outcome);
  }

  /** `onDocument` is called for every outcome, known and new. Damaged lines are left out: their documents are read again. */
  static async load(
    shard: Shard,
    {
      onDocument = () => undefined,
      ...stored
    }: Stored & { readonly onDocument?: (outcome: Outcome) => void },
  ): Promise<Progress> {
    const lines = (await linesAt(LAYOUT.progress(shard.id), stored)) ?? [];
    const known = lines.flatMap((line) => outcomeIn(line) ?? []);
    return new Progress(shard, stored.destination, known, onDocument);
  }

  has(key: string): boolean {
    return this.#outcomes.has(key);
  }

  async add(outcome: Outcome): Promise<void> {
    this.#outcomes.set(outcome.key, outcome);
    this.#onDocument(outcome);
    this.#unsaved += 1;
    if (this.#unsaved >= PROGRESS_DOCUMENTS) await this.save();
  }

  /** One save at a time, without a signal: it also runs after an abort. */
  async save(): Promise<void> {
    this.#unsaved = 0;
    const lines = linesOf(this.outcomes());
    // After an earlier save, even one that failed: that was reported.
    this.#saving = this.#saving
      .catch(() => undefined)
      .then(() => this.#destination.put(LAYOUT.progress(this.#shard.id), Buffer.from(lines)));
    await this.#saving;
  }

  /** In the order of the shard. */
  outcomes(): readonly Outcome[] {
    return this.#shard.documents.flatMap(({ key }) => this.#outcomes.get(key) ?? []);
  }
}

async function linesAt(key: string, { destination, signal }: Stored): Promise<string[] | undefined> {
  try {
    const text = Buffer.from(await destination.read(key, { signal })).toString('utf8');
    return text.split('\n').filter((line) => line !== '');
  } catch (error) {
    if (error instanceof ReaderError && error.code === 'FILE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Checked for what is counted; the rest is as it was written. Undefined for a damaged line. */
function outcomeIn(line: string): Outcome | undefined {
  try {
    const outcome: unknown = JSON.parse(line);
    OUTCOME.parse(outcome);
    return outcome as Outcome; // the line was written by this file
  } catch {
    return undefined;
  }
}

const linesOf = (outcomes: readonly Outcome[]): string =>
  outcomes.map((outcome) => `${JSON.stringify(outcome)}\n`).join('');
