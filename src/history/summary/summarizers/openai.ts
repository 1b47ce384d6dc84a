// A summarizer that uses OpenAI's chat completions, or any compatible API, through the caller's `openai` client.

import type { Summarizer, SummaryAnswer } from '../summarizer.ts';
import { type Asking, answerRoom, ask, type ClientOptions, checkClientOptions, cutOff } from './client.ts';
import { field } from './failure.ts';

/** The used part of an `openai` client. */
export interface OpenAiClient {
  readonly chat: { readonly completions: Asking };
}

export interface OpenAiSummaryOptions extends ClientOptions<OpenAiClient> {}

/**
 * Returns a summarizer that calls `model`. Its errors contain neither the key nor the request: ABORTED, TIMED_OUT,
 * ACCESS_DENIED, BUSY, OVER_BUDGET if the answer was cut off, BAD_INPUT, INTERNAL.
 * @throws {ReaderError} BAD_INPUT for unknown options, or a missing `client` or `model`
 */
export function summarizeWithOpenAi(options: OpenAiSummaryOptions): Summarizer {
  checkClientOptions('summarizeWithOpenAi', options, (client) => client.chat.completions);
  const { client, model, maxOutputTokens, temperature = 0 } = options;
  return async ({ instructions, transcript, maxTokens, signal }) =>
    summaryIn(
      await ask(
        client.chat.completions,
        {
          model,
          messages: [
            { role: 'system', content: instructions },
            { role: 'user', content: transcript },
          ],
        },
        {
          max_tokens: maxOutputTokens ?? answerRoom(maxTokens),
          ...(temperature === null ? {} : { temperature }),
        },
        // Newer OpenAI models reject both; older servers accept only these.
        { max_tokens: 'max_completion_tokens', temperature: null },
        signal,
      ),
    );
}

function summaryIn(body: unknown): SummaryAnswer {
  const choice = field(field(body, 'choices'), 0);
  const message = field(choice, 'message');
  const reason = field(choice, 'finish_reason');
  const calls = field(message, 'tool_calls');
  const calledTool = (Array.isArray(calls) && calls.length > 0) || reason === 'tool_calls';
  if (reason === 'length' && !calledTool) throw cutOff();
  const content = field(message, 'content');
  const text = typeof content === 'string' ? content : '';
  return { text, calledTool };
}
