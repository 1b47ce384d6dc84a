// A summarizer over Anthropic's Messages: by its client, or by plain HTTP.

import type { Summarizer, SummaryAnswer, SummaryRequest } from '../summarizer.ts';
import { type Asking, Connection, type HttpOptions, type ModelOptions, type Provider } from './provider.ts';
import { answerRoom, blames, cutOff, field } from './request.ts';

/** What is used of the client of the package `@anthropic-ai/sdk`. */
export interface AnthropicClient {
  readonly messages: Asking;
}

export interface AnthropicClientOptions extends ModelOptions {
  readonly client: AnthropicClient;
}

/** `baseUrl` is `https://api.anthropic.com` by default. */
export interface AnthropicHttpOptions extends HttpOptions {
  readonly apiKey: string;
}

const BASE_URL = 'https://api.anthropic.com';
/** The one version of the interface there is: https://docs.claude.com/en/api/versioning */
const API_VERSION = '2023-06-01';

const ANTHROPIC: Provider<AnthropicClient> = {
  name: 'summarizeWithAnthropic',
  keyless: false,
  asked: (client) => client.messages,
  url: (baseUrl = BASE_URL) => `${baseUrl.replace(/\/{1,8}$/, '').replace(/\/v1$/, '')}/v1/messages`,
  headers: (apiKey) => ({ 'x-api-key': apiKey ?? '', 'anthropic-version': API_VERSION }),
};

/**
 * A summarizer that asks `model`. What it throws names neither the key nor what was sent: ABORTED, TIMED_OUT, ACCESS_DENIED,
 * BUSY, OVER_BUDGET for an answer cut off, BAD_INPUT, INTERNAL.
 * @throws {ReaderError} BAD_INPUT for options it does not have, or without `model`, or without both `client` and `apiKey`
 */
export function summarizeWithAnthropic(options: AnthropicClientOptions | AnthropicHttpOptions): Summarizer {
  const connection = new Connection(ANTHROPIC, options);
  return async (request) => {
    const temperature = options.temperature === undefined ? 0 : options.temperature;
    let answer = await connection.ask(bodyOf(options, request, temperature), request.signal);
    if (temperature !== null && blames(answer, 'temperature'))
      answer = await connection.ask(bodyOf(options, request, null), request.signal);
    if (answer.status >= 200 && answer.status < 300) return summaryIn(answer.body);
    throw connection.refusal(answer);
  };
}

function bodyOf(
  { model, maxOutputTokens }: ModelOptions,
  { instructions, transcript, maxTokens }: SummaryRequest,
  temperature: number | null,
): Record<string, unknown> {
  return {
    model,
    system: instructions,
    messages: [{ role: 'user', content: transcript }],
    max_tokens: maxOutputTokens ?? answerRoom(maxTokens),
    ...(temperature === null ? {} : { temperature }),
  };
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
