// The cache room's front.

export type { ConversionCache } from './cache.ts';
export { createMemoryCache } from './memory.ts';
