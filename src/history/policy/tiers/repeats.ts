// Replaces results that a later result repeats verbatim with a line. The call stays with its result. User messages are
// never compared, because a second "yes" is another answer.

import type { ItemPosition } from '../../ledger/groups.ts';
import type { Draft } from '../draft.ts';
import { isMaskable, LEAST_SAVED, maskResult } from './mask.ts';

/** Masks every repeated result except the newest, outside the `kept` groups. */
export function maskRepeats<M>(draft: Draft<M>, kept: ReadonlySet<number>): void {
  const newest = new Map<string, ItemPosition>();
  for (let message = draft.list.length - 1; message >= 0; message -= 1) {
    const items = draft.list[message]?.view.items ?? [];
    for (let index = items.length - 1; index >= 0; index -= 1) {
      const place = { message, item: index };
      const item = draft.item(place);
      const group = draft.conversation.groupOf[message]?.[index] ?? -1;
      if (item.kind !== 'result' || group < 0 || draft.gone.has(group)) continue;
      const later = newest.get(item.text);
      if (later === undefined) newest.set(item.text, place);
      else if (!kept.has(group) && draft.cost(place) > LEAST_SAVED && isMaskable(draft, place)) {
        draft.reasons.item(place, { why: 'superseded', message: later.message });
        maskResult(draft, place);
      }
    }
  }
}
