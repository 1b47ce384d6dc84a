// Summarizers with real clients against local servers, and their errors.

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import { APICallError } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { ReaderError } from '../../../src/contract/index.ts';
import type { Summarizer, SummaryAnswer } from '../../../src/history/summary/summarizer.ts';
import { summarizeWithAiSdk } from '../../../src/history/summary/summarizers/ai-sdk.ts';
import { summarizeWithAnthropic } from '../../../src/history/summary/summarizers/anthropic.ts';
import { summarizeWithOpenAi } from '../../../src/history/summary/summarizers/openai.ts';
import { type Script, startModels } from '../../support/scripted-models.ts';

const KEY = 'sk-very-secret-key';
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const ask = (
  summarizer: Summarizer,
  signal: AbortSignal = new AbortController().signal,
): Promise<SummaryAnswer> =>
  summarizer({ instructions: 'Condense it.', transcript: 'TRANSCRIPT $& of it', maxTokens: 100, signal });

async function models(script: Script): Promise<Awaited<ReturnType<typeof startModels>>> {
  const started = await startModels(script);
  closing.push(() => started.close());
  return started;
}

interface Seen {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}
type Reply = { status?: number; body?: string; headers?: Record<string, string> } | 'hang' | 'drop';

/** A server that answers each request as `reply` specifies. */
async function server(reply: (seen: Seen, count: number) => Reply): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const one: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => {
      text += piece.toString('utf8');
    });
    request.on('end', () => {
      // The summarizers send objects.
      const body = JSON.parse(text) as Record<string, unknown>;
      seen.push({ path: request.url ?? '', headers: request.headers, body });
      const answer = reply({ path: request.url ?? '', headers: request.headers, body }, seen.length);
      if (answer === 'hang') return;
      if (answer === 'drop') {
        request.socket.destroy();
        return;
      }
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
      response.end(answer.body ?? '{}');
    });
  });
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    one.closeAllConnections();
    return new Promise((resolve) => one.close(resolve));
  });
  // A TCP server's address is an object.
  return { url: `http://127.0.0.1:${(one.address() as AddressInfo).port}`, seen };
}

async function failure(promise: Promise<unknown>): Promise<ReaderError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ReaderError) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}

/** Everything of an error that may be logged. */
function logged(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return [
    error.message,
    error.stack,
    error instanceof ReaderError ? error.hint : '',
    logged(error.cause ?? ''),
  ].join('\n');
}

const chat = (choice: Record<string, unknown>): string => JSON.stringify({ choices: [choice] });

const openai = (base: string): OpenAI => new OpenAI({ baseURL: `${base}/v1`, apiKey: KEY, maxRetries: 0 });

const CLIENTS: Readonly<Record<string, (base: string) => Summarizer>> = {
  "OpenAI's client": (base) => summarizeWithOpenAi({ client: openai(base), model: 'm' }),
  "Anthropic's client": (base) =>
    summarizeWithAnthropic({
      client: new Anthropic({ baseURL: base, apiKey: KEY, maxRetries: 0 }),
      model: 'm',
    }),
};

