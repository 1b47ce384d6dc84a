// The providers' rules by lectern's name of the target. They share nothing with lectern's own table of limits.

import { type AiSdkProvider, aiSdkRules } from './ai-sdk.ts';
import { anthropicRules } from './anthropic.ts';
import { bedrockRules } from './bedrock.ts';
import { geminiRules } from './gemini.ts';
import { mistralRules } from './mistral.ts';
import { openaiChatRules, openaiResponsesRules } from './openai.ts';
import type { ProviderRules } from './rule-book.ts';

export { convertedRequest } from './ai-sdk.ts';
export { at, type ProviderRules, type Verdict, wireLength } from './rule-book.ts';

/** A target to prepare for, with the model that narrows it. */
export interface RuledTarget {
  readonly name: string;
  readonly target:
    | 'anthropic'
    | 'openai-chat'
    | 'openai-responses'
    | 'gemini'
    | 'bedrock'
    | 'mistral'
    | 'ai-sdk';
  readonly model?: string;
  readonly rules: ProviderRules;
}

const aiSdk = (model: string, ...providers: AiSdkProvider[]): RuledTarget => ({
  name: `ai-sdk ${model}`,
  target: 'ai-sdk',
  model,
  rules: aiSdkRules(providers),
});

/** Every target once without a model, and the AI SDK once for each provider. */
export const RULED_TARGETS: readonly RuledTarget[] = [
  { name: 'anthropic', target: 'anthropic', rules: anthropicRules },
  { name: 'openai-chat', target: 'openai-chat', rules: openaiChatRules },
  { name: 'openai-responses', target: 'openai-responses', rules: openaiResponsesRules },
  { name: 'gemini', target: 'gemini', rules: geminiRules },
  { name: 'bedrock', target: 'bedrock', rules: bedrockRules },
  { name: 'mistral', target: 'mistral', rules: mistralRules },
  { name: 'ai-sdk', target: 'ai-sdk', rules: aiSdkRules() },
  aiSdk('claude-sonnet-4-5', 'anthropic'),
  aiSdk('gpt-5', 'openai'),
  aiSdk('gemini-2.5-flash', 'google'),
];
