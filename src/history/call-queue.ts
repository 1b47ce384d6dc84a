// Runs the calls of one compactor one after another.

import { within } from '../contract/index.ts';
import { refuseAborted } from './problem.ts';

export class CallQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all earlier calls. A call cancelled while waiting leaves the queue immediately. */
  run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const before = this.#last;
    const waited = within(() => before, { signal }).catch(() => refuseAborted(signal));
    const done = waited.then(work);
    this.#last = before.then(() => done).catch(() => undefined);
    return done;
  }
}
