// The AI SDK, version 6: the content of a user message, and what its providers make of it on the wire, caught before it is
// sent and held against the rules of each.

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, type LanguageModel, modelMessageSchema } from 'ai';
import { anthropicRules } from './anthropic.ts';
import { geminiRules } from './gemini.ts';
import { openaiChatRules, openaiResponsesRules } from './openai.ts';
import { at, matches, type ProviderRules, type Verdict } from './rule-book.ts';

/** Providers that a message is converted for. */
export type AiSdkProvider = 'anthropic' | 'openai' | 'openai-chat' | 'google';
export const AI_SDK_PROVIDERS: readonly AiSdkProvider[] = ['anthropic', 'openai', 'openai-chat', 'google'];

const CAUGHT = 'caught';

/** The body that the provider's package would send; or what it throws. */
export async function convertedRequest(provider: AiSdkProvider, content: unknown): Promise<unknown> {
  let body: unknown;
  const fetch: typeof globalThis.fetch = async (_, init) => {
    body = JSON.parse(String(init?.body));
    throw new Error(CAUGHT);
  };
  try {
    const message = modelMessageSchema.parse({ role: 'user', content });
    await generateText({ model: modelOf(provider, fetch), messages: [message], maxRetries: 0 });
  } catch (error) {
    if (body === undefined) throw error;
  }
  return body;
}

function modelOf(provider: AiSdkProvider, fetch: typeof globalThis.fetch): LanguageModel {
  const options = { apiKey: 'none', fetch };
  switch (provider) {
    case 'anthropic':
      return createAnthropic(options)('claude-sonnet-4-5');
    case 'openai':
      return createOpenAI(options).responses('gpt-5');
    case 'openai-chat':
      return createOpenAI(options).chat('gpt-4o');
    case 'google':
      return createGoogleGenerativeAI(options)('gemini-2.5-flash');
  }
}

const WIRE: Readonly<Record<AiSdkProvider, readonly [rules: ProviderRules, ...path: readonly string[]]>> = {
  anthropic: [anthropicRules, 'messages', '0', 'content'],
  openai: [openaiResponsesRules, 'input', '0', 'content'],
  'openai-chat': [openaiChatRules, 'messages', '0', 'content'],
  google: [geminiRules, 'contents', '0', 'parts'],
};

/** Rules for `providers`, by default all; the tokens are those of the cheapest. */
export function aiSdkRules(providers: readonly AiSdkProvider[] = AI_SDK_PROVIDERS): ProviderRules {
  return {
    request: (content) => ({ messages: [{ role: 'user', content }] }),
    async judge(content) {
      const problems = shapeProblems(content);
      const verdicts: Verdict[] = [];
      for (const provider of providers) {
        const [rules, ...path] = WIRE[provider];
        try {
          const body = await convertedRequest(provider, content);
          const verdict = await rules.judge(listed(provider, at(body, ...path)), body);
          verdicts.push(verdict);
          problems.push(...verdict.problems.map((problem) => `${provider}: ${problem}`));
        } catch (error) {
          problems.push(`${provider}: ${String(error).slice(0, 300)}`);
        }
      }
      return {
        problems,
        mediaTokens: verdicts.length > 0 ? Math.min(...verdicts.map(({ mediaTokens }) => mediaTokens)) : 0,
        texts: verdicts[0]?.texts ?? [],
      };
    },
  };
}

/** Chat Completions takes a lone text as a plain string, and so it is sent. */
function listed(provider: AiSdkProvider, content: unknown): unknown {
  return provider === 'openai-chat' && typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : content;
}

function shapeProblems(content: unknown): string[] {
  if (!Array.isArray(content)) return ['content: is no list'];
  return content.flatMap((part, index) =>
    matches(part, { type: ['text'], text: 'string' }) ||
    matches(part, { type: ['image'], image: 'bytes', mediaType: 'string' }) ||
    matches(part, { type: ['file'], data: 'bytes', mediaType: 'string', filename: 'string' })
      ? []
      : [`content[${index}]: is no part of the format`],
  );
}
