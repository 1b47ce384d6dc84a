// The conversion cache of several nodes, in object storage, with a cache of each node in front of it.

import type { Blobs } from '../blobs/index.ts';
import { type Bytes, ReaderError } from '../contract/index.ts';
import type { ConversionCache } from './cache.ts';
import { headerOf, KEY, payloadOf } from './entry.ts';

const PREFIX = 'cache/v1/';
/** As the cache on disk: an entry is at most 1/32 of 512 MiB. */
const MAX_ENTRY_BYTES: Bytes = 16 * 1024 * 1024;
/** Converting is better than waiting longer. */
const WAIT_MS = 5000;
/** A storage that failed is not asked for this long. */
const REST_MS = 30_000;
/** Entries are dropped this long after they were written. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Where entries are kept. */
export interface StoredCacheOptions {
  readonly storage: Blobs;
  /** Asked first, and filled from the storage. */
  readonly local?: ConversionCache | undefined;
}

/** A conversion cache that several machines share. */
export interface StoredCache extends ConversionCache {
  /** Drops entries older than 30 days, and returns how many. @throws {ReaderError} errors of the storage */
  prune(signal?: AbortSignal): Promise<number>;
}

/** A cache below `cache/` of `storage`. A storage that fails is an empty cache, and is not asked again for 30 seconds. */
export function createStoredCache({ storage, local }: StoredCacheOptions): StoredCache {
  let restsUntil = 0;
  /** Undefined if the storage has nothing, or fails: the document is converted again. */
  const asked = async <T>(key: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> => {
    if (!KEY.test(key) || performance.now() < restsUntil) return undefined;
    try {
      return await work(AbortSignal.timeout(WAIT_MS));
    } catch (error) {
      if (!(error instanceof ReaderError && error.code === 'FILE_NOT_FOUND'))
        restsUntil = performance.now() + REST_MS;
      return undefined;
    }
  };
  return {
    get: async (key) => {
      const known = await local?.get(key);
      if (known) return known;
      const entry = await asked(key, (signal) =>
        storage.read(`${PREFIX}${key}`, { to: MAX_ENTRY_BYTES + 1, signal }),
      );
      const payload = entry && payloadOf(entry, key);
      if (payload) await local?.put(key, payload);
      return payload;
    },
    put: async (key, payload) => {
      await local?.put(key, payload);
      const entry = Buffer.concat([headerOf(key, payload), payload]);
      if (entry.length > MAX_ENTRY_BYTES) return;
      await asked(key, (signal) => storage.put(`${PREFIX}${key}`, entry, { signal }));
    },
    prune: async (signal) => {
      let removed = 0;
      for await (const { key, modified } of storage.list(PREFIX, signal && { signal }))
        if (Date.now() - modified.getTime() > KEPT_MS && (await storage.remove(key))) removed += 1;
      return removed;
    },
  };
}
