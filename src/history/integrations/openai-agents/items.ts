// Conversations in the items of the OpenAI Agents SDK: what its model, filter and session have in common.

import type { AgentInputItem } from '@openai/agents-core';
import type { Codec } from '../../codecs/codec.ts';
import { openAiAgents } from '../../codecs/openai/agents.ts';
import {
  CONVERSATIONS_KEPT,
  type ConversationOptions,
  Conversations,
  compactorsBy,
  refuseFormat,
} from '../conversations.ts';

/** The SDK's items, by its own type. */
// What the codec takes is what the SDK makes.
export const agentItems: Codec<AgentInputItem> = openAiAgents as Codec<AgentInputItem>;

/** As for a compactor; the format is known. */
export type AgentsOptions = Omit<ConversationOptions<AgentInputItem>, 'format'>;

/**
 * Conversations in items of the SDK, by the options of `what`.
 * @throws {ReaderError} BAD_INPUT
 */
export function agentConversations(what: string, options: AgentsOptions): Conversations<AgentInputItem> {
  refuseFormat(what, options);
  const { conversations: most = CONVERSATIONS_KEPT, optionsFor, ...rest } = options;
  const make = compactorsBy<AgentInputItem>(what, {
    ...rest,
    format: agentItems,
    ...(optionsFor && { optionsFor: (name: string) => ({ ...optionsFor(name), format: agentItems }) }),
  });
  return new Conversations(make, most, agentItems);
}
