// Compares the format checkers with the real SDKs: what those reject or produce agrees.

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, type LanguageModel, type ModelMessage } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { draws } from '../support/draws.ts';
import {
  type History,
  type HistoryFormat,
  historyOf,
  hostileHistory,
  legalHistory,
} from '../support/histories.ts';
import { JUDGES } from '../support/history-rules/index.ts';
import { shape } from '../support/history-rules/shape.ts';
import { legalScript } from '../support/history-script.ts';
import { type ScriptedModels, startModels } from '../support/scripted-models.ts';

let models: ScriptedModels;
beforeAll(async () => {
  models = await startModels(() => 'done');
});
afterAll(() => models.close());

function ask(model: LanguageModel, messages: readonly unknown[]): Promise<unknown> {
  // The SDK must judge the history, even if its type does not match.
  return generateText({
    model,
    messages: messages as ModelMessage[],
    allowSystemInMessages: true,
    maxRetries: 0,
  });
}

const mock = (): MockLanguageModelV3 =>
  new MockLanguageModelV3({
    doGenerate: () =>
      Promise.resolve({
        content: [{ type: 'text' as const, text: 'done' }],
        finishReason: { unified: 'stop' as const, raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      }),
  });

it('the AI SDK accepts valid lists, and the check of its prompt agrees', async () => {
  await fc.assert(
    fc.asyncProperty(legalHistory('ai-sdk'), async ({ messages }) => {
      const model = mock();
      await ask(model, messages);
      expect(JUDGES['ai-sdk-prompt'](model.doGenerateCalls[0]?.prompt ?? [])).toEqual([]);
    }),
    { numRuns: draws(60) },
  );
}, 120_000);

it('whatever the AI SDK rejects is rejected', async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(hostileHistory('ai-sdk'), async ({ messages }) => {
      const error: unknown = await ask(mock(), messages).then(
        () => null,
        (cause: unknown) => cause,
      );
      if (!error) return;
      refused += 1;
      expect(JUDGES['ai-sdk'](messages), String(error)).not.toEqual([]);
    }),
    { numRuns: draws(100) },
  );
  expect(refused).toBeGreaterThan(draws(100) / 10);
}, 120_000);

/** Without searches, which here are Anthropic's own: the SDK sends them to others as calls without results. */
const ownTools: fc.Arbitrary<History> = legalScript.map((script) =>
  historyOf('ai-sdk', {
    ...script,
    turns: script.turns.map((turn) => (turn.kind === 'assistant' ? { ...turn, hosted: '' } : turn)),
  }),
);

/** Where the request contains the provider's messages, and the checker for them. */
const PROVIDERS: readonly [name: string, format: HistoryFormat, field: string, model: () => LanguageModel][] =
  [
    [
      'Anthropic',
      'anthropic',
      'messages',
      () => createAnthropic({ baseURL: `${models.url}/v1`, apiKey: 'none' })('claude-sonnet-4-5'),
    ],
    [
      'OpenAI Chat',
      'openai-chat',
      'messages',
      () => createOpenAI({ baseURL: `${models.url}/v1`, apiKey: 'none' }).chat('gpt-4o'),
    ],
    [
      'OpenAI Responses',
      'openai-responses',
      'input',
      () => createOpenAI({ baseURL: `${models.url}/v1`, apiKey: 'none' }).responses('gpt-4o'),
    ],
  ];

it.each(PROVIDERS)(
  'what the AI SDK sends to %s of a legal history is legal there',
  async (_name, format, field, model) => {
    await fc.assert(
      fc.asyncProperty(format === 'anthropic' ? legalHistory('ai-sdk') : ownTools, async ({ messages }) => {
        await ask(model(), messages);
        const sent = shape(models.requests.at(-1))[field];
        expect(Array.isArray(sent) && sent.length > 0).toBe(true);
        expect(JUDGES[format](Array.isArray(sent) ? sent : [])).toEqual([]);
      }),
      { numRuns: draws(40) },
    );
  },
  120_000,
);

it('what the AI SDK sends to Gemini for a valid history is valid there', async () => {
  // For models before Gemini 3, the SDK sends an image-only result without a response.
  const bodies: unknown[] = [];
  const google = createGoogleGenerativeAI({
    apiKey: 'none',
    fetch: (_url, init) => {
      bodies.push(JSON.parse(String(init?.body)));
      const candidates = [{ content: { role: 'model', parts: [{ text: 'done' }] }, finishReason: 'STOP' }];
      return Promise.resolve(Response.json({ candidates, usageMetadata: {} }));
    },
  });
  await fc.assert(
    fc.asyncProperty(ownTools, async ({ messages }) => {
      await ask(google('gemini-3-pro-preview'), messages);
      const sent = shape(bodies.at(-1))['contents'];
      expect(JUDGES['gemini'](Array.isArray(sent) ? sent : [])).toEqual([]);
    }),
    { numRuns: draws(40) },
  );
}, 120_000);
