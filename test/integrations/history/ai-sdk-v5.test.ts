// Version 5 of the AI SDK, which is supported in addition to the installed version: real loops with a scripted model.

import {
  generateText,
  jsonSchema,
  stepCountIs,
  streamText,
  type ToolSet,
  tool,
  wrapLanguageModel,
} from 'ai-v5';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage, type Report } from '../../../src/history/index.ts';
import {
  compactingMiddleware,
  compactingPrepareStep,
} from '../../../src/history/integrations/ai-sdk/index.ts';
import { realTokens, result, SYSTEM, TASK, WINDOW } from '../../history/integrations/long-loop.ts';
import { JUDGES } from '../../support/history-rules/index.ts';

const STEPS = 45;
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type Model = Parameters<typeof wrapLanguageModel>[0]['model'];
type Prompt = Parameters<Model['doGenerate']>[0]['prompt'];
type Generated = Awaited<ReturnType<Model['doGenerate']>>;
type Part = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

/** Calls one tool after another; the first call of each step is signed as by Gemini. */
function mock(): Model & { readonly prompts: Prompt[] } {
  const prompts: Prompt[] = [];
  let step = 0;
  const answer = (prompt: Prompt): Generated => {
    prompts.push(prompt);
    step += 1;
    const isLast = step > STEPS;
    const inputTokens = realTokens(prompt);
    return {
      content: isLast
        ? [{ type: 'text', text: 'Module 7.' }]
        : Array.from({ length: step % 4 === 0 ? 3 : 1 }, (_, index) => ({
            type: 'tool-call' as const,
            toolCallId: `call_${step}_${index}`,
            toolName: ['read', 'look', 'fail'][(step + index) % 3] ?? 'read',
            input: JSON.stringify({ module: step }),
            ...(index === 0 && { providerMetadata: { google: { thoughtSignature: `signed${step}` } } }),
          })),
      finishReason: isLast ? 'stop' : 'tool-calls',
      usage: { inputTokens, outputTokens: 10, totalTokens: inputTokens + 10 },
      warnings: [],
    };
  };
  return {
    specificationVersion: 'v2',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    prompts,
    doGenerate: async ({ prompt }) => answer(prompt),
    doStream: async ({ prompt }) => {
      const { content, finishReason, usage } = answer(prompt);
      const parts: Part[] = [{ type: 'stream-start', warnings: [] }];
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
      const stream = new ReadableStream<Part>({
        start: (controller) => {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
  };
}

function tools(): ToolSet {
  let step = 0;
  const inputSchema = jsonSchema<{ module: number }>({
    type: 'object',
    properties: { module: { type: 'number' } },
  });
  const next = (): string => {
    step += 1;
    return result(step);
  };
  return {
    read: tool({ inputSchema, execute: async () => next() }),
    look: tool({
      inputSchema,
      execute: async () => next(),
      toModelOutput: (text) => ({
        type: 'content',
        value: [
          { type: 'text', text: String(text) },
          { type: 'media', data: PICTURE, mediaType: 'image/png' },
        ],
      }),
    }),
    fail: tool({
      inputSchema,
      execute: async () => {
        if (next() !== '') throw new Error(next());
        return '';
      },
    }),
  };
}

function check(prompts: readonly (readonly unknown[])[]): void {
  expect(prompts).toHaveLength(STEPS + 1);
  for (const prompt of prompts) {
    expect(JUDGES['ai-sdk-prompt'](prompt)).toEqual([]);
    expect(realTokens(prompt)).toBeLessThanOrEqual(WINDOW);
    expect(JSON.stringify(prompt)).toContain(TASK);
  }
}

describe('version 5 of the AI SDK', () => {
  it('generates within the window with prepareStep', async () => {
    const storage = createMemoryStorage();
    const options = { window: WINDOW, storage, conversation: () => 'one' };
    const prepareStep = compactingPrepareStep(options, { system: SYSTEM });
    const model = mock();
    const { text } = await generateText({
      model,
      system: SYSTEM,
      prompt: TASK,
      tools: tools(),
      stopWhen: stepCountIs(STEPS + 1),
      prepareStep,
    });
    expect(text).toBe('Module 7.');
    check(model.prompts);
    expect(prepareStep.compactor('one').stats().calibration).toBeGreaterThan(1);
  });

  it('streams within the window with the middleware', async () => {
    const reports: Report[] = [];
    const inner = mock();
    const answer = streamText({
      model: wrapLanguageModel({
        model: inner,
        middleware: compactingMiddleware({ window: WINDOW, onCompaction: (report) => reports.push(report) }),
      }),
      system: SYSTEM,
      prompt: TASK,
      tools: tools(),
      stopWhen: stepCountIs(STEPS + 1),
    });
    expect(await answer.text).toBe('Module 7.');
    check(inner.prompts);
    expect(reports.length).toBeGreaterThan(5);
  });
});
