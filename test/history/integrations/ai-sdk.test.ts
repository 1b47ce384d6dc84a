import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import {
  APICallError,
  generateText,
  type ModelMessage,
  stepCountIs,
  streamText,
  wrapLanguageModel,
} from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV3 } from 'ai/test';
import { describe, expect, it, vi } from 'vitest';
import { codecOf, createEstimator, createMemoryStorage } from '../../../src/history/index.ts';
import {
  compactingMiddleware,
  compactingPrepareStep,
} from '../../../src/history/integrations/ai-sdk/index.ts';
import { draws } from '../../support/draws.ts';
import { JUDGES } from '../../support/history-rules/index.ts';
import { startModels } from '../../support/scripted-models.ts';
import { answering, judged, reading, result, SYSTEM, TASK, usageOf, WINDOW } from './long-loop.ts';

// Runs agents for many steps.
vi.setConfig({ testTimeout: 180_000 });

const STEPS = draws(200, 80);

function mock(steps: number): MockLanguageModelV3 {
  const answer = answering(steps);
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => answer(prompt),
    doStream: async ({ prompt }) => {
      const { content, finishReason, usage } = answer(prompt);
      const parts: LanguageModelV3StreamPart[] = [{ type: 'stream-start', warnings: [] }];
      for (const part of content) {
        if (part.type === 'tool-call') parts.push(part);
        if (part.type === 'text')
          parts.push(
            { type: 'text-start', id: '1' },
            { type: 'text-delta', id: '1', delta: part.text },
            { type: 'text-end', id: '1' },
          );
      }
      parts.push({ type: 'finish', finishReason, usage });
      return { stream: convertArrayToReadableStream(parts) };
    },
  });
}

const storage = (): { storage: ReturnType<typeof createMemoryStorage> } => ({
  storage: createMemoryStorage(),
});

describe('compactingPrepareStep', () => {
  it(`keeps ${STEPS} steps of generateText within the window`, async () => {
    const model = mock(STEPS);
    const { text } = await generateText({
      model,
      system: SYSTEM,
      prompt: TASK,
      tools: reading(),
      stopWhen: stepCountIs(STEPS + 1),
      prepareStep: compactingPrepareStep(
        { window: WINDOW, ...storage() },
        { system: SYSTEM, tools: reading() },
      ),
    });
    expect(text).toBe('Module 7.');
    expect(model.doGenerateCalls).toHaveLength(STEPS + 1);
    for (const { prompt } of model.doGenerateCalls) judged(prompt);
  });

  it('keeps the steps of streamText and later turns within the window', async () => {
    const prepareStep = compactingPrepareStep({ window: WINDOW, conversation: () => 'one' });
    const messages: ModelMessage[] = [{ role: 'user', content: TASK }];
    for (const question of [TASK, 'And which others?', 'Are you sure?']) {
      if (question !== TASK) messages.push({ role: 'user', content: question });
      const model = mock(20);
      const answer = streamText({
        model,
        system: SYSTEM,
        messages,
        tools: reading(),
        stopWhen: stepCountIs(21),
        prepareStep,
      });
      messages.push(...(await answer.response).messages);
      expect(model.doStreamCalls).toHaveLength(21);
      for (const { prompt } of model.doStreamCalls) judged(prompt, question);
    }
    const stats = prepareStep.compactor('one').stats();
    expect(stats.compactions).toBeGreaterThan(3);
    // Usage showed that prompts are larger than estimated.
    expect(stats.calibration).toBeGreaterThan(1);
  });

  it('accepts messages carried over from step to step', async () => {
    const prepareStep = compactingPrepareStep({ window: WINDOW });
    let messages: ModelMessage[] = [{ role: 'user', content: TASK }];
    const estimator = createEstimator('conservative');
    for (let stepNumber = 0; stepNumber < 60; stepNumber += 1) {
      const prepared = await prepareStep({ messages, steps: [], stepNumber, model: 'mock' });
      expect(JUDGES['ai-sdk'](prepared.messages)).toEqual([]);
      expect(estimator.text(JSON.stringify(prepared.messages))).toBeLessThan(WINDOW);
      const toolCallId = `call_${stepNumber}`;
      messages = [
        ...prepared.messages,
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName: 'read', input: {} }] },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId,
              toolName: 'read',
              output: { type: 'text', value: result(stepNumber) },
            },
          ],
        },
      ];
    }
  });

  it("calls the caller's prepareStep first, and passes on its result", async () => {
    const model = mock(30);
    const numbers: number[] = [];
    await generateText({
      model,
      system: SYSTEM,
      prompt: TASK,
      tools: reading(),
      stopWhen: stepCountIs(31),
      prepareStep: compactingPrepareStep(
        { window: WINDOW },
        {
          prepareStep: ({ stepNumber, messages }) => {
            numbers.push(stepNumber);
            return {
              system: 'Own.',
              toolChoice: stepNumber < 30 ? 'required' : 'auto',
              messages: [...messages, { role: 'user', content: `Step ${stepNumber}` }],
            };
          },
        },
      ),
    });
    expect(numbers).toEqual(Array.from({ length: 31 }, (_, index) => index));
    model.doGenerateCalls.forEach(({ prompt, toolChoice }, step) => {
      expect(toolChoice).toEqual({ type: step < 30 ? 'required' : 'auto' });
      expect(prompt[0]).toMatchObject({ role: 'system', content: 'Own.' });
      judged(prompt, `Step ${step}`);
    });
  });

  it("uses the window of the call's model if the options set none", async () => {
    const prepareStep = compactingPrepareStep({});
    const many: ModelMessage[] = Array.from({ length: 41 }, (_, index) =>
      index % 2 === 0
        ? { role: 'user', content: result(index + 1) }
        : { role: 'assistant', content: result(index + 1) },
    );
    const { messages } = await prepareStep({ messages: many, steps: [], stepNumber: 0, model: 'phi-4' });
    expect(createEstimator('conservative').text(JSON.stringify(messages))).toBeLessThan(16_384);
  });

  it("ends with the signal's reason", async () => {
    const reason = new DOMException('gone', 'AbortError');
    const prepareStep = compactingPrepareStep({}, { abortSignal: AbortSignal.abort(reason) });
    const step = { messages: [{ role: 'user', content: TASK }], steps: [], stepNumber: 0 };
    await expect(prepareStep(step)).rejects.toBe(reason);
  });

  it('rejects invalid options', () => {
    // Options and settings from untyped callers.
    expect(() => compactingPrepareStep({ windows: 1 } as object)).toThrow('windows');
    expect(() => compactingPrepareStep({}, { sistem: 'x' } as object)).toThrow('sistem');
    expect(() => compactingPrepareStep({ conversations: 0 })).toThrow('conversations');
  });
});

