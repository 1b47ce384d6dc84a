// The judges of message formats, by format: what a provider would refuse, told apart from how the package keeps to it.

import type { HistoryFormat } from '../history-writers.ts';
import { judge as aiSdk } from './ai-sdk.ts';
import { judge as anthropic } from './anthropic.ts';
import { judge as bedrock } from './bedrock.ts';
import { judge as gemini } from './gemini.ts';
import { judge as langchain } from './langchain.ts';
import { judge as mistral } from './mistral.ts';
import { judge as ollama } from './ollama.ts';
import { partnersKept as agentsPartners, judge as openaiAgents } from './openai-agents.ts';
import { judge as openaiChat } from './openai-chat.ts';
import { judge as openaiResponses, partnersKept as responsesPartners } from './openai-responses.ts';
import { charactersWhole, sealedIntact } from './originals.ts';
import type { Judge } from './shape.ts';

export { charactersWhole, sealedIntact } from './originals.ts';
export type { Judge } from './shape.ts';

/** Findings about a list of messages by its format; none where a provider would take it. */
export const JUDGES: Readonly<Record<HistoryFormat, Judge>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'openai-agents': openaiAgents,
  anthropic,
  'ai-sdk': aiSdk,
  'ai-sdk-prompt': aiSdk,
  langchain,
  gemini,
  bedrock,
  mistral,
  ollama,
};

/** Findings about `after` as a shortened `before`: sealed parts, reasoning beside its item, whole characters. */
export function compared(
  format: HistoryFormat,
  before: readonly unknown[],
  after: readonly unknown[],
): string[] {
  const partners = { 'openai-responses': responsesPartners, 'openai-agents': agentsPartners };
  const flat =
    format === 'openai-responses' || format === 'openai-agents' ? partners[format](before, after) : [];
  return [...sealedIntact(before, after), ...charactersWhole(before, after), ...flat];
}
