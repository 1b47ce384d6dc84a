// Conversations of OpenAI Agents SDK items, shared by its model, filter and session.

import type { AgentInputItem } from '@openai/agents-core';
import type { Codec } from '../../codecs/codec.ts';
import { openAiAgents } from '../../codecs/openai/agents.ts';
import type { Compacted } from '../../compactor.ts';
import type { ConversationOptions } from '../conversations.ts';

/** The codec with the SDK's item type. */
// The codec accepts the items that the SDK creates.
export const agentItems: Codec<AgentInputItem> = openAiAgents as Codec<AgentInputItem>;

/** Options of a compactor; the format is fixed. */
export type AgentsOptions = Omit<ConversationOptions<AgentInputItem>, 'format'>;

/**
 * The items of `came` of which a compacted list has a changed version, by that version; at most one of each. The SDK
 * tracks where an item came from. Notices have no original.
 */
export function originalsOf(
  came: readonly AgentInputItem[],
  { messages, positions }: Compacted<AgentInputItem>,
): ReadonlyMap<AgentInputItem, AgentInputItem> {
  const known = new Set(messages);
  const originals = new Map<AgentInputItem, AgentInputItem>();
  messages.forEach((message, index) => {
    const original = came[positions[index] ?? -1];
    if (original === undefined || known.has(original)) return;
    known.add(original);
    originals.set(message, original);
  });
  return originals;
}
