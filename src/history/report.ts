// What a compaction did, as data: for callers, callbacks, statistics and the command line.

import type { ErrorCode, Tokens } from '../contract/index.ts';
import type { CodecName } from './codecs/codec.ts';
import type { Role } from './codecs/message.ts';
import type { PresetName } from './policy/policy.ts';
import type { Reason } from './policy/reasons.ts';
import type { Targets } from './policy/targets.ts';

/** The tiers, from free and reversible to lossy, in the order they act. */
export type Tier = 'offload' | 'truncate' | 'mask' | 'pointers' | 'drop' | 'summarize';

/** Tokens and messages of a list, as estimated with one scale before and after. */
export interface Size {
  readonly messages: number;
  /** Of the prompt: messages, and the system prompt and tools told beside them. */
  readonly tokens: Tokens;
}

/** What one tier did in one compaction. */
export interface TierReport {
  readonly tier: Tier;
  /** Results or arguments it replaced, or groups it took away: a turn with its calls and results is one. */
  readonly changed: number;
  readonly saved: Tokens;
}

/** What became of one message of the list that came, and why. */
export interface MessageReason {
  /** Its place in that list, from 0. */
  readonly message: number;
  readonly role: Role;
  /** Tokens that it came with, and those that are left of it. */
  readonly before: Tokens;
  readonly after: Tokens;
  readonly fate: 'stays' | 'changed' | 'left-out';
  /** What changed it or left it out; null where it stays. */
  readonly tier: Tier | 'repair' | null;
  /** Null where nothing had to be decided: the list is below every trigger, or there is room for it. */
  readonly reason: Reason | null;
}

/** Something a provider would have refused, put right. */
export interface Repair {
  readonly kind:
    | 'orphan-result'
    | 'duplicate-result'
    | 'interrupted-call'
    | 'empty-message'
    | 'reasoning-alone';
  readonly callId: string | null;
  /** In the list that came, from 0. */
  readonly message: number;
}

/** Why a list is still above what it should be, or why nothing was done. */
export interface Problem {
  readonly code: Extract<
    ErrorCode,
    'OVER_BUDGET' | 'ACCESS_DENIED' | 'QUOTA_EXCEEDED' | 'TIMED_OUT' | 'INTERNAL'
  >;
  /** What is in the way, with figures. */
  readonly message: string;
  /** One next step. */
  readonly hint: string;
}

/** How a summary came to be. */
export interface SummaryReport {
  /** `model`: the summarizer's; `digest`: extracted without a model; `cut`: 25 % head and 75 % tail of the transcript. */
  readonly by: 'model' | 'digest' | 'cut';
  /** Messages it stands for. */
  readonly messages: number;
  readonly tokens: Tokens;
  /** Calls of the summarizer. */
  readonly attempts: number;
  /** Why the summarizer's own text was not taken; null when it was, or there is none. */
  readonly refused: string | null;
}

export interface Report {
  /** `none`: nothing was above its trigger; `kept`: something was, and could not be helped (see `problem`). */
  readonly action: 'none' | 'compacted' | 'kept';
  readonly codec: CodecName;
  readonly preset: PresetName;
  readonly before: Size;
  readonly after: Size;
  /** Of the model. */
  readonly window: Tokens;
  /** Above this the list is compacted. */
  readonly trigger: Tokens;
  /** Down to this. */
  readonly target: Tokens;
  /** `after.tokens` is at most what a prompt may cost: the caller's `target`, or what the window leaves beside reserve and margin. */
  readonly fits: boolean;
  readonly problem: Problem | null;
  /** Those that acted, in order. */
  readonly tiers: readonly TierReport[];
  readonly repairs: readonly Repair[];
  readonly summary: SummaryReport | null;
  /** Where originals of this compaction lie, as `restore` takes them. */
  readonly pointers: readonly string[];
  /** Messages at the front that are byte for byte those of the call before: what a prompt cache can keep. */
  readonly stablePrefix: number;
  /** By message, where the call asked for it with `explain`. */
  readonly reasons?: readonly MessageReason[];
}

/** Sums over the life of a compactor. */
export interface HistoryStats {
  readonly calls: number;
  readonly compactions: number;
  /** By tier; nothing for those that never acted. */
  readonly saved: Readonly<Partial<Record<Tier, Tokens>>>;
  readonly totalSaved: Tokens;
  readonly summaries: number;
  readonly refusedSummaries: number;
  readonly repairs: number;
  /** Real prompt tokens per estimated one, as observed; 1 before the first. */
  readonly calibration: number;
}

/** Of a list without messages, not even of a known format, beside which `tokens` are given. */
export function emptyReport(preset: PresetName, targets: Targets, tokens: Tokens): Report {
  const size = { messages: 0, tokens };
  return {
    action: 'none',
    codec: 'openai-chat',
    preset,
    before: size,
    after: size,
    window: targets.window,
    trigger: targets.trigger,
    target: targets.low,
    fits: tokens <= targets.capacity,
    problem: null,
    tiers: [],
    repairs: [],
    summary: null,
    pointers: [],
    stablePrefix: 0,
  };
}
