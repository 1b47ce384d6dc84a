// Many small requests to object storage, a few at the same time.

/** Requests in flight. */
const AT_ONCE = 8;

/** Ends early when `work` says so. Waits for all work that has begun, also if some fails. */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  work: (item: T) => Promise<'end' | undefined>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  let failed: { readonly error: unknown } | undefined;
  let ended = false;
  for await (const item of items) {
    const one = work(item)
      .then((said) => {
        ended ||= said === 'end';
      })
      .catch((error: unknown) => {
        failed ??= { error };
      })
      .finally(() => running.delete(one));
    running.add(one);
    if (running.size >= AT_ONCE) await Promise.race(running);
    if (ended || failed) break;
  }
  await Promise.all(running);
  if (failed) throw failed.error;
}
