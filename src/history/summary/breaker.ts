// Keeps a summarizer that fails again and again from being asked on every compaction.

/** As JSON: kept in a compactor's state. */
export interface BreakerState {
  /** Failures since the last success. */
  readonly failures: number;
  /** Compactions that still go without the summarizer. */
  readonly resting: number;
}

/** Failures in a row that open it. Claude Code's own bound, set after sessions with more than 50 in a row. */
const MAX_FAILURES = 3;
/** Compactions without the summarizer once it is open. */
const REST = 10;

/** Three failures in a row open it for ten compactions; after those one call is tried, and one more failure opens it again. */
export class Breaker {
  #failures: number;
  #resting: number;

  /** `state` as `toJSON` gave it; what is no state of a breaker begins anew. */
  constructor(state?: BreakerState) {
    this.#failures = counted(state?.failures, MAX_FAILURES);
    this.#resting = counted(state?.resting, REST);
  }

  /** Whether the next `admits` would refuse. */
  get open(): boolean {
    return this.#resting > 0;
  }

  /** Whether the summarizer may be asked now; every refusal counts towards the end of its rest. */
  admits(): boolean {
    if (this.#resting === 0) return true;
    this.#resting -= 1;
    return false;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#resting = 0;
  }

  failed(): void {
    this.#failures = Math.min(MAX_FAILURES, this.#failures + 1);
    if (this.#failures === MAX_FAILURES) this.#resting = REST;
  }

  toJSON(): BreakerState {
    return { failures: this.#failures, resting: this.#resting };
  }
}

function counted(value: unknown, most: number): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? Math.min(value, most) : 0;
}
