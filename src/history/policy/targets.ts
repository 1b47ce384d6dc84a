// Converts a policy's thresholds to tokens for one call: when to compact and how far. Arithmetic only.

import type { Tokens } from '../../contract/index.ts';
import type { CallOptions } from '../call-options.ts';
import type { Resolved } from '../options.ts';
import { promptAt, tokensAt } from './threshold.ts';

const MOST_RESERVE = 8192;
const RESERVE_SHARE = 0.1;
/** Maximum target as a share of the trigger. A higher target would compact at every other call. */
const MOST_LEFT = 0.75;
/** Maximum share of the target for the newest groups, which stay. */
const RECENT_SHARE = 0.5;

/** Sizes that a call's tiers are compared with, in real prompt tokens. */
export interface Targets {
  readonly window: Tokens;
  /** The window is a guess. */
  readonly windowAssumed: boolean;
  /** Maximum prompt size. */
  readonly capacity: Tokens;
  /** Prompt tokens that are not history: instructions and tools. */
  readonly fixed: Tokens;
  /** The lowest trigger. */
  readonly trigger: Tokens;
  /** The target. */
  readonly low: Tokens;
  /** The target as a share of the trigger. */
  readonly share: number;
  /** The caller set the target: every tier helps to reach it. */
  readonly explicit: boolean;
  /** The caller requested a compaction: act as if every trigger were exceeded, with every tier. */
  readonly force: boolean;
  /** Tokens of the newest groups that stay. */
  readonly recent: Tokens;
}

/** Prompt tokens above which a tier acts, at most the capacity. */
export function triggerAt(
  at: number,
  { window, capacity, fixed }: Pick<Targets, 'window' | 'capacity' | 'fixed'>,
): Tokens {
  return Math.min(promptAt(at, window, fixed), capacity);
}

/** Targets of a call; `fixed` is the size of its instructions and tools. */
export function targetsOf(
  {
    policy,
    threshold,
    mustReach,
    window: own,
    isWindowKnown,
  }: Pick<Resolved<never>, 'policy' | 'threshold' | 'mustReach' | 'window' | 'isWindowKnown'>,
  { window: called, force }: CallOptions,
  fixed: Tokens,
): Targets {
  const window = called ?? own;
  const windowAssumed = called === undefined && !isWindowKnown;
  const kept = policy.reserve ?? Math.min(MOST_RESERVE, Math.floor(window * RESERVE_SHARE));
  const capacity = Math.max(1, Math.floor(window * (1 - policy.margin)) - kept);
  const marks = [policy.mask, policy.pointers, policy.drop].flatMap((tier) => {
    const at = tier ? (tier.at ?? threshold.at) : 0;
    return at > 0 ? [triggerAt(at, { window, capacity, fixed })] : [];
  });
  const first = Math.min(capacity, ...marks);
  const share = Math.min(tokensAt(threshold.to, window) / tokensAt(threshold.at, window), MOST_LEFT);
  // The preset's target shrinks if instructions, tools and the window lower its trigger.
  const wished = fixed + share * Math.max(0, first - fixed);
  const low = Math.min(mustReach ? promptAt(threshold.to, window, fixed) : Math.floor(wished), capacity);
  const trigger = Math.min(capacity, Math.max(first, low));
  const recent = Math.min(policy.keepRecent * window, RECENT_SHARE * Math.max(0, low - fixed));
  return {
    window,
    windowAssumed,
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

/** Maximum size after compaction of a list that was `before` tokens long. */
export function limitOf({ force, explicit, trigger, low, capacity }: Targets, before: Tokens): Tokens {
  return force || (explicit && before > trigger) ? Math.min(low, capacity) : capacity;
}
