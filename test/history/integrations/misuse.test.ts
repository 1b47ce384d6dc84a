// Invalid arguments from untyped callers: rejected immediately, with the name of the called function.

import { describe, expect, it } from 'vitest';
import { createCompactor } from '../../../src/history/index.ts';
import {
  compactingMiddleware,
  compactingPrepareStep,
  offloadingTools,
} from '../../../src/history/integrations/ai-sdk/index.ts';
import { compactingMiddleware as langChainMiddleware } from '../../../src/history/integrations/langchain.ts';
import { createCompactingProcessor } from '../../../src/history/integrations/mastra.ts';
import {
  compactingInputFilter,
  compactingModel,
  compactingSession,
} from '../../../src/history/integrations/openai-agents/index.ts';
import { createHistoryProcessor } from '../../../src/history/integrations/plain.ts';

type Loose = (...args: unknown[]) => unknown;
const loose = (called: unknown): Loose => called as Loose;

/** Functions that take options as their last argument. */
const TAKERS: Readonly<Record<string, (options: unknown) => unknown>> = {
  'compactingMiddleware of LangChain': (options) => loose(langChainMiddleware)(options),
  'compactingMiddleware of the AI SDK': (options) => loose(compactingMiddleware)(options),
  compactingPrepareStep: (options) => loose(compactingPrepareStep)(options),
  createCompactingProcessor: (options) => loose(createCompactingProcessor)(options),
  compactingInputFilter: (options) => loose(compactingInputFilter)(options),
  compactingModel: (options) => loose(compactingModel)({}, options),
  compactingSession: (options) => loose(compactingSession)({}, options),
  createHistoryProcessor: (options) => loose(createHistoryProcessor)(options),
};

const nameOf = (taker: string): string => taker.replace(/ .*/, '');
const failing = (call: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(call)
    .then(
      () => ({ message: 'It was taken.' }),
      (error: unknown) => error,
    );
const badInput = (message: string | RegExp): object => ({
  code: 'BAD_INPUT',
  message: typeof message === 'string' ? message : expect.stringMatching(message),
});

for (const [taker, take] of Object.entries(TAKERS))
  describe(taker, () => {
    it('rejects an unknown option, and names its own function', async () => {
      const error = await failing(() => take({ windw: 8000 }));
      expect(error).toMatchObject(badInput(`\`${nameOf(taker)}\` has no option \`windw\`.`));
      expect(error).toMatchObject({ hint: 'Did you mean `window`?' });
    });

    it('rejects options that are not an object', async () => {
      for (const odd of [null, 'gpt-5', 7])
        expect(await failing(() => take(odd))).toMatchObject(badInput(new RegExp(`\`${nameOf(taker)}\``)));
    });
  });

for (const taker of [
  'compactingMiddleware of LangChain',
  'compactingInputFilter',
  'compactingModel',
  'compactingSession',
])
  it(`${taker} refuses a format and a codec, for it has its own`, async () => {
    for (const name of ['format', 'codec'])
      expect(await failing(() => TAKERS[taker]?.({ window: 8000, [name]: 'openai-chat' }))).toMatchObject(
        badInput(`\`${nameOf(taker)}\` has no option \`${name}\`.`),
      );
  });

for (const taker of [
  'compactingMiddleware of the AI SDK',
  'compactingPrepareStep',
  'createCompactingProcessor',
])
  it(`${taker} refuses another format`, async () => {
    expect(await failing(() => TAKERS[taker]?.({ format: 'openai-chat' }))).toMatchObject(
      badInput(`The options of \`${nameOf(taker)}\` have the format \`openai-chat\`; expected \`ai-sdk\`.`),
    );
    expect(() => TAKERS[taker]?.({ format: 'ai-sdk' })).not.toThrow();
  });

describe('compactingPrepareStep', () => {
  const step = (messages: unknown[]): object => ({ messages, steps: [], stepNumber: 0 });
  const plain = { role: 'user', content: 'Go.' };
  const tooled = [
    plain,
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} }] },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'a',
          toolName: 'read',
          output: { type: 'text', value: 'x' },
        },
      ],
    },
  ];
  const message = 'The compactor of `compactingPrepareStep` has the format `openai-chat`; expected `ai-sdk`.';

  it('names the required options when called without any', () => {
    expect(() => loose(compactingPrepareStep)()).toThrow(
      '`compactingPrepareStep` needs options or a compactor.',
    );
  });

  it('rejects a compactor of another format immediately', () => {
    expect(() => compactingPrepareStep(createCompactor({ format: 'openai-chat' }))).toThrow(message);
  });

  it('rejects a compactor that has followed another format at the step that reveals it', async () => {
    const compactor = createCompactor({ format: 'openai-chat' });
    await compactor.compact([plain]);
    const prepare = loose(compactingPrepareStep(compactor));
    expect(await failing(() => prepare(step(tooled)))).toMatchObject({ code: 'BAD_INPUT', message });
  });

  it('accepts a compactor without a format, from plain texts to calls', async () => {
    const compactor = createCompactor();
    expect(await loose(compactingPrepareStep(compactor))(step([plain]))).toEqual({ messages: [plain] });
    expect(await loose(compactingPrepareStep(compactor))(step(tooled))).toEqual({ messages: tooled });
    expect(compactor.state().codec).toBe('ai-sdk');
  });
});

describe('offloadingTools', () => {
  it('names the missing options', () => {
    for (const odd of [undefined, null, {}, { policy: {} }])
      expect(() => loose(offloadingTools)({}, odd)).toThrow('`offloadingTools` needs a compactor.');
    for (const odd of [undefined, null, 'tools'])
      expect(() => loose(offloadingTools)(odd, createCompactor())).toThrow('`offloadingTools` needs tools.');
  });
});
