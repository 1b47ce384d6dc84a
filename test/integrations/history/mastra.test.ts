import { Agent } from '@mastra/core/agent';
import type { ModelRouterLanguageModel } from '@mastra/core/llm';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { codecOf, createEstimator, type Report } from '../../../src/history/index.ts';
import { compactingModel, createCompactingProcessor } from '../../../src/history/integrations/mastra.ts';
import { stepsApart } from '../../../src/history/integrations/mastra-steps.ts';
import { draws } from '../../support/draws.ts';
import { JUDGES } from '../../support/history-rules/index.ts';
import { logText as log } from '../../support/log-text.ts';

// Runs agents for many steps.
vi.setConfig({ testTimeout: 180_000 });

type CallOptions = Parameters<ModelRouterLanguageModel['doStream']>[0];
type StreamPart =
  Awaited<ReturnType<ModelRouterLanguageModel['doStream']>>['stream'] extends ReadableStream<infer P>
    ? P
    : never;
type Content =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: string;
    };
type Prompt = CallOptions['prompt'];

const WINDOW = 20_000;
const STEPS = draws(200, 80);
const QUESTION = 'Find the slowest order of every log.';
const estimator = createEstimator('conservative');
const codec = codecOf('ai-sdk');

function tokensOf(prompt: readonly unknown[]): number {
  let tokens = 0;
  for (const message of prompt) tokens += estimator.message(codec.view(message));
  return tokens;
}

interface Script {
  readonly steps: number;
  readonly refuse?: (prompt: Prompt) => void;
}

/** A model that calls `read` for a number of steps and records its input. */
class Scripted {
  readonly specificationVersion = 'v2';
  readonly provider = 'scripted';
  readonly modelId = 'scripted';
  readonly supportedUrls = {};
  readonly asked: Prompt[] = [];
  readonly #script: Script;
  #step = 0;

  constructor(script: Script) {
    this.#script = script;
  }