for (const [name, make] of Object.entries(CLIENTS))
  describe(name, () => {
    it('returns the answer, and sends instructions and transcript', async () => {
      const { url, requests } = await models(() => 'A fine summary.');
      expect(await ask(make(url))).toEqual({ text: 'A fine summary.', calledTool: false });
      expect(requests).toHaveLength(1);
      const sent = JSON.stringify(requests[0]);
      for (const part of ['Condense it.', 'TRANSCRIPT $& of it', '"temperature":0', '"max_tokens":1224'])
        expect(sent).toContain(part);
      expect(requests[0]).not.toHaveProperty('tools');
    });

    it('reports a tool call', async () => {
      const { url } = await models(() => ({ name: 'read', input: { path: 'a' } }));
      expect(await ask(make(url))).toMatchObject({ calledTool: true });
    });

    for (const [status, code] of [
      [401, 'ACCESS_DENIED'],
      [404, 'FILE_NOT_FOUND'],
      [429, 'BUSY'],
      [500, 'INTERNAL'],
      [529, 'BUSY'],
    ] as const)
      it(`says what status ${status} means, and not the key that the answer repeats`, async () => {
        const { url, seen } = await server(() => ({
          status,
          body: JSON.stringify({
            error: { message: `Bad key ${KEY}`, type: 'bad_thing', code: 'some_code' },
          }),
        }));
        const error = await failure(ask(make(url)));
        expect(error.code).toBe(code);
        expect(error.message).toMatch(/status \d+ \(`(some_code|bad_thing)`\)/);
        expect(logged(error)).not.toContain(KEY);
        expect(seen).toHaveLength(1);
      });

    it('asks again without a rejected temperature', async () => {
      const { url, seen } = await server(({ body, path }) =>
        'temperature' in body
          ? {
              status: 400,
              body: JSON.stringify({
                error: {
                  message: '`temperature` is deprecated for this model.',
                  type: 'invalid_request_error',
                },
              }),
            }
          : {
              body: path.endsWith('/messages')
                ? JSON.stringify({ content: [{ type: 'text', text: 'ok' }] })
                : chat({ message: { content: 'ok' } }),
            },
      );
      expect(await ask(make(url))).toEqual({ text: 'ok', calledTool: false });
      expect(seen).toHaveLength(2);
    });

    it('rejects an answer cut off at its limit', async () => {
      const { url } = await server(({ path }) => ({
        body: path.endsWith('/messages')
          ? JSON.stringify({ content: [{ type: 'text', text: '## Intent' }], stop_reason: 'max_tokens' })
          : chat({ finish_reason: 'length', message: { content: '## Intent' } }),
      }));
      expect((await failure(ask(make(url)))).code).toBe('OVER_BUDGET');
    });

    it('accepts answers of any shape without crashing', async () => {
      for (const body of [
        'null',
        '[]',
        '7',
        '{"choices":[null],"content":[null,{"type":"text","text":7}]}',
        '{"choices":{},"content":{}}',
      ]) {
        const { url } = await server(() => ({ body }));
        expect(await ask(make(url))).toEqual({ text: '', calledTool: false });
      }
    });

    it('stops when aborted', async () => {
      const { url } = await server(() => 'hang');
      const stop = new AbortController();
      const running = failure(ask(make(url), stop.signal));
      stop.abort(new Error('enough'));
      expect((await running).code).toBe('ABORTED');
    });

    it('reports a missing response, without the key', async () => {
      const { url } = await server(() => 'drop');
      const error = await failure(ask(make(url)));
      expect(error.code).toBe('INTERNAL');
      expect(logged(error)).not.toContain(KEY);
    });
  });

describe('a rejected parameter', () => {
  it('uses the new name of the limit if only that is accepted', async () => {
    const { url, seen } = await server(({ body }) => {
      for (const parameter of ['max_tokens', 'temperature'])
        if (parameter in body)
          return {
            status: 400,
            body: JSON.stringify({
              error: { message: 'Unsupported.', param: parameter, code: 'unsupported_parameter' },
            }),
          };
      return { body: chat({ message: { content: 'ok' } }) };
    });
    expect(await ask(summarizeWithOpenAi({ client: openai(url), model: 'm' }))).toMatchObject({
      text: 'ok',
    });
    expect(seen).toHaveLength(3);
    expect(seen[2]?.body['max_completion_tokens']).toBe(1224);
  });

  it('tries at most three times if the same parameter is rejected repeatedly', async () => {
    const { url, seen } = await server(() => ({
      status: 400,
      body: JSON.stringify({ error: 'max_tokens and temperature' }),
    }));
    expect((await failure(ask(summarizeWithOpenAi({ client: openai(url), model: 'm' })))).code).toBe(
      'BAD_INPUT',
    );
    expect(seen).toHaveLength(3);
  });
});

describe('options', () => {
  it('names an unknown option', () => {
    // Arguments from an untyped caller.
    const wrong = { client: openai('http://127.0.0.1:9'), model: 'm', modell: 'm' } as never;
    for (const make of [summarizeWithOpenAi, summarizeWithAnthropic])
      expect(() => make(wrong)).toThrow(/no option `modell`/);
    expect(() => summarizeWithAiSdk(new MockLanguageModelV3(), { temprature: 1 } as never)).toThrow(
      /no option/,
    );
  });
});

