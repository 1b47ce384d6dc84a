// Memory that the bodies of all requests may take together. What finds no room goes to disk, or is refused.

import type { Bytes } from '../../../index.ts';

export interface MemoryBudget {
  /** False, and nothing is taken, when there is not as much left. */
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