describe('compactingMiddleware', () => {
  it(`keeps ${STEPS} steps of generateText within the window`, async () => {
    const inner = mock(STEPS);
    const middleware = compactingMiddleware({ window: WINDOW, ...storage() });
    await generateText({
      model: wrapLanguageModel({ model: inner, middleware }),
      system: SYSTEM,
      prompt: TASK,
      tools: reading(),
      stopWhen: stepCountIs(STEPS + 1),
    });
    expect(inner.doGenerateCalls).toHaveLength(STEPS + 1);
    for (const { prompt } of inner.doGenerateCalls) judged(prompt);
  });

  it("keeps steps of streamText within the window, and streams the model's output", async () => {
    const inner = mock(40);
    const answer = streamText({
      model: wrapLanguageModel({ model: inner, middleware: compactingMiddleware({ window: WINDOW }) }),
      system: SYSTEM,
      prompt: TASK,
      tools: reading(),
      stopWhen: stepCountIs(41),
    });
    expect(await answer.text).toBe('Module 7.');
    expect(inner.doStreamCalls).toHaveLength(41);
    for (const { prompt } of inner.doStreamCalls) judged(prompt);
  });

  it('follows each conversation separately, even if several start with the same messages', async () => {
    const reports: string[] = [];
    const secrets = ['amber', 'basalt', 'cobalt'];
    const middleware = compactingMiddleware({
      window: WINDOW,
      onCompaction: ({ action }) => reports.push(action),
    });
    await Promise.all(
      secrets.map(async (secret) => {
        const inner = mock(40);
        await generateText({
          model: wrapLanguageModel({ model: inner, middleware }),
          system: SYSTEM,
          prompt: TASK,
          tools: reading(secret),
          stopWhen: stepCountIs(41),
        });
        for (const { prompt } of inner.doGenerateCalls) {
          judged(prompt);
          const said = JSON.stringify(prompt);
          for (const other of secrets) if (other !== secret) expect(said).not.toContain(other);
        }
        expect(JSON.stringify(inner.doGenerateCalls.at(1)?.prompt)).toContain(secret);
      }),
    );
    expect(reports.length).toBeGreaterThan(6);
  });

  it('keeps the start of prompts stable between compactions', async () => {
    const inner = mock(60);
    await generateText({
      model: wrapLanguageModel({ model: inner, middleware: compactingMiddleware({ window: 60_000 }) }),
      system: SYSTEM,
      prompt: TASK,
      tools: reading(),
      stopWhen: stepCountIs(61),
    });
    const prompts = inner.doGenerateCalls.map(({ prompt }) =>
      prompt.map((message) => JSON.stringify(message)),
    );
    const breaks = prompts.filter((prompt, at) => {
      const before = prompts[at - 1] ?? [];
      return before.some((message, index) => message !== prompt[index]);
    });
    expect(breaks.length).toBeLessThan(60 / 3);
  });

  it('follows conversations by name, with separate options', async () => {
    const inner = mock(3);
    const names: string[] = [];
    const middleware = compactingMiddleware({
      window: WINDOW,
      conversation: () => 'room',
      optionsFor: (name) => {
        names.push(name);
        return { goal: name };
      },
    });
    await generateText({
      model: wrapLanguageModel({ model: inner, middleware }),
      prompt: TASK,
      tools: reading(),
      stopWhen: stepCountIs(4),
    });
    expect(names).toEqual(['room']);
    expect(middleware.compactor('room').stats().calls).toBe(4);
    expect(middleware.compactor('room').stats().calibration).toBeGreaterThan(1);
  });
});

