// The judges of message formats, by format: what a provider would refuse, told apart from how the package keeps to it.

import type { HistoryFormat } from '../history-writers.ts';
import { judge as aiSdk } from './ai-sdk.ts';
import { judge as anthropic } from './anthropic.ts';
import { judge as openaiChat } from './openai-chat.ts';
import type { Judge } from './shape.ts';

export { charactersWhole, sealedIntact, sealedParts } from './originals.ts';
export type { Judge } from './shape.ts';

/** Findings about a list of messages by its format; none where a provider would take it. */
export const JUDGES: Readonly<Partial<Record<HistoryFormat, Judge>>> = {
  'openai-chat': openaiChat,
  anthropic,
  'ai-sdk': aiSdk,
  'ai-sdk-prompt': aiSdk,
};
