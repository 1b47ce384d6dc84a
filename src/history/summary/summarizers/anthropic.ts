// A summarizer over Anthropic's Messages, by the caller's client of the package `@anthropic-ai/sdk`.

import type { Summarizer, SummaryAnswer } from '../summarizer.ts';
import { type Asking, answerRoom, ask, type ClientOptions, checkClientOptions, cutOff } from './client.ts';
import { field } from './failure.ts';

/** What is used of the client of the package `@anthropic-ai/sdk`. */
export interface AnthropicClient {
  readonly messages: Asking;
}

export interface AnthropicSummaryOptions extends ClientOptions<AnthropicClient> {}

/**
 * A summarizer that asks `model`. What it throws names neither the key nor what was sent: ABORTED, TIMED_OUT, ACCESS_DENIED,
 * BUSY, OVER_BUDGET for an answer cut off, BAD_INPUT, INTERNAL.
 * @throws {ReaderError} BAD_INPUT for options it does not have, or without `client` or `model`
 */
export function summarizeWithAnthropic(options: AnthropicSummaryOptions): Summarizer {
  checkClientOptions('summarizeWithAnthropic', options, (client) => client.messages);
  const { client, model, maxOutputTokens, temperature = 0 } = options;
  return async ({ instructions, transcript, maxTokens, signal }) =>
    summaryIn(
      await ask(
        client.messages,
        { model, system: instructions, messages: [{ role: 'user', content: transcript }] },
        {
          max_tokens: maxOutputTokens ?? answerRoom(maxTokens),
          ...(temperature === null ? {} : { temperature }),
        },
        { temperature: null },
        signal,
      ),
    );
}

function summaryIn(body: unknown): SummaryAnswer {
  const content = field(body, 'content');
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  const reason = field(body, 'stop_reason');
  const calledTool = reason === 'tool_use' || blocks.some((block) => field(block, 'type') === 'tool_use');
  if (reason === 'max_tokens' && !calledTool) throw cutOff();
  const texts = blocks.map((block) => (field(block, 'type') === 'text' ? field(block, 'text') : ''));
  return { text: texts.filter((text) => typeof text === 'string').join(''), calledTool };
}
