// From when a prompt is compacted, and how far down: a policy's marks in tokens of one call. Only arithmetic.

import type { Tokens } from '../../contract/index.ts';
import type { CallOptions } from '../call-options.ts';
import type { Resolved } from '../options.ts';
import { promptAt, tokensAt } from './threshold.ts';

const MOST_RESERVE = 8192;
const RESERVE_SHARE = 0.1;
/** What a batch goes down to is at most this of what it begins at: nearer, every other call would compact. */
const MOST_LEFT = 0.75;
/** Newest groups that stay take at most this share of what a batch goes down to. */
const RECENT_SHARE = 0.5;

/** What a call's tiers are measured against, in real tokens of the prompt. */
export interface Targets {
  readonly window: Tokens;
  /** What a prompt may cost. */
  readonly capacity: Tokens;
  /** Of the prompt, what is no history: instructions and tools. */
  readonly fixed: Tokens;
  /** The lowest of the triggers. */
  readonly trigger: Tokens;
  /** Down to this. */
  readonly low: Tokens;
  /** Of what a batch begins at, what it leaves. */
  readonly share: number;
  /** The caller has named the target: every tier helps to reach it. */
  readonly explicit: boolean;
  /** The caller demands a compaction now: as if everything were above its trigger, and every tier helps. */
  readonly force: boolean;
  /** Tokens of newest groups that stay. */
  readonly recent: Tokens;
}

/** Tokens of the prompt above which a tier acts, within what the window can take. */
export function triggerAt(
  at: number,
  { window, capacity, fixed }: Pick<Targets, 'window' | 'capacity' | 'fixed'>,
): Tokens {
  return Math.min(promptAt(at, window, fixed), capacity);
}

/** The targets of a call; `fixed` are the tokens of its instructions and tools. */
export function targetsOf(
  {
    policy,
    threshold,
    mustReach,
    window: own,
  }: Pick<Resolved<never>, 'policy' | 'threshold' | 'mustReach' | 'window'>,
  { window: called, force }: CallOptions,
  fixed: Tokens,
): Targets {
  const window = called ?? own;
  const kept = policy.reserve ?? Math.min(MOST_RESERVE, Math.floor(window * RESERVE_SHARE));
  const capacity = Math.max(1, Math.floor(window * (1 - policy.margin)) - kept);
  const marks = [policy.mask, policy.pointers, policy.drop, policy.summarize].flatMap((tier) => {
    const at = tier ? (tier.at ?? threshold.at) : 0;
    return at > 0 ? [triggerAt(at, { window, capacity, fixed })] : [];
  });
  const first = Math.min(capacity, ...marks);
  const share = Math.min(tokensAt(threshold.to, window) / tokensAt(threshold.at, window), MOST_LEFT);
  // A preset's own target shrinks with what instructions, tools and the window leave of its trigger.
  const wished = fixed + share * Math.max(0, first - fixed);
  const low = Math.min(mustReach ? promptAt(threshold.to, window, fixed) : Math.floor(wished), capacity);
  const trigger = Math.min(capacity, Math.max(first, low));
  const recent = Math.min(policy.keepRecent * window, RECENT_SHARE * Math.max(0, low - fixed));
  return {
    window,
    capacity,
    fixed,
    trigger,
    low,
    share,
    explicit: mustReach,
    force: force === true,
    recent,
  };
}

/** What a list that cost `before` may cost when all is done. */
export function limitOf({ force, explicit, trigger, low, capacity }: Targets, before: Tokens): Tokens {
  return force || (explicit && before > trigger) ? Math.min(low, capacity) : capacity;
}
