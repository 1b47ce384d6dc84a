// Rate limits per key and user: one token bucket each. The store is an interface; this one is in-process, for a single
// node. `shared-rates.ts` has those of several nodes.

export interface RateStore {
  /** Takes one token from each bucket, or none at all. `waitMs`: when the next request would be allowed. */
  take(buckets: readonly string[]): Promise<{ readonly allowed: boolean; readonly waitMs: number }>;
}

export interface RateOptions {
  /** Requests per minute added to each bucket. */
  readonly perMinute: number;
  /** Maximum burst of requests. */
  readonly burst: number;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

interface Bucket {
  level: number;
  at: number;
}

/** Full buckets are dropped, least recently used first. */
const MAX_BUCKETS = 100_000;

export function createMemoryRates({ perMinute, burst, now = monotonic }: RateOptions): RateStore {
  const buckets = new Map<string, Bucket>();
  const perMs = perMinute / 60_000;
  const levelOf = (name: string, at: number): number => {
    const bucket = buckets.get(name);
    return bucket ? Math.min(burst, bucket.level + (at - bucket.at) * perMs) : burst;
  };
  return {
    take: (names) => {
      const at = now();
      const levels = names.map((name) => levelOf(name, at));
      const least = Math.min(...levels);
      if (least < 1) return Promise.resolve({ allowed: false, waitMs: Math.ceil((1 - least) / perMs) });
      for (const [index, name] of names.entries()) {
        buckets.delete(name);
        buckets.set(name, { level: (levels[index] ?? 0) - 1, at });
      }
      for (const name of buckets.keys()) {
        if (buckets.size <= MAX_BUCKETS) break;
        buckets.delete(name);
      }
      return Promise.resolve({ allowed: true, waitMs: 0 });
    },
  };
}

const monotonic = (): number => performance.now();