describe('the AI SDK', () => {
  type Generated = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>;
  const generated = (
    content: Generated['content'],
    unified: Generated['finishReason']['unified'],
  ): Generated => ({
    content,
    finishReason: { unified, raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  });
  const model = (answer: () => Promise<Generated>): MockLanguageModelV3 =>
    new MockLanguageModelV3({ doGenerate: answer });

  it('returns the answer, and sends instructions and transcript', async () => {
    const one = model(async () => generated([{ type: 'text', text: 'A fine summary.' }], 'stop'));
    expect(await ask(summarizeWithAiSdk(one))).toEqual({ text: 'A fine summary.', calledTool: false });
    expect(one.doGenerateCalls[0]).toMatchObject({
      temperature: 0,
      maxOutputTokens: 1224,
      prompt: [
        { role: 'system', content: 'Condense it.' },
        { role: 'user', content: [{ type: 'text', text: 'TRANSCRIPT $& of it' }] },
      ],
    });
    await ask(summarizeWithAiSdk(one, { temperature: null, maxOutputTokens: 9 }));
    expect(one.doGenerateCalls[1]).toMatchObject({ maxOutputTokens: 9 });
    expect(one.doGenerateCalls[1]?.temperature).toBeUndefined();
  });

  it('reports a tool call and a truncated answer', async () => {
    const call = generated(
      [{ type: 'tool-call', toolCallId: 'c', toolName: 'read', input: '{}' }],
      'tool-calls',
    );
    expect(await ask(summarizeWithAiSdk(model(async () => call)))).toMatchObject({ calledTool: true });
    const cut = generated([{ type: 'text', text: '## Int' }], 'length');
    expect((await failure(ask(summarizeWithAiSdk(model(async () => cut))))).code).toBe('OVER_BUDGET');
  });

  it('calls once, and reports the failure without its message', async () => {
    let calls = 0;
    const limited = model(() => {
      calls += 1;
      return Promise.reject(
        new APICallError({
          message: `key ${KEY}`,
          url: 'https://x',
          requestBodyValues: { KEY },
          statusCode: 429,
        }),
      );
    });
    const error = await failure(ask(summarizeWithAiSdk(limited)));
    expect(error.code).toBe('BUSY');
    expect(logged(error)).not.toContain(KEY);
    expect(calls).toBe(1);
    const broken = await failure(ask(summarizeWithAiSdk(model(() => Promise.reject(new Error(KEY))))));
    expect(broken.code).toBe('INTERNAL');
    expect(logged(broken)).not.toContain(KEY);
  });

  it('stops when aborted', async () => {
    const stop = new AbortController();
    const hanging = model(
      () => new Promise((_, reject) => stop.signal.addEventListener('abort', () => reject(new Error('x')))),
    );
    const running = failure(ask(summarizeWithAiSdk(hanging), stop.signal));
    setImmediate(() => stop.abort());
    expect((await running).code).toBe('ABORTED');
  });
});

describe('missing options', () => {
  // As untyped callers call them.
  const calls: readonly (readonly [name: string, call: () => unknown, message: RegExp])[] = (
    [
      ['summarizeWithOpenAi', summarizeWithOpenAi],
      ['summarizeWithAnthropic', summarizeWithAnthropic],
    ] as const
  ).flatMap(([name, make]) => {
    const loose = make as (options?: unknown) => Summarizer;
    const client = openai('http://127.0.0.1:9');
    const both = { chat: client.chat, messages: client.chat.completions };
    return [
      [`${name}()`, () => loose(), /needs a `client` and a `model`\./],
      [`${name}({})`, () => loose({}), /needs a `client` and a `model`\./],
      [`${name}({ model })`, () => loose({ model: 'm' }), /needs a `client`\./],
      [`${name}({ client })`, () => loose({ client }), /needs a `model`\./],
      [`${name}({ client: null })`, () => loose({ model: 'm', client: null }), /`client` of .* is not/],
      [`${name}({ client: {} })`, () => loose({ model: 'm', client: {} }), /`client` of .* is not/],
      [`${name} with a key`, () => loose({ model: 'm', client, apiKey: KEY }), /has no option `apiKey`/],
      [
        `${name}({ model: {} })`,
        () => loose({ model: {}, client: both }),
        /`model` of .* is not a model name/,
      ],
    ] as const;
  });
  for (const [name, call, message] of calls)
    it(`${name} are refused at once, with what is missing`, () => {
      try {
        call();
      } catch (error) {
        expect(error).toMatchObject({ code: 'BAD_INPUT', message: expect.stringMatching(message) });
        expect(logged(error)).not.toContain(KEY);
        return;
      }
      expect.fail('It was taken.');
    });

  it('of the AI SDK: a model', () => {
    const loose = summarizeWithAiSdk as (model?: unknown) => Summarizer;
    for (const model of [undefined, null, ''])
      expect(() => loose(model)).toThrow('`summarizeWithAiSdk` needs a model.');
  });
});
