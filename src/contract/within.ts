// Waits for a caller's storage, cache or stream, which may never answer.

import { ReaderError } from './error.ts';

/** How long to wait; without either, until the work ends. */
export interface Patience {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

/**
 * The result of `work`. Work still running when the wait ends continues, and its outcome is ignored. Not started if
 * `signal` is already aborted.
 * @throws errors of `work`; the reason of `signal`; {ReaderError} TIMED_OUT
 */
export function within<T>(work: () => T | PromiseLike<T>, { signal, timeoutMs }: Patience): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      forget?.();
      settle();
    };
    const forget = signal && onAbort(signal, () => end(() => reject(signal.reason)));
    const late = (): void => end(() => reject(timedOut(timeoutMs)));
    const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
    // An async function also catches what `work` throws before it returns a promise.
    (async () => work())().then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}

/** Shares one listener per signal, because Node.js warns of a leak from the eleventh listener on. */
class Listeners {
  readonly #signal: AbortSignal;
  readonly #all = new Set<() => void>();
  readonly #hear = (): void => {
    for (const heard of [...this.#all]) heard();
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(heard: () => void): void {
    if (this.#all.size === 0) this.#signal.addEventListener('abort', this.#hear);
    this.#all.add(heard);
  }

  remove(heard: () => void): void {
    this.#all.delete(heard);
    if (this.#all.size === 0) this.#signal.removeEventListener('abort', this.#hear);
  }
}

const listeners = new WeakMap<AbortSignal, Listeners>();

/** Calls `heard` when `signal` aborts. Call the returned function to unsubscribe. */
function onAbort(signal: AbortSignal, heard: () => void): () => void {
  const known = listeners.get(signal) ?? new Listeners(signal);
  listeners.set(signal, known);
  known.add(heard);
  return () => known.remove(heard);
}

function timedOut(timeoutMs: number | undefined): ReaderError {
  return new ReaderError('TIMED_OUT', `No answer came in ${timeoutMs} ms.`, 'Try again, or allow more time.');
}

/**
 * The chunks of `stream`, waiting no longer than `signal` allows. A stream that has not ended is told to stop, without
 * waiting for its answer.
 * @throws errors of `stream`; the reason of `signal`
 */
export async function* piecesWithin<T>(
  stream: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  const iterator = stream[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await within(() => iterator.next(), { signal });
      if (done) {
        ended = true;
        return;
      }
      yield value;
    }
  } finally {
    if (!ended) within(() => iterator.return?.(), {}).catch(() => undefined);
  }
}
