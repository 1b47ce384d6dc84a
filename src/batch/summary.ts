// Totals of a batch.

import type { Outcome } from './document.ts';

export interface BatchSummary {
  readonly documents: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly dead: number;
  /** Names in the source that cannot be documents, and folders that cannot be opened; they have no outcome. */
  readonly skipped: number;
  readonly bytes: number;
  readonly outputBytes: number;
  /** Documents by format; files of no format under `unknown`. */
  readonly formats: Readonly<Record<string, number>>;
  /** Documents that failed, by the code of their error. */
  readonly errors: Readonly<Record<string, number>>;
  /** Of this run: `outcomes/SHARD.jsonl` holds its outcomes. */
  readonly shards: readonly string[];
}

/** Counts the outcomes of each shard as they come. */
export class Tally {
  readonly #counts = { documents: 0, succeeded: 0, failed: 0, dead: 0, skipped: 0, bytes: 0, outputBytes: 0 };
  readonly #formats = new Map<string, number>();
  readonly #errors = new Map<string, number>();

  readonly #shards: string[] = [];

  add(shard: string, outcomes: readonly Outcome[]): void {
    this.#shards.push(shard);
    for (const outcome of outcomes) this.#count(outcome);
  }

  skip(): void {
    this.#counts.skipped += 1;
  }

  #count({ status, bytes, outputBytes = 0, fileType = 'unknown', error }: Outcome): void {
    this.#counts.documents += 1;
    this.#counts[status] += 1;
    this.#counts.bytes += bytes;
    this.#counts.outputBytes += outputBytes;
    this.#formats.set(fileType, (this.#formats.get(fileType) ?? 0) + 1);
    if (error) this.#errors.set(error.code, (this.#errors.get(error.code) ?? 0) + 1);
  }

  summary(): BatchSummary {
    return {
      ...this.#counts,
      formats: byCount(this.#formats),
      errors: byCount(this.#errors),
      shards: this.#shards.toSorted(),
    };
  }
}

const byCount = (counts: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries([...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
