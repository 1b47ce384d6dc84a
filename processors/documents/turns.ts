// Yields to other tasks during long work.

import { throwIfAborted } from '../../src/contract/index.ts';

/** The time after which it yields. */
const TURN_MS = 20;

/** A function to call often: now and then it yields to other tasks. @throws {ReaderError} ABORTED */
export function createPause(signal: AbortSignal): () => Promise<void> {
  let turn = performance.now();
  return async () => {
    throwIfAborted(signal);
    if (performance.now() - turn < TURN_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    throwIfAborted(signal);
    turn = performance.now();
  };
}
