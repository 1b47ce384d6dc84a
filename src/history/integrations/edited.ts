// Which message of a list became which of the compacted one, for frameworks that ask where a message came from.

import { isNotice } from '../archive/placeholder.ts';
import type { Codec } from '../codecs/codec.ts';
import type { MessageView } from '../codecs/message.ts';

/** A message that was changed, and what it was. */
export interface EditedMessage<M> {
  readonly message: M;
  readonly original: M;
}

/** The calls a message makes or answers, by which it is known whatever became of its text; null where it has none. */
function callsOf({ role, items }: MessageView): string | null {
  const ids = items.flatMap(({ kind, callId }) => (callId === null ? [] : [`${kind} ${callId}`]));
  return ids.length === 0 ? null : JSON.stringify([role, ...ids]);
}

/**
 * The messages of `given` that are changed ones of `came`: by their calls, and where they have none by their place between
 * messages that are the same. Notices and answers to open calls are nobody's. Linear in both lists.
 */
export function editedMessages<M>(
  codec: Codec<M>,
  came: readonly M[],
  given: readonly M[],
): EditedMessage<M>[] {
  const kept = new Set(given);
  const at = new Map(came.map((message, index) => [message, index]));
  const byCalls = new Map<string, number>();
  const views = came.map((message) => codec.view(message));
  views.forEach((view, index) => {
    const message = came[index];
    const calls = callsOf(view);
    if (calls !== null && message !== undefined && !kept.has(message)) byCalls.set(calls, index);
  });
  const edited: EditedMessage<M>[] = [];
  let from = 0;
  const pair = (message: M, index: number): void => {
    const original = came[index];
    if (original === undefined) return;
    edited.push({ message, original });
    from = index + 1;
  };
  for (const message of given) {
    const place = at.get(message);
    if (place !== undefined) {
      from = Math.max(from, place + 1);
      continue;
    }
    const view = codec.view(message);
    const calls = callsOf(view);
    if (calls !== null) {
      pair(message, byCalls.get(calls) ?? -1);
      continue;
    }
    if (isNotice(view.items[0]?.text ?? '')) continue;
    for (let index = from; index < came.length; index += 1) {
      const original = came[index];
      if (original !== undefined && kept.has(original)) break;
      const was = views[index];
      if (was?.role !== view.role || callsOf(was) !== null || was.items[0]?.kind !== view.items[0]?.kind)
        continue;
      pair(message, index);
      break;
    }
  }
  return edited;
}
