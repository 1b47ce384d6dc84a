// Calls a function of the caller's that may call a model, and stops it when the wait for it ends.

import { type Patience, within } from '../contract/index.ts';

/** The result of `work`, which gets a signal that aborts if it is waited for no longer. @throws see `within` */
export async function stopping<T>(
  work: (signal: AbortSignal) => T | PromiseLike<T>,
  patience: Patience,
): Promise<T> {
  const stop = new AbortController();
  try {
    return await within(() => work(stop.signal), patience);
  } catch (error) {
    stop.abort(patience.signal?.reason);
    throw error;
  }
}
