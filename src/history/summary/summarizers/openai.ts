// A summarizer over chat completions as OpenAI and all that speak its protocol offer them: by its client, or by plain HTTP.

import type { Summarizer, SummaryAnswer, SummaryRequest } from '../summarizer.ts';
import { type Asking, Connection, type HttpOptions, type ModelOptions, type Provider } from './provider.ts';
import { answerRoom, blames, cutOff, field } from './request.ts';

/** What is used of the client of the package `openai`. */
export interface OpenAiClient {
  readonly chat: { readonly completions: Asking };
}

export interface OpenAiClientOptions extends ModelOptions {
  readonly client: OpenAiClient;
}

/** `baseUrl` is `https://api.openai.com/v1` by default. */
export interface OpenAiHttpOptions extends HttpOptions {}

const BASE_URL = 'https://api.openai.com/v1';

const OPENAI: Provider<OpenAiClient> = {
  name: 'summarizeWithOpenAi',
  keyless: true,
  asked: (client) => client.chat.completions,
  url: (baseUrl = BASE_URL) => `${baseUrl.replace(/\/{1,8}$/, '')}/chat/completions`,
  headers: (apiKey) => (apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
};

/**
 * A summarizer that asks `model`. What it throws names neither the key nor what was sent: ABORTED, TIMED_OUT, ACCESS_DENIED,
 * BUSY, OVER_BUDGET for an answer cut off, BAD_INPUT, INTERNAL.
 * @throws {ReaderError} BAD_INPUT for options it does not have, or without `model`, or without both `client` and `apiKey`
 */
export function summarizeWithOpenAi(options: OpenAiClientOptions | OpenAiHttpOptions): Summarizer {
  const connection = new Connection(OPENAI, options);
  return async (request) => {
    let limit = 'max_tokens';
    let temperature = options.temperature === undefined ? 0 : options.temperature;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await connection.ask(bodyOf(options, request, limit, temperature), request.signal);
      if (answer.status >= 200 && answer.status < 300) return summaryIn(answer.body);
      // Newer models of OpenAI refuse both, older servers know nothing else.
      if (attempt < 3 && limit === 'max_tokens' && blames(answer, 'max_tokens'))
        limit = 'max_completion_tokens';
      else if (attempt < 3 && temperature !== null && blames(answer, 'temperature')) temperature = null;
      else throw connection.refusal(answer);
    }
  };
}

function bodyOf(
  { model, maxOutputTokens }: ModelOptions,
  { instructions, transcript, maxTokens }: SummaryRequest,
  limit: string,
  temperature: number | null,
): Record<string, unknown> {
  return {
    model,
    messages: [
      { role: 'system', content: instructions },
      { role: 'user', content: transcript },
    ],
    [limit]: maxOutputTokens ?? answerRoom(maxTokens),
    ...(temperature === null ? {} : { temperature }),
  };
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