const refusal = (): APICallError =>
  new APICallError({
    message: 'Bad Request',
    url: 'http://127.0.0.1/',
    requestBodyValues: {},
    statusCode: 400,
    responseBody: '{"error":{"message":"prompt is too long: 9000 tokens > 8000 maximum"}}',
    isRetryable: false,
  });

const many: ModelMessage[] = Array.from({ length: 9 }, (_, index) =>
  index % 2 === 0
    ? { role: 'user', content: index === 0 ? TASK : result(index) }
    : { role: 'assistant', content: result(index) },
);

type Part = { type: string; [name: string]: unknown };

/** A model that rejects its first prompts in a given way. */
function refusing(
  refuse: (call: number) => 'reject' | 'part' | 'late' | 'break' | null,
): MockLanguageModelV3 {
  let calls = 0;
  const finish = { type: 'finish', finishReason: { unified: 'stop', raw: undefined } };
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      calls += 1;
      if (refuse(calls)) throw refusal();
      return answering(0)(prompt);
    },
    doStream: async ({ prompt }) => {
      calls += 1;
      const how = refuse(calls);
      if (how === 'reject') throw refusal();
      const parts: Part[] = [{ type: 'stream-start', warnings: [] }];
      if (how === 'late')
        parts.push({ type: 'text-start', id: '1' }, { type: 'text-delta', id: '1', delta: 'Mod' });
      if (how === 'part' || how === 'late') parts.push({ type: 'error', error: refusal() });
      if (how === null)
        parts.push(
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'Module 7.' },
          { type: 'text-end', id: '1' },
          { ...finish, usage: usageOf(prompt) },
        );
      const stream = new ReadableStream<Part>({
        start: (controller) => {
          for (const part of parts) controller.enqueue(part);
          if (how !== 'break') controller.close();
        },
        pull: (controller) => {
          if (how === 'break') controller.error(refusal());
        },
      });
      // Parts as a provider would write them.
      return { stream } as unknown as Awaited<ReturnType<MockLanguageModelV3['doStream']>>;
    },
  });
}

