// Summarizers with the real clients of OpenAI and Anthropic against local servers, and their errors.

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import type { Summarizer } from '../../../src/history/summary/summarizer.ts';
import { summarizeWithAnthropic } from '../../../src/history/summary/summarizers/anthropic.ts';
import { summarizeWithOpenAi } from '../../../src/history/summary/summarizers/openai.ts';
import { ask, failure, KEY, logged } from '../../history/summary/ask.ts';
import { type Script, startModels } from '../../support/scripted-models.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

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

    it('tells a call of a tool', async () => {
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

    it('refuses an answer cut off at its bound', async () => {
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

  it('asks at most three times, however often the same is refused', async () => {
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
  it('names an option that there is not', () => {
    // Arguments from an untyped caller.
    const wrong = { client: openai('http://127.0.0.1:9'), model: 'm', modell: 'm' } as never;
    for (const make of [summarizeWithOpenAi, summarizeWithAnthropic])
      expect(() => make(wrong)).toThrow(/no option `modell`/);
  });
});

describe('options that lack something', () => {
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
});
