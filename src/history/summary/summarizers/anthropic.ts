// A summarizer that uses Anthropic's Messages API through the caller's `@anthropic-ai/sdk` client.

import type { Summarizer, SummaryAnswer } from '../summarizer.ts';
import { type Asking, answerRoom, ask, type ClientOptions, checkClientOptions, cutOff } from './client.ts';
import { field } from './failure.ts';

/** The used part of an `@anthropic-ai/sdk` client. */
export interface AnthropicClient {
  readonly messages: Asking;
}

export interface AnthropicSummaryOptions extends ClientOptions<AnthropicClient> {}

/**
 * Returns a summarizer that calls `model`. Its errors contain neither the key nor the request: ABORTED, TIMED_OUT,
 * ACCESS_DENIED, BUSY, OVER_BUDGET if the answer was cut off, BAD_INPUT, INTERNAL.
 * @throws {ReaderError} BAD_INPUT for unknown options, or a missing `client` or `model`
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
