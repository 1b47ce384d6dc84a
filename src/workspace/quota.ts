// How much a workspace may hold. What it holds is counted by looking, kept for a short while, and corrected by what is
// written and removed meanwhile.

import type { Bytes } from '../contract/index.ts';

/** Growth by one write. */
export interface Growth {
  /** May be negative: less than there was before. */
  readonly bytes: Bytes;
  /** Files and folders. */
  readonly files: number;
}

/** Room taken by one write, until it is settled or given back. */
export interface Claim {
  /** The write has grown to `growth` in all. @throws {ReaderError} QUOTA_EXCEEDED */
  take(growth: Growth): Promise<void>;
  /** It is there, and this large. */
  settle(growth: Growth): void;
  /** It did not come to anything. After `settle` nothing more. */
  release(): void;
}

/** What may still be written. */
export interface Quota {
  claim(path: string): Claim;
  /** Something was removed or is there that nobody claimed. */
  changed(growth: Growth): void;
}
