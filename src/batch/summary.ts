// Totals of a batch.

import type { Outcome } from './document.ts';

export interface BatchSummary {
  readonly documents: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly dead: number;
  readonly bytes: number;
  readonly outputBytes: number;
  /** Documents by format; files of no format under `unknown`. */
  readonly formats: Readonly<Record<string, number>>;
  /** Documents that failed, by the code of their error. */
  readonly errors: Readonly<Record<string, number>>;
}

/** Counts outcomes as they come; each document once. */
export class Tally {
  readonly #counts = { documents: 0, succeeded: 0, failed: 0, dead: 0, bytes: 0, outputBytes: 0 };
  readonly #formats = new Map<string, number>();
  readonly #errors = new Map<string, number>();

  add({ status, bytes, outputBytes = 0, fileType = 'unknown', error }: Outcome): void {
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
    };
  }
}

const byCount = (counts: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries([...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
