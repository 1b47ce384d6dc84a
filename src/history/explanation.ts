// What happened to each message in one compaction, and why, from the reasons recorded where each decision was made.

import type { Shown } from './ledger/ledger.ts';
import { placeKey } from './ledger/place-key.ts';
import type { Draft } from './policy/draft.ts';
import type { Reason } from './policy/reasons.ts';
import type { MessageReason } from './report.ts';

type Fate = Pick<MessageReason, 'tier' | 'reason'>;

export class Explanation {
  /** Keyed by ledger entry. */
  readonly #fates = new Map<number, Fate>();

  /** Adds the decisions of one round. */
  add<M>(draft: Draft<M>): void {
    draft.list.forEach(({ entry, made }, message) => {
      if (made === null) this.#fates.set(entry, this.#later(entry, fateOf(draft, message)));
    });
  }

  /** A round that leaves a message unchanged keeps its earlier fate, and the earlier reason unless it has a new one. */
  #later(entry: number, fate: Fate): Fate {
    const before = this.#fates.get(entry);
    if (before === undefined || fate.tier !== null) return fate;
    return before.tier !== null || fate.reason === null ? before : fate;
  }

  /** One row per input message; `costOf` returns the tokens of a message. */
  rows<M>(
    before: readonly Shown<M>[],
    after: readonly Shown<M>[],
    costOf: (shown: Shown<M>) => number,
  ): MessageReason[] {
    const left = new Map(after.map((shown) => [shown.entry, shown]));
    return before.flatMap((shown) => {
      if (shown.made !== null || shown.position === null) return [];
      const now = left.get(shown.entry);
      const { tier = null, reason = null } = this.#fates.get(shown.entry) ?? {};
      return [
        {
          message: shown.position,
          role: shown.view.role,
          before: Math.round(costOf(shown)),
          after: now ? Math.round(costOf(now)) : 0,
          fate: now === undefined ? 'left-out' : tier === null ? 'stays' : 'changed',
          tier,
          reason: now !== undefined && tier === null ? keeping(reason) : reason,
        },
      ];
    });
  }
}

/** A reason to remove a message does not explain why it stayed: there was room for it. */
const keeping = (reason: Reason | null): Reason | null => (reason && LEAVING.has(reason.why) ? null : reason);
const LEAVING: ReadonlySet<Reason['why']> = new Set(['unused', 'unimportant']);

/** What a draft does with a message: its first removal or change, otherwise why it stays. */
function fateOf<M>(draft: Draft<M>, message: number): Fate {
  const groups = draft.conversation.groupOf[message] ?? [];
  const { reasons } = draft;
  for (const [item, group] of groups.entries()) {
    const tier = draft.gone.get(group);
    const reason = reasons.ofItem({ message, item }) ?? reasons.ofGroup(group);
    if (tier !== undefined) return { tier, reason: inList(draft, reason) };
  }
  for (const item of groups.keys()) {
    const change = draft.changes.get(placeKey({ message, item }));
    if (change && change.tier !== 'note')
      return { tier: change.tier, reason: inList(draft, reasons.ofItem({ message, item })) };
  }
  if (draft.emptied.has(message)) return { tier: 'repair', reason: null };
  const kept = groups.map((group) => reasons.ofGroup(group)).find((reason) => reason !== null);
  return { tier: null, reason: inList(draft, kept ?? null) };
}

/** Converts the message number of a reason from the draft to the input list. */
function inList<M>(draft: Draft<M>, reason: Reason | null): Reason | null {
  if (reason?.message === undefined) return reason;
  const { message, ...rest } = reason;
  const position = draft.list[message]?.position ?? null;
  return position === null ? rest : { ...rest, message: position };
}
