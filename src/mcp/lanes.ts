// Concurrency limit for one client: some calls run, some wait, and the rest are rejected.

import { ReaderError } from '../index.ts';

/** See `createLanes`. */
export interface Lanes {
  /** Runs `work` when there is room. @throws {ReaderError} BUSY, ABORTED before it began */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** Allows `atOnce` concurrent calls, in order of arrival, and `waiting` more to wait. */
export function createLanes(atOnce: number, waiting: number): Lanes {
  let running = 0;
  const queue = new Set<() => void>();
  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const give = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        queue.delete(give);
        reject(new ReaderError('ABORTED', 'The call was cancelled before it began.', 'Call again.'));
      };
      queue.add(give);
      signal.addEventListener('abort', leave, { once: true });
    });
  return {
    async run(signal, work) {
      if (running >= atOnce) {
        if (queue.size >= waiting)
          throw new ReaderError(
            'BUSY',
            `${atOnce} calls are running and ${waiting} are waiting.`,
            'Wait for answers, then call again.',
          );
        // A finished call passes its slot on, so that no later caller gets in first.
        await turn(signal);
      } else running += 1;
      try {
        return await work();
      } finally {
        const [next] = queue;
        if (next) {
          queue.delete(next);
          next();
        } else running -= 1;
      }
    },
  };
}
