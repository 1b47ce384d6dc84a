// The order in which the calls of one compactor run: one after another, and never a removal of files while a result that
// nothing names yet is being written.

import { within } from '../contract/index.ts';
import { refuseAborted } from './problem.ts';

export class CallQueue {
  #last: Promise<unknown> = Promise.resolve();
  /** Results on their way to the storage. A prune waits for them, and those that come after it for the prune. */
  readonly #arriving = new Set<Promise<void>>();
  #pruned: Promise<unknown> = Promise.resolve();

  /** Runs `work` when the calls before are over. A call that is cancelled while it waits leaves the queue at once. */
  run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const before = this.#last;
    const waited = within(() => before, { signal }).catch(() => refuseAborted(signal));
    const done = waited.then(work);
    this.#last = before.then(() => done).catch(() => undefined);
    return done;
  }

  /** Runs `work`, which removes files, in its turn and while no result is on its way: a file being written is not named yet. */
  prune<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const done = this.run(async () => {
      await within(() => Promise.all(this.#arriving), { signal }).catch(() => refuseAborted(signal));
      return work();
    }, signal);
    const before = this.#pruned;
    this.#pruned = done.catch(() => undefined).then(() => before);
    return done;
  }

  /** Runs `work`, which writes a result, beside the other calls, but after every prune. */
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