  #answer({ prompt }: CallOptions) {
    this.asked.push(structuredClone(prompt));
    this.#script.refuse?.(prompt);
    this.#step += 1;
    const isLast = this.#step > this.#script.steps;
    const content: Content[] = isLast
      ? [{ type: 'text', text: `Answer ${this.#step}.` }]
      : [
          {
            type: 'tool-call',
            toolCallId: `call_${this.#step}`,
            toolName: 'read',
            input: JSON.stringify({ step: this.#step }),
          },
        ];
    const inputTokens = Math.round(tokensOf(prompt) * 1.15);
    return {
      content,
      finishReason: isLast ? ('stop' as const) : ('tool-calls' as const),
      usage: { inputTokens, outputTokens: 10, totalTokens: inputTokens + 10 },
      warnings: [],
    };
  }

  async doGenerate(options: CallOptions) {
    return this.#answer(options);
  }

  async doStream(options: CallOptions) {
    const { content, finishReason, usage } = this.#answer(options);
    const parts: StreamPart[] = [
      { type: 'stream-start', warnings: [] },
      ...content.flatMap((part): StreamPart[] =>
        part.type === 'text'
          ? [
              { type: 'text-start', id: 't' },
              { type: 'text-delta', id: 't', delta: part.text },
              { type: 'text-end', id: 't' },
            ]
          : part.type === 'tool-call'
            ? [part]
            : [],
      ),
      { type: 'finish', finishReason, usage },
    ];
    return {
      stream: new ReadableStream<StreamPart>({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      }),
    };
  }
}

const sizeAt = (step: number): number => (step % 37 === 0 ? 30_000 : 3000);

const read = createTool({
  id: 'read',
  description: 'Reads the log of a step.',
  inputSchema: z.object({ step: z.number() }),
  execute: async ({ context }) => log(context.step, sizeAt(context.step)),
});

const agentOf = (model: Scripted): Agent =>
  new Agent({ name: 'reader', instructions: 'You read logs.', model, tools: { read } });

function check(asked: readonly Prompt[], most = WINDOW): void {
  for (const prompt of asked) {
    expect(JUDGES['ai-sdk-prompt'](prompt)).toEqual([]);
    expect(tokensOf(prompt)).toBeLessThanOrEqual(most);
    expect(prompt[0]).toMatchObject({ role: 'system', content: 'You read logs.' });
    expect(JSON.stringify(prompt.filter(({ role }) => role === 'user'))).toContain(QUESTION);
  }
}

describe('compactingModel', () => {
  it(`keeps every prompt of ${STEPS} steps within the window, and the messages whole`, async () => {
    const model = new Scripted({ steps: STEPS });
    const reports: Report[] = [];
    const compacting = compactingModel(model, {
      window: WINDOW,
      onCompaction: (report) => reports.push(report),
    });
    const result = await agentOf(compacting).generate(QUESTION, { maxSteps: 300 });
    expect(result.text).toBe(`Answer ${STEPS + 1}.`);
    expect(model.asked).toHaveLength(STEPS + 1);
    check(model.asked);
    expect(reports.length).toBeGreaterThan(5);
    expect(reports.length).toBeLessThan(STEPS * 0.6);
    expect(result.toolResults).toHaveLength(STEPS);
    expect(JSON.stringify(result.toolResults)).not.toContain('[history: ');
  });

  it('streams, and retries with a shorter prompt when the model rejects one', async () => {
    const model = new Scripted({
      steps: 20,
      refuse: (prompt) => {
        if (tokensOf(prompt) > 9000) throw new Error('prompt is too long: 24000 tokens > 12000 maximum');
      },
    });
    const stream = await agentOf(compactingModel(model, { window: WINDOW })).stream(QUESTION, {
      maxSteps: 50,
    });
    expect(await stream.text).toBe('Answer 21.');
    expect(model.asked.length).toBeGreaterThan(21);
    check(model.asked);
  });

  it('delegates every other property to the model', () => {
    const model = new Scripted({ steps: 0 });
    const compacting = compactingModel(model, { window: WINDOW });
    expect(compacting).toBeInstanceOf(Scripted);
    expect(compacting.modelId).toBe('scripted');
    expect(compacting.asked).toBe(model.asked);
  });
});

describe('stepsApart', () => {
  const calls = (...ids: string[]) =>
    ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: {} }));
  const results = (...ids: string[]) => ({
    role: 'tool',
    content: ids.map((toolCallId) => ({
      type: 'tool-result',
      toolCallId,
      toolName: 'read',
      output: { type: 'text', value: toolCallId },
    })),
  });
  const user = { role: 'user', content: [{ type: 'text', text: 'Go.' }] };
  const text = { type: 'text', text: 'And now?' };
  const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
  const thought = (signature: string) => ({
    type: 'reasoning',
    text: 'Hm.',
    providerOptions: { anthropic: { signature } },
  });

  it('puts each call in its own message, followed by its result', () => {
    const [a, b, c] = calls('a', 'b', 'c');
    const last = { role: 'user', content: [text] };
    expect(stepsApart([user, assistant(a, text, b, c, text), results('c', 'a', 'b'), last])).toEqual([
      user,
      assistant(a),
      results('a'),
      assistant(text, b),
      results('b'),
      assistant(c),
      results('c'),
      assistant(text),
      last,
    ]);
  });

  it('keeps signed reasoning and the calls after it together', () => {
    const [a, b, c] = calls('a', 'b', 'c');
    const joined = [user, assistant(thought('x'), a, b, thought('y'), text, c), results('a', 'b', 'c')];
    expect(stepsApart(joined)).toEqual([
      user,
      assistant(thought('x'), a, b),
      results('a', 'b'),
      assistant(thought('y'), text, c),
      results('c'),
    ]);
    const signed = { ...a, providerOptions: { google: { thoughtSignature: 'x' } } };
    const parallel = [user, assistant(signed, b, c), results('a', 'b', 'c')];
    expect(stepsApart(parallel)).toEqual(parallel);
    expect(stepsApart(parallel).every((message, index) => message === parallel[index])).toBe(true);
  });

  it('keeps unknown parts', () => {
    const [a, b] = calls('a', 'b');
    const odd = { type: 'tool-approval-response', approvalId: 'x', approved: true };
    const tool = { role: 'tool', content: [...results('b', 'z').content, odd] };
    expect(stepsApart([user, assistant(a, b), tool])).toEqual([user, assistant(a), assistant(b), tool]);
    for (const strange of [[], [null], [3, 'x'], [assistant(a, b)], [{ role: 'assistant' }, results('a')]])
      expect(stepsApart<unknown>(strange)).toEqual(strange);
  });
});

