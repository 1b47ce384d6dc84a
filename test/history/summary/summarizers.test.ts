// The summarizer of the AI SDK with scripted models, and its errors. Those of other SDKs are tested in test/integrations.

import { APICallError } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import type { Summarizer } from '../../../src/history/summary/summarizer.ts';
import { summarizeWithAiSdk } from '../../../src/history/summary/summarizers/ai-sdk.ts';
import { ask, failure, KEY, logged } from './ask.ts';

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

  it('tells a call of a tool and an answer cut off', async () => {
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

  it('names an option that there is not', () => {
    expect(() => summarizeWithAiSdk(new MockLanguageModelV3(), { temprature: 1 } as never)).toThrow(
      /no option/,
    );
  });

  it('needs a model', () => {
    const loose = summarizeWithAiSdk as (model?: unknown) => Summarizer;
    for (const model of [undefined, null, ''])
      expect(() => loose(model)).toThrow('`summarizeWithAiSdk` needs a model.');
  });
});
