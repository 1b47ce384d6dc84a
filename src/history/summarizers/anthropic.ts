// A summarizer over Anthropic's Messages: by its client, or by plain HTTP.

import type { Tokens } from '../../contract/index.ts';
import { guarded } from '../codecs/native.ts';
import type { Summarizer, SummaryAnswer, SummaryRequest } from '../summarizer.ts';
import {
  answerRoom,
  blames,
  checkProvider,
  cutOff,
  type Fetch,
  field,
  type JsonAnswer,
  postJson,
  refusal,
  thrown,
} from './request.ts';

/** What is used of the client of the package `@anthropic-ai/sdk`. */
export interface AnthropicClient {
  readonly messages: {
    // The client's own types are wider than what is passed, and differ by version.
    create(body: never, options?: { signal?: AbortSignal }): PromiseLike<unknown>;
  };
}

export interface AnthropicClientOptions {
  readonly client: AnthropicClient;
  readonly model: string;
  /** 0 by default; null leaves it to the model. A model that refuses it is asked without. */
  readonly temperature?: number | null;
  /** Of the answer, in the model's own tokens; by default twice the summary's size and 1024. */
  readonly maxOutputTokens?: Tokens;
}

export interface AnthropicHttpOptions extends Omit<AnthropicClientOptions, 'client'> {
  /** `https://api.anthropic.com` by default. */
  readonly baseUrl?: string;
  readonly apiKey: string;
  readonly fetch?: Fetch;
  /** For one request, 60 000 by default. */
  readonly timeoutMs?: number;
}

const NAMES = {
  client: true,
  model: true,
  temperature: true,
  maxOutputTokens: true,
  baseUrl: true,
  apiKey: true,
  fetch: true,
  timeoutMs: true,
} as const;
const BASE_URL = 'https://api.anthropic.com';
/** The one version of the interface there is: https://docs.claude.com/en/api/versioning */
const API_VERSION = '2023-06-01';

/**
 * A summarizer that asks `model`. What it throws names neither the key nor what was sent: ABORTED, TIMED_OUT, ACCESS_DENIED,
 * BUSY, OVER_BUDGET for an answer cut off, BAD_INPUT, INTERNAL.
 * @throws {ReaderError} BAD_INPUT for options it does not have, or without `model`, or without both `client` and `apiKey`
 */
export function summarizeWithAnthropic(options: AnthropicClientOptions | AnthropicHttpOptions): Summarizer {
  checkProvider('summarizeWithAnthropic', options, NAMES, isClient, false);
  return async (request) => {
    const temperature = options.temperature === undefined ? 0 : options.temperature;
    let answer = await send(options, bodyOf(options, request, temperature), request.signal);
    if (temperature !== null && blames(answer, 'temperature'))
      answer = await send(options, bodyOf(options, request, null), request.signal);
    if (answer.status >= 200 && answer.status < 300) return summaryIn(answer.body);
    throw refusal(answer, 'client' in options ? null : urlOf(options));
  };
}

/** By what is called of it; a client of another provider has something else. */
function isClient(client: unknown): boolean {
  // Looked at before it is used: a client that is none throws here.
  return guarded(() => typeof (client as AnthropicClient).messages.create === 'function', false);
}

function bodyOf(
  { model, maxOutputTokens }: AnthropicClientOptions | AnthropicHttpOptions,
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

function urlOf(options: AnthropicClientOptions | AnthropicHttpOptions): string {
  const base = 'client' in options ? BASE_URL : (options.baseUrl ?? BASE_URL);
  return `${base.replace(/\/{1,8}$/, '').replace(/\/v1$/, '')}/v1/messages`;
}

async function send(
  options: AnthropicClientOptions | AnthropicHttpOptions,
  body: Record<string, unknown>,
  signal: AbortSignal,
): Promise<JsonAnswer> {
  if (!('client' in options))
    return postJson(
      {
        url: urlOf(options),
        headers: { 'x-api-key': options.apiKey, 'anthropic-version': API_VERSION },
        fetch: options.fetch,
        timeoutMs: options.timeoutMs,
        signal,
      },
      body,
    );
  try {
    // The client's own type of a body: a version of it that is not known here.
    return { status: 200, body: await options.client.messages.create(body as never, { signal }) };
  } catch (error) {
    return thrown(error, signal);
  }
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
