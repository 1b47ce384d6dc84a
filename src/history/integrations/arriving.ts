// Applies tiers 1 and 2 to a message of results that a framework passes on after a tool has answered. Changes only the
// text of results: their media, ids and flags stay.

import type { Codec } from '../codecs/codec.ts';
import type { Edit } from '../codecs/message.ts';
import type { Compactor } from '../compactor.ts';

/**
 * Returns `message` with long results truncated or moved to files, or the same object if there are none. `toolName` is
 * for formats that do not name the tool in its result.
 */
export async function arrived<M>(
  compactor: Compactor<M>,
  codec: Codec<M>,
  message: M,
  toolName: string,
  signal?: AbortSignal,
): Promise<M> {
  const edits: Edit[] = [];
  for (const [index, item] of codec.view(message).items.entries()) {
    if (item.kind !== 'result' || item.sealed || item.providerExecuted) continue;
    const { text } = await compactor.onToolResult(
      { toolName: item.toolName ?? toolName, text: item.text, isError: item.isError },
      { ...(signal && { signal }) },
    );
    if (text !== item.text) edits.push({ op: 'text', item: index, text });
  }
  return edits.length === 0 ? message : (codec.edit(message, edits) ?? message);
}