describe('overflow', () => {
  const wrap = (inner: MockLanguageModelV3): ReturnType<typeof wrapLanguageModel> =>
    wrapLanguageModel({ model: inner, middleware: compactingMiddleware({ window: 200_000 }) });

  it('is retried once with a shorter prompt', async () => {
    const inner = refusing((call) => (call === 1 ? 'reject' : null));
    const { text } = await generateText({ model: wrap(inner), system: SYSTEM, messages: many });
    expect(text).toBe('Module 7.');
    const [first, second] = inner.doGenerateCalls.map(({ prompt }) => prompt);
    expect(inner.doGenerateCalls).toHaveLength(2);
    expect(JSON.stringify(second).length).toBeLessThan(JSON.stringify(first).length / 2);
    judged(second ?? [], 'module-8');
  });

  it('is rethrown the second time', async () => {
    const inner = refusing(() => 'reject');
    const caught = await generateText({ model: wrap(inner), messages: many }).catch(
      (error: unknown) => error,
    );
    expect(caught).toBeInstanceOf(APICallError);
    expect(inner.doGenerateCalls).toHaveLength(2);
  });

  it.each(['reject', 'part', 'break'] as const)(
    'of a stream is retried if nothing was emitted yet (%s)',
    async (how) => {
      const inner = refusing((call) => (call === 1 ? how : null));
      const errors: unknown[] = [];
      const answer = streamText({
        model: wrap(inner),
        messages: many,
        onError: ({ error }) => {
          errors.push(error);
        },
      });
      const parts: string[] = [];
      for await (const { type } of answer.fullStream) parts.push(type);
      expect(await answer.text).toBe('Module 7.');
      expect(parts.filter((type) => type === 'start-step')).toHaveLength(1);
      expect(errors).toEqual([]);
      expect(inner.doStreamCalls).toHaveLength(2);
    },
  );

  it('of a stream that breaks off ends the stream the second time', async () => {
    const inner = refusing(() => 'break');
    const errors: unknown[] = [];
    const answer = streamText({ model: wrap(inner), messages: many });
    await answer.consumeStream({ onError: (error) => errors.push(error) });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(APICallError);
    expect(inner.doStreamCalls).toHaveLength(2);
  });

  it.each(['reject', 'part'] as const)('of a stream is reported the second time (%s)', async (how) => {
    const inner = refusing(() => how);
    const errors: unknown[] = [];
    const answer = streamText({
      model: wrap(inner),
      messages: many,
      onError: ({ error }) => {
        errors.push(error);
      },
    });
    await answer.consumeStream();
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(APICallError);
    expect(inner.doStreamCalls).toHaveLength(2);
  });

  it('of a stream emits one start only', async () => {
    const { stream } = await wrap(refusing((call) => (call === 1 ? 'part' : null))).doStream({
      prompt: many.map((message) => {
        const text = String(message.content);
        return message.role === 'user'
          ? { role: 'user', content: [{ type: 'text', text }] }
          : { role: 'assistant', content: [{ type: 'text', text }] };
      }),
    });
    const types: string[] = [];
    for (const reader = stream.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      types.push(value.type);
    }
    expect(types).toEqual(['stream-start', 'text-start', 'text-delta', 'text-end', 'finish']);
  });

  it('of a stream that has emitted text is passed on', async () => {
    const inner = refusing(() => 'late');
    const errors: unknown[] = [];
    const answer = streamText({
      model: wrap(inner),
      messages: many,
      onError: ({ error }) => {
        errors.push(error);
      },
    });
    await answer.consumeStream();
    expect(errors).toHaveLength(1);
    expect(inner.doStreamCalls).toHaveLength(1);
  });

  it('passes on other errors and aborted calls', async () => {
    let calls = 0;
    const inner = new MockLanguageModelV3({
      doGenerate: async () => {
        calls += 1;
        throw new Error('fetch failed');
      },
    });
    await expect(generateText({ model: wrap(inner), messages: many })).rejects.toThrow('fetch failed');
    expect(calls).toBe(1);
    const reason = new DOMException('gone', 'AbortError');
    const aborted = generateText({
      model: wrap(inner),
      messages: many,
      abortSignal: AbortSignal.abort(reason),
    });
    await expect(aborted).rejects.toBe(reason);
    expect(calls).toBe(1);
  });
});

