// Memory limit shared by all request bodies. A body that does not fit is stored on disk, or rejected.

import type { Bytes } from '../../../index.ts';

export interface MemoryBudget {
  /** Reserves memory; returns false, without reserving any, if not enough is left. */
  take(bytes: Bytes): boolean;
  give(bytes: Bytes): void;
}

export function createMemoryBudget(maxBytes: Bytes): MemoryBudget {
  let taken = 0;
  return {
    take: (bytes) => {
      if (taken + bytes > maxBytes) return false;
      taken += bytes;
      return true;
    },
    give: (bytes) => {
      taken -= bytes;
    },
  };
}
