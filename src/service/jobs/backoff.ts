// Delay before a retry: exponential, with jitter so that things that failed together are not retried together.

export interface BackoffRange {
  readonly firstMs: number;
  readonly factor: number;
  readonly mostMs: number;
}

/** For an item: 1 s, 4 s, 16 s, ... at most 5 minutes. */
export const ITEM_BACKOFF: BackoffRange = { firstMs: 1000, factor: 4, mostMs: 5 * 60_000 };

/** For a webhook: 5 s, 30 s, 3 min, 18 min, ... at most 6 hours, near the schedule Standard Webhooks recommends. */
export const WEBHOOK_BACKOFF: BackoffRange = { firstMs: 5000, factor: 6, mostMs: 6 * 60 * 60_000 };

/** Milliseconds to wait after failure number `failures` (from 1): between half and all of the step. */
export function backoffMs({ firstMs, factor, mostMs }: BackoffRange, failures: number): number {
  const step = Math.min(mostMs, firstMs * factor ** Math.max(0, failures - 1));
  return Math.round(step * (0.5 + Math.random() / 2));
}
