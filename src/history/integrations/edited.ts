// Maps changed messages of a compacted list to their originals, for frameworks that track where a message came from.

import { isNotice } from '../archive/placeholder.ts';
import type { Codec } from '../codecs/codec.ts';
import type { MessageView } from '../codecs/message.ts';

/** A changed message and its original. */
export interface EditedMessage<M> {
  readonly message: M;
  readonly original: M;
}

/** The calls a message makes or answers, which identify it even if its text changed; null if there are none. */
function callsOf({ role, items }: MessageView): string | null {
  const ids = items.flatMap(({ kind, callId }) => (callId === null ? [] : [`${kind} ${callId}`]));
  return ids.length === 0 ? null : JSON.stringify([role, ...ids]);
}

/**
 * The messages of `given` that are changed versions of messages in `came`, matched by their calls, or without calls by
 * their position between unchanged messages. Notices and our own answers have no original. Linear in both lists.
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
