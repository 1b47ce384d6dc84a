// Restarts a model's stream if it fails before its first content.

import { fields } from './call.ts';

/** Parts that precede content. */
const PREAMBLE: ReadonlySet<unknown> = new Set(['stream-start', 'response-metadata', 'raw', 'error']);

export interface StreamRecovery<P> {
  /** Returns a new stream to replace one that ended with `error` before content; null to pass the error on. */
  restart(error: unknown): Promise<ReadableStream<P> | null>;
  /** Called for every part that is passed on. */
  passed(part: P): void;
}

/**
 * Passes `first` on part by part. An error before its first content, as a part or a failure, causes one restart;
 * everything in the new stream is passed on, including how it ends. Cancelling cancels the current stream.
 */
export function recoveringStream<P>(
  first: ReadableStream<P>,
  { restart, passed }: StreamRecovery<P>,
): ReadableStream<P> {
  let reader = first.getReader();
  let mayRestart = true;
  let isCancelled = false;
  let isSecond = false;

  const restarted = async (error: unknown): Promise<boolean> => {
    if (!mayRestart) return false;
    mayRestart = false;
    const stream = await restart(error);
    if (stream === null) return false;
    reader.cancel().catch(() => undefined);
    reader = stream.getReader();
    isSecond = true;
    if (isCancelled) await reader.cancel();
    return true;
  };

  const pull = async (controller: ReadableStreamDefaultController<P>): Promise<void> => {
    for (;;) {
      const read = await reader.read().catch(async (error: unknown) => {
        if (await restarted(error)) return null;
        throw error;
      });
      if (read === null) continue;
      if (read.done) {
        if (!isCancelled) controller.close();
        return;
      }
      const { type, error } = fields(read.value);
      if (type === 'error' && (await restarted(error))) continue;
      // Already passed on.
      if (type === 'stream-start' && isSecond) continue;
      if (!PREAMBLE.has(type)) mayRestart = false;
      passed(read.value);
      if (!isCancelled) controller.enqueue(read.value);
      return;
    }
  };

  return new ReadableStream<P>(
    {
      pull,
      cancel: (reason) => {
        isCancelled = true;
        mayRestart = false;
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
