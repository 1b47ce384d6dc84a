// Retries operations of stores and queues during an outage, so that a long batch survives a short one.

import { setTimeout as wait } from 'node:timers/promises';
import type { BlobFacts, Blobs, ListBlobs } from '../blobs/index.ts';
import { type ErrorCode, throwIfAborted } from '../contract/index.ts';
import { ReaderError } from '../index.ts';

const OUTAGE_MS = 5 * 60_000;
const PAUSE_MS = 2000;

const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['TIMED_OUT', 'BUSY', 'INTERNAL']);

/** Errors of a driver have no code of ours. Those of the language are defects, which do not pass. */
function passes(error: unknown): boolean {
  if (error instanceof ReaderError) return PASSING.has(error.code);
  return !DEFECTS.some((type) => error instanceof type);
}

const DEFECTS = [TypeError, RangeError, ReferenceError, SyntaxError];

export interface Patience {
  readonly signal: AbortSignal;
  /** Called when a store or a queue does not answer and is waited for, with its error if there is one yet. */
  readonly onWait?: (error?: unknown) => void;
}

/** The result of `work`, which is repeated while its store or queue does not answer, for up to 5 minutes. */
export async function patiently<T>(work: () => Promise<T>, { signal, onWait }: Patience): Promise<T> {
  const until = performance.now() + OUTAGE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      throwIfAborted(signal);
      if (!passes(error) || performance.now() > until) throw error;
      onWait?.(error);
      await wait(PAUSE_MS, undefined, { signal }).catch(() => throwIfAborted(signal));
    }
  }
}

/** Lists a store, and continues after the last key when the listing breaks off. */
export async function* patientList(
  store: Blobs,
  prefix: string,
  { onSkipped, ...patience }: Patience & Pick<ListBlobs, 'onSkipped'>,
): AsyncGenerator<BlobFacts> {
  let after: string | undefined;
  let found: AsyncIterator<BlobFacts> | undefined;
  for (;;) {
    const next = await patiently(async () => {
      found ??= store
        .list(prefix, {
          signal: patience.signal,
          ...(after !== undefined && { after }),
          ...(onSkipped && { onSkipped }),
        })
        [Symbol.asyncIterator]();
      try {
        return await found.next();
      } catch (error) {
        found = undefined;
        throw error;
      }
    }, patience);
    if (next.done) return;
    after = next.value.key;
    yield next.value;
  }
}
