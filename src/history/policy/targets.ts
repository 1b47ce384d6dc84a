// From when a prompt is compacted, and how far down: a policy's fractions in tokens of one call. Only arithmetic.

import type { Tokens } from '../../contract/index.ts';
import type { CallOptions, Resolved } from '../options.ts';
import type { Policy } from './policy.ts';

const MOST_RESERVE = 8192;
const RESERVE_SHARE = 0.1;
/** A low-water mark in tokens is at most this of the trigger: nearer, every other call would compact. */
const MOST_LOW_WATER = 0.5;
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
  /** The caller has named the target: every tier helps to reach it. */
  readonly explicit: boolean;
  /** The caller demands a compaction now: as if everything were above its trigger, and every tier helps. */
  readonly force: boolean;
  /** Tokens of newest groups that stay. */
  readonly recent: Tokens;
}

/** Of the prompt: a fraction of the window, or the policy's tokens of history, within what the window can take. */
export function triggerAt(
  { over }: Policy,
  at: number,
  { window, capacity, fixed }: Pick<Targets, 'window' | 'capacity' | 'fixed'>,
): Tokens {
  return Math.min(Math.floor(at * window), capacity, over === null ? capacity : over + fixed);
}

/** The targets of a call; `fixed` are the tokens of its instructions and tools. */
export function targetsOf(
  { policy, reserve, target, window: own }: Pick<Resolved<never>, 'policy' | 'reserve' | 'target' | 'window'>,
  { window: called, force }: CallOptions,
  fixed: Tokens,
): Targets {
  const window = called ?? own;
  const kept = reserve ?? Math.min(MOST_RESERVE, Math.floor(window * RESERVE_SHARE));
  const capacity = Math.max(1, Math.floor(window * (1 - policy.margin)) - kept);
  const marks = [policy.mask, policy.pointers, policy.drop, policy.summarize].flatMap((tier) =>
    tier && tier.at > 0 ? [triggerAt(policy, tier.at, { window, capacity, fixed })] : [],
  );
  const first = Math.min(capacity, ...marks);
  const { lowWater } = policy;
  const history = Math.max(0, first - fixed);
  const lowest =
    typeof lowWater === 'number' ? lowWater * history : Math.min(lowWater.tokens, history * MOST_LOW_WATER);
  const low = Math.min(target ?? Math.floor(fixed + lowest), capacity);
  const trigger = Math.min(capacity, Math.max(first, low));
  const recent = Math.min(policy.keepRecent * window, RECENT_SHARE * Math.max(0, low - fixed));
  return { window, capacity, fixed, trigger, low, explicit: target !== null, force: force === true, recent };
}

/** What a list that cost `before` may cost when all is done. */
export function limitOf({ force, explicit, trigger, low, capacity }: Targets, before: Tokens): Tokens {
  const isDemanded = force || (explicit && before > trigger);
  return isDemanded ? Math.min(low, capacity) : capacity;
}
