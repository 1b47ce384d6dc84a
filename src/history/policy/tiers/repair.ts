// Fixes what a provider would reject, regardless of size: results without calls, calls without results, empty messages.

import { INTERRUPTED } from '../../archive/placeholder.ts';
import type { ProviderRules } from '../../codecs/codec.ts';
import type { OpenCall } from '../../codecs/message.ts';
import { grouped } from '../../grouped.ts';
import type { Fault, ItemPosition } from '../../ledger/groups.ts';
import type { Draft } from '../draft.ts';

/** Results to add in messages of their own: the position in the draft, and the calls. */
export interface Answer {
  /** The first call. */
  readonly at: ItemPosition;
  readonly after: number;
  readonly calls: readonly OpenCall[];
}

/** Repairs the draft; returns answers that cannot be added to an existing message. */
export function repairDraft<M>(draft: Draft<M>, rules: ProviderRules): Answer[] {
  const answers: Answer[] = [];
  const positionOf = (message: number): number => draft.list[message]?.position ?? message;
  const emptied = new Set<number>();
  const leaving = orphansAlone(draft);
  for (const fault of draft.conversation.faults) {
    switch (fault.kind) {
      case 'orphan-result':
      case 'duplicate-result':
        keepText(draft, fault);
        draft.repair(fault.at);
        draft.repairs.push({
          kind: fault.kind,
          callId: fault.callId,
          message: positionOf(fault.at.message),
        });
        break;
      case 'interrupted-call': {
        for (const { callId } of fault.calls)
          draft.repairs.push({ kind: fault.kind, callId, message: positionOf(fault.after) });
        if (fault.calls.some(({ form }) => form?.result === null)) {
          draft.repairGroup(draft.conversation.groupOf[fault.at.message]?.[fault.at.item] ?? -1);
          break;
        }
        const carrier = [fault.after, fault.after + 1].find((message) => {
          if (leaving.has(message)) return false;
          const role = draft.list[message]?.view.role;
          // A user message carries results only if they must be in the message right after the calls.
          return role === 'tool' || (role === 'user' && rules.results === 'next');
        });
        const cost = fault.calls.length * draft.text(INTERRUPTED);
        if (rules.resultsTogether && carrier !== undefined)
          draft.add(carrier, fault.at, { op: 'answer', calls: fault.calls, text: INTERRUPTED }, cost);
        else if (rules.resultsTogether)
          answers.push({ at: fault.at, after: fault.after, calls: fault.calls });
        else
          for (const call of fault.calls) answers.push({ at: fault.at, after: fault.after, calls: [call] });
        break;
      }
      case 'empty-message':
      case 'reasoning-alone': {
        if (emptied.has(fault.message)) break;
        emptied.add(fault.message);
        const items = draft.list[fault.message]?.view.items ?? [];
        items.forEach((_, item) => {
          draft.repair({ message: fault.message, item });
        });
        draft.emptied.add(fault.message);
        draft.repairs.push({ kind: fault.kind, callId: null, message: positionOf(fault.message) });
        break;
      }
    }
  }
  return answers;
}

/** Adds the text of a second result to the first if it says something else. */
function keepText<M>(
  draft: Draft<M>,
  { at, of }: Extract<Fault, { kind: 'orphan-result' | 'duplicate-result' }>,
): void {
  const { text } = draft.item(at);
  if (of === null || text.trim() === '' || text === INTERRUPTED || draft.item(of).text.includes(text)) return;
  draft.note(of, (first) => `${first}\n${text}`);
}

/** Messages that contain only results of unknown calls. They are removed, so they cannot carry an answer. */
function orphansAlone<M>({ conversation, list }: Draft<M>): ReadonlySet<number> {
  const orphans = grouped(
    conversation.faults.flatMap((fault) => ('at' in fault && 'of' in fault ? [fault.at] : [])),
    ({ message }) => message,
  );
  const alone = [...orphans].filter(([message, items]) => items.length === list[message]?.view.items.length);
  return new Set(alone.map(([message]) => message));
}

/** Removes assistant messages without content, which are in no group, except the newest message. */
export function takeEmpty<M>(draft: Draft<M>): void {
  draft.list.slice(0, -1).forEach(({ view: { role, items } }, message) => {
    if (role === 'assistant' && items.length === 0) draft.emptied.add(message);
  });
}
