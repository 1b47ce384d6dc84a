// An agent that reads one long text after another, and the checks for each of its requests.

import type { LanguageModelV3CallOptions, LanguageModelV3GenerateResult } from '@ai-sdk/provider';
import { jsonSchema, type ToolSet, tool } from 'ai';
import { expect } from 'vitest';
import { codecOf, createEstimator } from '../../../src/history/index.ts';
import { JUDGES } from '../../support/history-rules/index.ts';

export const WINDOW = 20_000;
export const SYSTEM = 'You read files until you know enough. Be brief.';
export const TASK = 'Find out which of the modules leaks, and say which.';

const estimator = createEstimator('conservative');
const codec = codecOf('ai-sdk');

/** About 3000 tokens; every fourteenth has 30 000. */
export function result(step: number): string {
  const lines = step % 14 === 13 ? 1000 : 100;
  return Array.from(
    { length: lines },
    (_, line) =>
      `src/module-${step}/part-${line}.ts:${line * 7}: export const value${line} = compute(${step * line});`,
  ).join('\n');
}

/** `read` returns the loop's next text, after `before`. */
export function reading(before: string = ''): ToolSet {
  let step = 0;
  return {
    read: tool({
      description: 'Reads a module.',
      inputSchema: jsonSchema<{ module: number }>({
        type: 'object',
        properties: { module: { type: 'number' } },
      }),
      execute: async () => {
        step += 1;
        return `${before}-${step}\n${result(step)}`;
      },
    }),
  };
}

/** Answers of a model that calls a tool `steps` times. */
export function answering(steps: number): (prompt: readonly unknown[]) => LanguageModelV3GenerateResult {
  let step = 0;
  return (prompt) => {
    step += 1;
    const calls = step % 5 === 0 ? 2 : 1;
    return {
      content:
        step > steps
          ? [{ type: 'text', text: 'Module 7.' }]
          : Array.from({ length: calls }, (_, index) => ({
              type: 'tool-call' as const,
              toolCallId: `call_${step}_${index}`,
              toolName: 'read',
              input: JSON.stringify({ module: step }),
            })),
      finishReason: { unified: step > steps ? 'stop' : 'tool-calls', raw: undefined },
      usage: usageOf(prompt),
      warnings: [],
    };
  };
}

/** Real tokens of a prompt: more than estimated, as for any model. */
export function realTokens(prompt: readonly unknown[]): number {
  let tokens = 0;
  for (const message of prompt) tokens += estimator.message(codec.view(message));
  return Math.ceil(tokens * 1.15);
}

export function usageOf(prompt: readonly unknown[]): LanguageModelV3GenerateResult['usage'] {
  const total = realTokens(prompt);
  return {
    inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 10, text: 10, reasoning: 0 },
  };
}

/** Every prompt must be valid for the provider, contain the request, and fit the window. */
export function judged(prompt: LanguageModelV3CallOptions['prompt'], newest: string = TASK): void {
  expect(JUDGES['ai-sdk-prompt'](prompt)).toEqual([]);
  const asked = prompt.flatMap(({ role, content }) =>
    role === 'user' ? content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  );
  expect(asked[0]).toContain(TASK);
  expect(asked.some((text) => text.includes(newest))).toBe(true);
  expect(realTokens(prompt)).toBeLessThanOrEqual(WINDOW);
}
