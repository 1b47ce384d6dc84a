// A summarizer over chat completions as OpenAI and all that speak its protocol offer them: by its client, or by plain HTTP.

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

/** What is used of the client of the package `openai`. */
export interface OpenAiClient {
  readonly chat: {
    readonly completions: {
      // The client's own types are wider than what is passed, and differ by version.
      create(body: never, options?: { signal?: AbortSignal }): PromiseLike<unknown>;
    };
  };
}

export interface OpenAiClientOptions {
  readonly client: OpenAiClient;
  readonly model: string;
  /** 0 by default; null leaves it to the model. A model that refuses it is asked without. */
  readonly temperature?: number | null;
  /** Of the answer, in the model's own tokens, thinking included; by default twice the summary's size and 1024. */
  readonly maxOutputTokens?: Tokens;
}

export interface OpenAiHttpOptions extends Omit<OpenAiClientOptions, 'client'> {
  /** `https://api.openai.com/v1` by default. */
  readonly baseUrl?: string;
  /** Null for a server that asks for none. */
  readonly apiKey: string | null;
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
const BASE_URL = 'https://api.openai.com/v1';

/**
 * A summarizer that asks `model`. What it throws names neither the key nor what was sent: ABORTED, TIMED_OUT, ACCESS_DENIED,
 * BUSY, OVER_BUDGET for an answer cut off, BAD_INPUT, INTERNAL.
 * @throws {ReaderError} BAD_INPUT for options it does not have, or without `model`, or without both `client` and `apiKey`
 */
export function summarizeWithOpenAi(options: OpenAiClientOptions | OpenAiHttpOptions): Summarizer {
  checkProvider('summarizeWithOpenAi', options, NAMES, isClient, true);
  return async (request) => {
    let limit = 'max_tokens';
    let temperature = options.temperature === undefined ? 0 : options.temperature;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await send(options, bodyOf(options, request, limit, temperature), request.signal);
      if (answer.status >= 200 && answer.status < 300) return summaryIn(answer.body);
      // Newer models of OpenAI refuse both, older servers know nothing else.
      if (attempt < 3 && limit === 'max_tokens' && blames(answer, 'max_tokens'))
        limit = 'max_completion_tokens';
      else if (attempt < 3 && temperature !== null && blames(answer, 'temperature')) temperature = null;
      else throw refusal(answer, 'client' in options ? null : urlOf(options));
    }
  };
}

/** By what is called of it; a client of another provider has something else. */
function isClient(client: unknown): boolean {
  // Looked at before it is used: a client that is none throws here.
  return guarded(() => typeof (client as OpenAiClient).chat.completions.create === 'function', false);
}

function bodyOf(
  { model, maxOutputTokens }: OpenAiClientOptions | OpenAiHttpOptions,
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

function urlOf(options: OpenAiClientOptions | OpenAiHttpOptions): string {
  const base = 'client' in options ? BASE_URL : (options.baseUrl ?? BASE_URL);
  return `${base.replace(/\/{1,8}$/, '')}/chat/completions`;
}

async function send(
  options: OpenAiClientOptions | OpenAiHttpOptions,
  body: Record<string, unknown>,
  signal: AbortSignal,
): Promise<JsonAnswer> {
  if (!('client' in options))
    return postJson(
      {
        url: urlOf(options),
        headers: options.apiKey === null ? {} : { authorization: `Bearer ${options.apiKey}` },
        fetch: options.fetch,
        timeoutMs: options.timeoutMs,
        signal,
      },
      body,
    );
  try {
    // The client's own type of a body: a version of it that is not known here.
    return { status: 200, body: await options.client.chat.completions.create(body as never, { signal }) };
  } catch (error) {
    return thrown(error, signal);
  }
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
