// How much is done at once for one client: some calls run, some wait their turn, more are turned away.

import { ReaderError } from '../index.ts';

/** See `createLanes`. */
export interface Lanes {
  /** Does `work` when there is room. @throws {ReaderError} BUSY, ABORTED before it began */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** Room for `atOnce` works, in the order they came, and for `waiting` more to wait. */
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
            `${atOnce} calls are under way and ${waiting} wait.`,
            'Wait for answers, then call again.',
          );
        // Who leaves a lane hands it on, so that none who comes later is let in first.
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
