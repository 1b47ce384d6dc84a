// Runs the calls of one compactor one after another, and never removes files while a result that no message names yet
// is being written.

import { within } from '../contract/index.ts';
import { refuseAborted } from './problem.ts';

export class CallQueue {
  #last: Promise<unknown> = Promise.resolve();
  /** Results being written to storage. A prune waits for them; results that arrive later wait for the prune. */
  readonly #arriving = new Set<Promise<void>>();
  #pruned: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all earlier calls. A call cancelled while waiting leaves the queue immediately. */
  run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const before = this.#last;
    const waited = within(() => before, { signal }).catch(() => refuseAborted(signal));
    const done = waited.then(work);
    this.#last = before.then(() => done).catch(() => undefined);
    return done;
  }

  /**
   * Runs `work`, which removes files, in turn and only while no result is being written: new files are unreferenced.
   */
  prune<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const done = this.run(async () => {
      await within(() => Promise.all(this.#arriving), { signal }).catch(() => refuseAborted(signal));
      return work();
    }, signal);
    const before = this.#pruned;
    this.#pruned = done.catch(() => undefined).then(() => before);
    return done;
  }

  /** Runs `work`, which writes a result, in parallel with other calls but after every prune. */
  async arrive(work: () => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    for (let pruned: unknown = null; pruned !== this.#pruned; ) {
      pruned = this.#pruned;
      await within(() => pruned, { signal });
    }
    const written = work();
    const ended = written.catch(() => undefined).finally(() => this.#arriving.delete(ended));
    this.#arriving.add(ended);
    await written;
  }
}