describe('a processor with the interface of Mastra 1', () => {
  const call = (step: number): Prompt => [
    { role: 'system', content: 'You read logs.' },
    { role: 'user', content: [{ type: 'text', text: QUESTION }] },
    ...Array.from({ length: step }, (_, at): Prompt => {
      const shared = { toolCallId: `call_${at}`, toolName: 'read' };
      return [
        { role: 'assistant', content: [{ type: 'tool-call', ...shared, input: { step: at } }] },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', ...shared, output: { type: 'text', value: log(at, sizeAt(at + 1)) } },
          ],
        },
      ];
    }).flat(),
  ];

  it(`compacts requests of ${STEPS} steps, and changes none of what came`, async () => {
    const processor = createCompactingProcessor({ window: WINDOW });
    const state = {};
    const whole = call(STEPS);
    const before = structuredClone(whole);
    for (let step = 0; step <= STEPS; step += 1) {
      await processor.processInputStep({ state, tools: { read } });
      const { prompt } = await processor.processLLMRequest({ state, prompt: whole.slice(0, 2 + step * 2) });
      check([prompt]);
      const messages: unknown[] = [];
      const usage = { inputTokens: Math.round(tokensOf(prompt) * 1.15) };
      expect(await processor.processOutputStep({ state, messages, usage })).toBe(messages);
    }
    expect(whole).toEqual(before);
    expect(JSON.stringify(state)).toBe('{}');
  });

  it('requests one retry with a shorter prompt when a prompt is too long', async () => {
    const processor = createCompactingProcessor({ window: WINDOW });
    const state = {};
    const error = new Error('prompt is too long: 24000 tokens > 12000 maximum');
    expect(await processor.processAPIError({ state, error, retryCount: 0 })).toBeUndefined();
    const first = await processor.processLLMRequest({ state, prompt: call(4) });
    expect(await processor.processAPIError({ state, error: new Error('no'), retryCount: 0 })).toBeUndefined();
    expect(await processor.processAPIError({ state, error, retryCount: 0 })).toEqual({ retry: true });
    const second = await processor.processLLMRequest({ state, prompt: call(4) });
    expect(tokensOf(second.prompt)).toBeLessThan(tokensOf(first.prompt));
    check([second.prompt], 12_000);
    expect(await processor.processAPIError({ state, error, retryCount: 1 })).toBeUndefined();
  });

  it('separates threads by their id', async () => {
    const names: string[] = [];
    const processor = createCompactingProcessor({
      window: WINDOW,
      conversation: ({ requestContext }) => String(requestContext),
      optionsFor: (name) => {
        names.push(name);
        return { goal: `Goal of ${name}` };
      },
    });
    for (const requestContext of ['a', 'b', 'a']) {
      const { prompt } = await processor.processLLMRequest({ state: {}, prompt: call(20), requestContext });
      expect(JSON.stringify(prompt)).toContain(`Goal of ${requestContext}`);
    }
    expect(names).toEqual(['a', 'b']);
  });
});
