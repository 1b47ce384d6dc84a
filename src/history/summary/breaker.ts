// Circuit breaker: stops calling a summarizer that keeps failing.

/** JSON, stored in a compactor's state. */
export interface BreakerState {
  /** Failures since the last success. */
  readonly failures: number;
  /** Compactions still to run without the summarizer. */
  readonly resting: number;
}

/** Consecutive failures that open it. Same limit as Claude Code, set after sessions with more than 50 in a row. */
const MAX_FAILURES = 3;
/** Compactions that skip the summarizer once it is open. */
const REST = 10;

/**
 * Three consecutive failures open it for ten compactions. Then one call is tried, and another failure opens it again.
 */
export class Breaker {
  #failures: number;
  #resting: number;

  /** `state` from `toJSON`. */
  constructor({ failures, resting }: BreakerState = { failures: 0, resting: 0 }) {
    this.#failures = failures;
    this.#resting = resting;
  }

  /** Whether the next `admits` would return false. */
  get open(): boolean {
    return this.#resting > 0;
  }

  /** Whether the summarizer may be called now. Each refusal counts down the pause. */
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
