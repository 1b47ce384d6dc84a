// Public interface of the cache room.

export type { ConversionCache } from './cache.ts';
export { type CacheStats, createDiskCache, type DiskCache, type DiskCacheOptions } from './disk.ts';
export { createMemoryCache } from './memory.ts';
export { cacheDirectory } from './place.ts';
export { createStoredCache, type StoredCache, type StoredCacheOptions } from './stored.ts';
