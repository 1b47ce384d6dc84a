// Makes a conversation legal for its provider: what every compaction does first, without a window or a policy.

import type { Codec, CodecName } from './codecs/codec.ts';
import { createEstimator } from './cost/estimate.ts';
import { record } from './ledger/decisions.ts';
import { Following } from './ledger/following.ts';
import { Draft } from './policy/draft.ts';
import { repairDraft } from './policy/tiers/repair.ts';
import { refuseOtherList } from './problem.ts';
import type { Repair } from './report.ts';

/** A list that its provider accepts, and what was done for it. */
export interface Repaired<M> {
  /** Untouched messages are the same objects. */
  readonly messages: M[];
  /** In the order of the list; empty if nothing was wrong. */
  readonly repairs: readonly Repair[];
}

/** One repair may show another fault. */
const MOST_ROUNDS = 6;

/**
 * Repairs a conversation without shortening it: a late result moves next to its call, a second result of a call is added
 * to the first, empty texts and results without a call go, and a call without a result gets an error result. Calls of
 * the newest response may still be waiting for their results, and stay. Repairing twice changes nothing.
 * @param options.format default: detected from the messages
 * @throws {ReaderError} BAD_INPUT if `messages` is not an array or has an unknown format
 */
export function repair<M = object>(
  messages: readonly M[],
  { format }: { readonly format?: CodecName | Codec<M> } = {},
): Repaired<M> {
  refuseOtherList(messages);
  if (messages.length === 0) return { messages: [], repairs: [] };
  const { ledger, codec } = new Following<M>(format ?? null, null).of(messages);
  const estimator = createEstimator('conservative');
  let shown = ledger.follow(messages);
  const repairs = [...ledger.takeRepairs()];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const draft = new Draft(shown, codec.rules, estimator, 1, 0);
    const answers = repairDraft(draft, codec.rules);
    if (draft.repairs.length === 0) break;
    repairs.push(...draft.repairs);
    shown = record(draft, codec, { answers, notice: null }, () => null, ledger);
  }
  return {
    messages: shown.map(({ message }) => message),
    repairs: repairs.sort((a, b) => a.message - b.message),
  };
}
