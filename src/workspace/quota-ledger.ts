// A quota that processes share, on one machine or on many: a ledger counts what all of them write.

import { randomUUID } from 'node:crypto';
import type { Bytes } from '../contract/index.ts';
import type { Growth, Quota } from './quota.ts';
import type { Usage } from './workspace.ts';

/** A folder of a user, as the ledger knows it. */
export interface LedgerFolder {
  /** Equal for the same folder on every node, whatever its path there. */
  readonly key: string;
  /** 0: unlimited. */
  readonly maxBytes: Bytes;
  readonly maxFiles: number;
  /** What it holds now, without files that are not complete. */
  count(): Promise<Usage>;
}

/** One write, in all folders with a quota that contain it. */
export interface LedgerClaim {
  readonly id: string;
  readonly user: string;
  readonly folders: readonly LedgerFolder[];
  /** Something was removed: recount before the write is refused. */
  readonly isShrunk: () => boolean;
}

/** A folder that has no room for a claim. */
export interface FullFolder {
  /** Its place in the claim. */
  readonly index: number;
  readonly full: 'bytes' | 'files';
  readonly usage: Usage;
  /** What other writes have reserved. */
  readonly reserved: Usage;
}

/** Reserves before bytes are written, so that all reservations and all files together never pass a limit. */
export interface QuotaLedger {
  /**
   * Reserves `growth` in all folders or none, in place of what the claim has so far. Returns the first folder that is
   * full.
   */
  reserve(claim: LedgerClaim, growth: Growth): Promise<FullFolder | undefined>;
  /** The file is in its place: counts its growth instead of the reservation. */
  settle(claim: LedgerClaim, growth: Growth): Promise<void>;
  release(claim: LedgerClaim): Promise<void>;
}

/** @param refuse makes the error for a full folder */
export function sharedQuota(
  ledger: QuotaLedger,
  user: string,
  folders: readonly LedgerFolder[],
  refuse: (path: string, growth: Growth, full: FullFolder) => Error,
): Quota {
  let shrinks = 0;
  let counted = 0;
  return {
    claim: (path) => {
      let reserved = false;
      const claim: LedgerClaim = {
        id: randomUUID(),
        user,
        folders,
        isShrunk: () => shrinks > counted,
      };
      return {
        take: async (growth) => {
          if (growth.bytes <= 0 && growth.files <= 0 && !reserved) return;
          reserved = true;
          const before = shrinks;
          const full = await ledger.reserve(claim, growth);
          if (full === undefined) return;
          counted = Math.max(counted, before);
          throw refuse(path, growth, full);
        },
        settle: async (growth) => {
          if (growth.bytes < 0 || growth.files < 0) shrinks += 1;
          if (!reserved) return;
          reserved = false;
          await ledger.settle(claim, growth);
        },
        release: async () => {
          if (!reserved) return;
          reserved = false;
          await ledger.release(claim);
        },
      };
    },
    shrunk: () => {
      shrinks += 1;
    },
  };
}
