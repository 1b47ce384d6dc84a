import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { createLoopGuard } from '../../../src/plan/index.ts';
import { guardedTools, loopGuardMiddleware } from '../../../src/plan/integrations/ai-sdk.ts';

/** Calls `look` with the same argument until it has called it so often, and keeps the prompts it saw. */
function stubborn(calls: number) {
  const prompts: string[] = [];
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      prompts.push(JSON.stringify(prompt));
      const done = prompts.length > calls;
      return {
        finishReason: { unified: done ? 'stop' : 'tool-calls', raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
        content: done
          ? [{ type: 'text', text: 'done' }]
          : [{ type: 'tool-call', toolCallId: `c${prompts.length}`, toolName: 'look', input: '{"at":"a"}' }],
      };
    },
  });
  return { model, prompts };
}

const tools = (runs: { count: number }) => ({
  look: tool({
    inputSchema: jsonSchema<{ at: string }>({ type: 'object', properties: { at: { type: 'string' } } }),
    execute: async () => {
      runs.count += 1;
      return { found: 'nothing' };
    },
  }),
});

describe('guarded tools of the AI SDK', () => {
  it('warn in the result, and refuse by option', async () => {
    const { model, prompts } = stubborn(5);
    const runs = { count: 0 };
    const guard = createLoopGuard({ block: true });
    await generateText({
      model,
      tools: guardedTools(tools(runs), guard),
      prompt: 'x',
      stopWhen: stepCountIs(9),
    });
    expect(runs.count).toBe(3);
    expect(prompts[2]).not.toContain('[Note:');
    expect(prompts[3]).toContain('returned the same result 3 times in a row');
    expect(prompts[4]).toContain('Not run: ');
  });

  it('tell what a tool threw, and of the loop', async () => {
    const guard = createLoopGuard();
    const failing = guardedTools({ look: { execute: () => Promise.reject(new Error('offline')) } }, guard);
    for (const expected of [/^offline$/, /^offline$/, /^offline\n\[Note: /])
      await expect(failing.look.execute()).rejects.toThrow(expected);
  });

  it('give the result where the guard cannot record the call', async () => {
    const watch = {
      check: () => ({ allowed: true }) as const,
      observe: () => Promise.reject(new Error('disk full')),
    };
    const tools = guardedTools({ look: { execute: async () => 'found' } }, watch);
    expect(await tools.look.execute()).toBe('found');
  });

  it('leave other tools as they are', () => {
    const given = { asked: { description: 'no execute' }, stream: { execute: async function* () {} } };
    const guarded = guardedTools(given, createLoopGuard());
    expect(guarded.asked).toBe(given.asked);
    expect(Symbol.asyncIterator in guarded.stream.execute()).toBe(true);
  });
});

describe('the middleware of the AI SDK', () => {
  it('warns in the prompt, the same way in every later one', async () => {
    const { model, prompts } = stubborn(4);
    const wrapped = wrapLanguageModel({ model, middleware: loopGuardMiddleware(createLoopGuard()) });
    await generateText({ model: wrapped, tools: tools({ count: 0 }), prompt: 'x', stopWhen: stepCountIs(9) });
    expect(prompts[2]).not.toContain('[Note:');
    expect(prompts[3]).toContain(
      '{\\"found\\":\\"nothing\\"}\\n[Note: `look` returned the same result 3 times',
    );
    expect(prompts[4]?.startsWith(prompts[3]?.slice(0, -1) ?? '')).toBe(true);
  });
});
