// A summarizer over chat completions as OpenAI and all that speak its protocol offer them, by the caller's client of the
// package `openai`.

import type { Summarizer, SummaryAnswer } from '../summarizer.ts';
import { type Asking, answerRoom, ask, type ClientOptions, checkClientOptions, cutOff } from './client.ts';
import { field } from './failure.ts';

/** What is used of the client of the package `openai`. */
export interface OpenAiClient {
  readonly chat: { readonly completions: Asking };
}

export interface OpenAiSummaryOptions extends ClientOptions<OpenAiClient> {}

/**
 * A summarizer that asks `model`. What it throws names neither the key nor what was sent: ABORTED, TIMED_OUT, ACCESS_DENIED,
 * BUSY, OVER_BUDGET for an answer cut off, BAD_INPUT, INTERNAL.
 * @throws {ReaderError} BAD_INPUT for options it does not have, or without `client` or `model`
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
        // Newer models of OpenAI refuse both, older servers know nothing else.
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
