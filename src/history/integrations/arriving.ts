// Tiers 1 and 2 inside a message of results, as a framework hands it over when a tool has answered. It changes the texts of
// results alone: their media, ids and marks stay.

import type { Codec } from '../codecs/codec.ts';
import type { Edit } from '../codecs/message.ts';
import type { Compactor } from '../compactor.ts';

/**
 * `message` with its long results cut or moved to files; the same object where none is long. `toolName` for formats that do
 * not name the tool beside its result.
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