describe('on the wire', () => {
  const field = (value: unknown, name: string): unknown =>
    // A request's body is JSON.
    (value as Record<string, unknown>)[name];

  it.each(['anthropic', 'openai-chat'] as const)(
    'every request of a long loop to %s is valid',
    async (format) => {
      let asked = 0;
      const models = await startModels(() => {
        asked += 1;
        return asked > 60 ? 'Module 7.' : { name: 'read', input: { module: asked } };
      });
      try {
        const model =
          format === 'anthropic'
            ? createAnthropic({ baseURL: `${models.url}/v1`, apiKey: 'none' })('claude-sonnet-4-5')
            : createOpenAI({ baseURL: `${models.url}/v1`, apiKey: 'none' }).chat('gpt-4o');
        const { text } = await generateText({
          model: wrapLanguageModel({
            model,
            middleware: compactingMiddleware({ window: WINDOW, ...storage() }),
          }),
          system: SYSTEM,
          prompt: TASK,
          tools: reading(),
          stopWhen: stepCountIs(61),
        });
        expect(text).toBe('Module 7.');
        expect(models.requests).toHaveLength(61);
        const estimator = createEstimator(format === 'anthropic' ? 'anthropic' : 'openai');
        for (const body of models.requests) {
          const messages = field(body, 'messages');
          expect(JUDGES[format](Array.isArray(messages) ? messages : [])).toEqual([]);
          const said = JSON.stringify(messages);
          expect(said).toContain(TASK);
          expect(estimator.text(said)).toBeLessThan(WINDOW);
        }
      } finally {
        await models.close();
      }
    },
  );

  it('every request of a long loop to Gemini is valid, with signed calls', async () => {
    const requests: unknown[][] = [];
    const signed = new Set<unknown>();
    const estimator = createEstimator('gemini');
    const codec = codecOf('gemini');
    const tokensOf = (contents: readonly unknown[]): number =>
      contents.reduce<number>((sum, content) => sum + estimator.message(codec.view(content)), 0);
    const google = createGoogleGenerativeAI({
      apiKey: 'none',
      fetch: async (_url, init) => {
        const contents: unknown = field(JSON.parse(String(init?.body)), 'contents');
        requests.push(Array.isArray(contents) ? contents : []);
        const step = requests.length;
        const calls = Array.from({ length: step % 3 === 0 ? 3 : 1 }, (_, index) => ({
          functionCall: { id: `call_${step}_${index}`, name: 'read', args: { module: step } },
          ...(index === 0 && { thoughtSignature: `signed${step}` }),
        }));
        signed.add(`signed${step}`);
        const candidate = {
          content: { role: 'model', parts: step > 50 ? [{ text: 'Module 7.' }] : calls },
          finishReason: 'STOP',
        };
        const usageMetadata = { promptTokenCount: tokensOf(requests.at(-1) ?? []) };
        return Response.json({ candidates: [candidate], usageMetadata });
      },
    });
    const { text } = await generateText({
      model: wrapLanguageModel({
        model: google('gemini-3-pro-preview'),
        middleware: compactingMiddleware({ window: WINDOW }),
      }),
      system: SYSTEM,
      prompt: TASK,
      tools: reading(),
      stopWhen: stepCountIs(51),
    });
    expect(text).toBe('Module 7.');
    expect(requests).toHaveLength(51);
    for (const contents of requests) {
      expect(JUDGES.gemini(contents)).toEqual([]);
      expect(JSON.stringify(contents)).toContain(TASK);
      expect(tokensOf(contents)).toBeLessThan(WINDOW);
      const parts = contents.flatMap((content): unknown[] => {
        const list = field(content, 'parts');
        return Array.isArray(list) ? list : [];
      });
      for (const part of parts) {
        const signature = field(part, 'thoughtSignature');
        if (signature !== undefined) expect(signed).toContain(signature);
      }
    }
  });

  it('signed reasoning is returned unchanged or removed with its step', async () => {
    const bodies: unknown[] = [];
    const signed: string[] = [];
    const anthropic = createAnthropic({
      apiKey: 'none',
      fetch: async (_url, init) => {
        bodies.push(JSON.parse(String(init?.body)));
        const step = bodies.length;
        const thinking = { type: 'thinking', thinking: `Step ${step}.`, signature: `sig${step}==` };
        signed.push(JSON.stringify(thinking));
        const answer =
          step > 50
            ? { type: 'text', text: 'Module 7.' }
            : { type: 'tool_use', id: `toolu_${step}`, name: 'read', input: { module: step } };
        return Response.json({
          id: `msg_${step}`,
          type: 'message',
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content: [thinking, answer],
          stop_reason: step > 50 ? 'end_turn' : 'tool_use',
          stop_sequence: null,
          usage: { input_tokens: Math.ceil(String(init?.body).length / 3), output_tokens: 1 },
        });
      },
    });
    await generateText({
      model: wrapLanguageModel({
        model: anthropic('claude-sonnet-4-5'),
        middleware: compactingMiddleware({ window: WINDOW }),
      }),
      system: SYSTEM,
      prompt: TASK,
      tools: reading(),
      stopWhen: stepCountIs(51),
      providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
    });
    expect(bodies).toHaveLength(51);
    for (const body of bodies) {
      const messages = field(body, 'messages');
      const list: unknown[] = Array.isArray(messages) ? messages : [];
      expect(JUDGES.anthropic(list)).toEqual([]);
      const blocks = list.flatMap((message): unknown[] => {
        const content = field(message, 'content');
        return Array.isArray(content) ? content : [];
      });
      const thought = blocks.filter((block) => field(block, 'type') === 'thinking');
      for (const block of thought) expect(signed).toContain(JSON.stringify(block));
      if (list.length > 2) expect(thought.length).toBeGreaterThan(0);
    }
  });
});
