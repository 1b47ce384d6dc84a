// A conversion cache in this process's memory: bounded, gone with the process.

import type { ConversionCache } from './cache.ts';

const MAX_BYTES = 32 * 1024 * 1024;

/** Least recently used entries leave first once `maxBytes` are held. */
export function createMemoryCache(maxBytes: number = MAX_BYTES): ConversionCache {
  const entries = new Map<string, Uint8Array>();
  let held = 0;
  const drop = (key: string): void => {
    held -= entries.get(key)?.length ?? 0;
    entries.delete(key);
  };
  return {
    get: async (key) => {
      const bytes = entries.get(key);
      if (!bytes) return undefined;
      entries.delete(key);
      entries.set(key, bytes);
      return bytes.slice();
    },
    put: async (key, bytes) => {
      drop(key);
      if (bytes.length > maxBytes) return;
      entries.set(key, bytes.slice());
      held += bytes.length;
      for (const oldest of entries.keys()) {
        if (held <= maxBytes) break;
        drop(oldest);
      }
    },
  };
}
