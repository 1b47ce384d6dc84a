// A conversion cache in this process's memory: bounded, gone with the process.

import { BoundedMap } from '../contract/index.ts';
import type { ConversionCache } from './cache.ts';

const MAX_BYTES = 32 * 1024 * 1024;

/** Least recently used entries leave first once `maxBytes` are held. */
export function createMemoryCache(maxBytes: number = MAX_BYTES): ConversionCache {
  const entries = new BoundedMap<string, Uint8Array>({ most: maxBytes, weigh: ({ length }) => length });
  return {
    get: async (key) => entries.get(key)?.slice(),
    put: async (key, bytes) => entries.set(key, bytes.slice()),
  };
}
