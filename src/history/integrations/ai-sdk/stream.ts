// A model's stream that begins anew when it breaks off before anything was said.

/** Parts that come before a model says anything. */
const PREAMBLE: ReadonlySet<unknown> = new Set(['stream-start', 'response-metadata', 'raw', 'error']);

export interface StreamRecovery<P> {
  /** Another stream in the place of one that ended with `error` before content; null where there is none. */
  restart(error: unknown): Promise<ReadableStream<P> | null>;
  /** Every part that is passed on. */
  passed(part: P): void;
}

function field(part: unknown, name: string): unknown {
  // Parts are objects; only their fields are read.
  return typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[name] : undefined;
}

/**
 * `first`, part by part as it is read. An error in it before its first content, as a part or as a failure, is met by one
 * restart; what the new stream says, and how it ends, is passed on as it comes. Cancelling cancels whichever stream runs.
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
      const type = field(read.value, 'type');
      if (type === 'error' && (await restarted(field(read.value, 'error')))) continue;
      // It was told already.
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
