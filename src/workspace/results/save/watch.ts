// Handles progress, cancellation and source errors during a save.

import { ReaderError, within } from '../../../contract/index.ts';

const PROGRESS_MILLISECONDS = 100;

/** Stops the save when the caller aborts, and reports progress. */
export class Watch {
  readonly #signal: AbortSignal | undefined;
  readonly #report: (() => void) | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #stopped: Promise<never>;
  #stop: (error: unknown) => void = () => undefined;
  readonly #abort = (): void => this.#stop(aborted(this.#signal?.reason));

  constructor(signal: AbortSignal | undefined, report: (() => void) | undefined) {
    this.#signal = signal;
    this.#report = report;
    this.#stopped = new Promise((_, reject) => {
      this.#stop = reject;
    });
    this.#stopped.catch(() => undefined);
    if (signal?.aborted) this.#abort();
    signal?.addEventListener('abort', this.#abort, { once: true });
    // The timer reports even while waiting for a slow source.
    if (report) this.#timer = setInterval(() => this.#tell(), PROGRESS_MILLISECONDS);
  }

  /** The result of `work`, or ABORTED at once even if `work` is still waiting for its source. */
  async over<Result>(work: Promise<Result>): Promise<Result> {
    work.catch(() => undefined);
    const result = await Promise.race([work, this.#stopped]);
    this.#tell();
    return result;
  }

  end(): void {
    clearInterval(this.#timer);
    this.#signal?.removeEventListener('abort', this.#abort);
  }

  #tell(): void {
    try {
      this.#report?.();
    } catch (error) {
      // Thrown from a timer, it would end the process.
      this.#stop(error);
    }
  }
}

function aborted(reason: unknown): ReaderError {
  return new ReaderError('ABORTED', 'The save was cancelled.', 'Save again.', reason);
}

export function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal.reason);
}

/** The result of `work`, which may wait for the caller's source: a promise, or the first item of a stream. */
export async function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await within(work, { signal });
  } catch (error) {
    checkAborted(signal);
    throw error;
  }
}
