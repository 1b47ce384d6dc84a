// Invalid arguments from untyped callers: rejected immediately, with the name of the called function.

import { describe, expect, it } from 'vitest';
import { createCompactor } from '../../../src/history/index.ts';
import {
  compactingMiddleware,
  compactingPrepareStep,
} from '../../../src/history/integrations/ai-sdk/index.ts';
import { createCompactingProcessor } from '../../../src/history/integrations/mastra.ts';
import { createHistoryProcessor } from '../../../src/history/integrations/plain.ts';
import { checkAiSdkFormat, checkOptions, failing, loose, type Take } from './misuse-checks.ts';

const OF_AI_SDK: Readonly<Record<string, Take>> = {
  'compactingMiddleware of the AI SDK': (options) => loose(compactingMiddleware)(options),
  compactingPrepareStep: (options) => loose(compactingPrepareStep)(options),
  createCompactingProcessor: (options) => loose(createCompactingProcessor)(options),
};

checkOptions('createHistoryProcessor', (options) => loose(createHistoryProcessor)(options));
for (const [taker, take] of Object.entries(OF_AI_SDK)) {
  checkOptions(taker, take);
  checkAiSdkFormat(taker, take);
}

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

  it('says what it needs when it is given nothing', () => {
    expect(() => loose(compactingPrepareStep)()).toThrow(
      '`compactingPrepareStep` needs options or a compactor.',
    );
  });

  it('rejects a compactor of another format immediately', () => {
    expect(() => compactingPrepareStep(createCompactor({ window: 128_000, format: 'openai-chat' }))).toThrow(
      message,
    );
  });

  it('refuses one that followed another format at the step that shows it', async () => {
    const compactor = createCompactor({ window: 128_000, format: 'openai-chat' });
    await compactor.compact([plain]);
    const prepare = loose(compactingPrepareStep(compactor));
    expect(await failing(() => prepare(step(tooled)))).toMatchObject({ code: 'BAD_INPUT', message });
  });

  it('takes one of no format, from plain texts to calls', async () => {
    const compactor = createCompactor({ window: 128_000 });
    expect(await loose(compactingPrepareStep(compactor))(step([plain]))).toEqual({ messages: [plain] });
    expect(await loose(compactingPrepareStep(compactor))(step(tooled))).toEqual({ messages: tooled });
    expect(compactor.state().codec).toBe('ai-sdk');
  });
});
