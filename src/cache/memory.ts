// A bounded in-memory conversion cache.

import { BoundedMap } from '../contract/index.ts';
import type { ConversionCache } from './cache.ts';

const MAX_BYTES = 32 * 1024 * 1024;

/** Evicts the least recently used entries above `maxBytes`. */
export function createMemoryCache(maxBytes: number = MAX_BYTES): ConversionCache {
  const entries = new BoundedMap<string, Uint8Array>({ most: maxBytes, weigh: ({ length }) => length });
  return {
    get: async (key) => entries.get(key)?.slice(),
    put: async (key, bytes) => entries.set(key, bytes.slice()),
  };
}
