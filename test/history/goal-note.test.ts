// The goal stays in the prompt after a compaction without a notice, such as one that only masks results.

import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import {
  codecOf,
  compact,
  createCompactor,
  createLangChainCodec,
  createMemoryStorage,
} from '../../src/history/index.ts';
import { createPlanMemory, openPlan } from '../../src/plan/index.ts';
import { type Chat, steps, user } from '../support/chat.ts';
import { HISTORY_FORMATS, type HistoryFormat, loop } from '../support/histories.ts';
import { JUDGES } from '../support/history-rules/index.ts';

const langChain = createLangChainCodec({ HumanMessage, AIMessage, ToolMessage });
const codecFor = (format: HistoryFormat) =>
  format === 'langchain' ? langChain : codecOf(format === 'ai-sdk-prompt' ? 'ai-sdk' : format);
const planned = async () => {
  const plan = await openPlan({ storage: createPlanMemory(), goal: 'Ship mathx' });
  await plan.add(['Build', 'Test', 'Publish']);
  await plan.ask('Which licence?');
  return plan;
};
const WANTED = ['Goal: Ship mathx', 'Now: 1.1 Build', 'Next: 2.1 Test', 'Which licence?'];
/** Masks results, and drops nothing at this window. */
const masking = { window: 60_000, preset: 'duragent' } as const;
const isNote = (text: string): boolean => text.includes('[history: the goal when');

describe.each(HISTORY_FORMATS)('%s', (format) => {
  const { messages, system } = loop(format, 12, 1500);
  const call = system === null ? {} : { system };
  const codec = codecFor(format);
  const textsOf = (list: readonly unknown[]): string[] =>
    list.flatMap((message) => codec.view(message).items.map(({ text }) => text));

  it('adds goal, step, next step and open questions to the prompt, once', async () => {
    const plan = await planned();
    const options = {
      ...masking,
      format: codec,
      storage: createMemoryStorage(),
      goal: () => plan.compactContext(),
    };
    const compactor = createCompactor<unknown>(options);
    const first = await compactor.compact(messages, call);
    expect(first.report.tiers.map(({ tier }) => tier)).toEqual(['mask']);
    for (const wanted of WANTED) expect(textsOf(first.messages).join('\n')).toContain(wanted);
    expect(textsOf(first.messages).filter(isNote)).toHaveLength(1);
    expect(JUDGES[format](first.messages)).toEqual([]);
    for (const list of [messages, first.messages]) {
      const again = await compactor.compact(list, call);
      expect([again.report.action, again.messages]).toEqual(['none', first.messages]);
    }
    await plan.complete();
    const later = loop(format, 16, 1500).messages;
    const next = await compactor.compact(later, call);
    expect(textsOf(next.messages).filter((text) => text.includes('Now: 2.1 Test'))).toHaveLength(1);
    expect(textsOf(next.messages).filter(isNote)).toHaveLength(1);
    expect(JUDGES[format](next.messages)).toEqual([]);
    for (const pointer of next.report.pointers) await compactor.restore(pointer);
  });

  it('gets no note if a user message states the goal', async () => {
    const goal = 'Find out why the nightly build of part-3 fails';
    const options = { ...masking, format: codec, storage: createMemoryStorage() };
    const plain = await compact(messages, options, call);
    expect((await compact(messages, { ...options, goal }, call)).messages).toEqual(plain.messages);
  });

  it('is removed with the next notice, which states the goal', async () => {
    const compactor = createCompactor<unknown>({ ...masking, format: codec, goal: 'Ship mathx' });
    const first = await compactor.compact(messages, call);
    expect(textsOf(first.messages).filter(isNote)).toHaveLength(1);
    const long = loop(format, 60, 1500).messages;
    const { messages: given, report } = await compactor.compact(long, { ...call, window: 12_000 });
    expect(report.tiers.map(({ tier }) => tier)).toContain('drop');
    expect(textsOf(given).filter((text) => text.includes('Ship mathx'))).toHaveLength(1);
    expect(JUDGES[format](given)).toEqual([]);
  });
});

it("keeps the start of the prompt, and the user's newest message last", async () => {
  const codec = codecOf('openai-chat');
  const { messages } = loop('openai-chat', 12, 1500);
  const options = { ...masking, format: codec, goal: 'Ship mathx' };
  const { messages: given } = await compact(messages, options);
  const { goal: _, ...without } = options;
  expect(given.slice(0, -1)).toEqual((await compact(messages, without)).messages);
  // A compactor without a goal does not mistake the note for the user's newest message.
  const more = [...given, ...loop('openai-chat', 60, 1500).messages.slice(messages.length)];
  const again = await compact(more, { ...without, window: 12_000 });
  expect(again.messages).toContain(messages[1]);
});

/** Turns of one task, which is stated at the start. */
const session: readonly Chat[] = [user('Find the defect.'), ...steps(200, 400)];
const task = { window: 60_000, format: 'openai-chat', goal: 'GOALX fix it' } as const;

it('does not count as a user message for another compactor', async () => {
  const options = { ...task, preset: 'duragent', storage: createMemoryStorage() } as const;
  const first = await compact(session, options);
  expect(first.report.tiers.map(({ tier }) => tier)).toContain('mask');
  expect(String(first.messages.at(-1)?.['content'])).toMatch(
    /^\[history: the goal when [^\]]+\]\n\nGOALX fix it$/,
  );
  const second = await compact(first.messages, options);
  expect([second.report.action, second.messages]).toEqual(['none', first.messages]);
});

it.each([500, 1000, 1500, 2000, 3000, 6000])(
  'is in every prompt compacted to %i tokens, in a notice or next to it',
  async (to) => {
    const goal = `GOALX ${'fix what the nightly build says '.repeat(3)}`.trim();
    for (const preset of ['lectern', 'valis'] as const)
      for (const size of [150, 400]) {
        const list = [user('Find the defect.'), ...steps(100, size)];
        const options = { ...task, goal, preset, threshold: { at: 12_000, to } };
        const { messages, report } = await compact(list, options);
        expect(report).toMatchObject({ action: 'compacted', fits: true, problem: null });
        expect(JSON.stringify(messages).split(goal)).toHaveLength(2);
        const again = await compact(messages, options);
        expect([again.report.action, again.messages]).toEqual(['none', messages]);
      }
  },
);
