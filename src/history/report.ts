// What a compaction did, as data for callers, callbacks, statistics and the command line.

import type { ErrorCode, Tokens } from '../contract/index.ts';
import type { CodecName } from './codecs/codec.ts';
import type { PresetName } from './policy/policy.ts';

/** The tiers in the order they act, from free and reversible to lossy. */
export type Tier = 'offload' | 'truncate' | 'mask' | 'pointers' | 'drop';

/** Estimated size of a list, on the same scale before and after. */
export interface Size {
  readonly messages: number;
  /** Of the prompt: messages, plus the system prompt and tools passed outside them. */
  readonly tokens: Tokens;
}

/** What one tier did in one compaction. */
export interface TierReport {
  readonly tier: Tier;
  /** Number of results or arguments replaced, or of groups removed: a turn with its calls and results is one group. */
  readonly changed: number;
  readonly saved: Tokens;
}

/** A fix for something a provider would have rejected. */
export interface Repair {
  readonly kind: /** Moved next to its call. */
    | 'late-result'
    /** A call, and its result, got another id. */
    | 'duplicate-id'
    | 'empty-text'
    | 'orphan-result'
    | 'duplicate-result'
    | 'interrupted-call'
    | 'empty-message'
    | 'reasoning-alone';
  readonly callId: string | null;
  /** Index in the input list, from 0. */
  readonly message: number;
}

/** Why a list is still over its limit, or why nothing was done. */
export interface Problem {
  readonly code: Extract<
    ErrorCode,
    'OVER_BUDGET' | 'ACCESS_DENIED' | 'QUOTA_EXCEEDED' | 'TIMED_OUT' | 'INTERNAL'
  >;
  /** What was found and expected, with numbers. */
  readonly message: string;
  /** One next step. */
  readonly hint: string;
}

/** How a summary was made. */
export interface SummaryReport {
  /** `model`: by the summarizer; `digest`: extracted; `cut`: 25 % head and 75 % tail of the transcript. */
  readonly by: 'model' | 'digest' | 'cut';
  /** Number of messages it replaces. */
  readonly messages: number;
  readonly tokens: Tokens;
  /** Number of summarizer calls. */
  readonly attempts: number;
  /** Why the summarizer's text was rejected; null if it was accepted, or there is no summarizer. */
  readonly refused: string | null;
}

export interface Report {
  /** `none`: nothing was above its trigger; `kept`: something was, but could not be reduced (see `problem`). */
  readonly action: 'none' | 'compacted' | 'kept';
  readonly codec: CodecName;
  readonly preset: PresetName;
  readonly before: Size;
  readonly after: Size;
  /** The model's window. */
  readonly window: Tokens;
  /** The list is compacted above this size. */
  readonly trigger: Tokens;
  /** Compaction reduces the list to this size. */
  readonly target: Tokens;
  /** `after.tokens` is within the limit: the caller's `threshold.to`, or the window minus reserve and margin. */
  readonly fits: boolean;
  readonly problem: Problem | null;
  /** `window` is a guess, because the model's name is unknown. */
  readonly windowAssumed: boolean;
  /** Number of documents, sounds and videos in the list whose size is unknown; the sizes do not include them. */
  readonly unknownSizes: number;
  /** Tiers that acted, in order. */
  readonly tiers: readonly TierReport[];
  readonly repairs: readonly Repair[];
  readonly summary: SummaryReport | null;
  /** Locations of this compaction's originals, for `restore`. */
  readonly pointers: readonly string[];
  /**
   * Number of leading messages that are byte-identical to those of the previous call, which a prompt cache can reuse.
   */
  readonly stablePrefix: number;
}

/** Totals over the lifetime of a compactor. */
export interface HistoryStats {
  readonly calls: number;
  readonly compactions: number;
  /** By tier; without those that never acted. */
  readonly saved: Readonly<Partial<Record<Tier, Tokens>>>;
  readonly totalSaved: Tokens;
  readonly summaries: number;
  readonly refusedSummaries: number;
  readonly repairs: number;
  /** Observed prompt tokens per estimated token; 1 before the first observation. */
  readonly calibration: number;
}
