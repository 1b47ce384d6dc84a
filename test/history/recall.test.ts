// A goal kept outside the conversation, and a searchable archive: both outlive a compaction.

import { describe, expect, it } from 'vitest';
import { createCompactor, historyPromptSegment, type RecallText } from '../../src/history/index.ts';
import { createPlanMemory, openPlan } from '../../src/plan/index.ts';
import { type Chat, log, noticeIn, openStorage, SUMMARY, steps, system, user } from '../support/chat.ts';

const asked: readonly Chat[] = [system('You are an engineer.'), user('Find the defect.')];
const conversation: readonly Chat[] = [...asked, ...steps(40, 1000)];

describe('a goal that changes', () => {
  const planned = async () => {
    const plan = await openPlan({ storage: createPlanMemory(), goal: 'Ship mathx' });
    await plan.add(['Build', 'Test', 'Publish']);
    await plan.ask('Which licence?');
    return plan;
  };

  it.each([undefined, async () => SUMMARY])(
    'is in the prompt after every compaction, with and without a summarizer',
    async (summarizer) => {
      const plan = await planned();
      const compactor = createCompactor<Chat>({
        window: 10_000,
        preset: summarizer ? 'valis' : 'lectern',
        goal: () => plan.compactContext(),
        ...(summarizer && { summarizer }),
      });
      const first = await compactor.compact(conversation, { force: true });
      for (const wanted of ['Goal: Ship mathx', 'Now: 1.1 Build', 'Next: 2.1 Test', 'Which licence?'])
        expect(noticeIn(first.messages)).toContain(wanted);
      await plan.complete();
      const second = await compactor.compact([...conversation, ...steps(40, 1000, 41)], { force: true });
      expect(noticeIn(second.messages)).toContain('Now: 2.1 Test');
    },
  );
});

describe('an archive to search', () => {
  it('receives what is replaced, and the notice names the tool', async () => {
    const texts: RecallText[] = [];
    const compactor = createCompactor<Chat>({
      window: 10_000,
      storage: openStorage(),
      recall: { add: async (entries) => void texts.push(...entries) },
    });
    const { messages } = await compactor.compact(conversation, { force: true });
    expect(noticeIn(messages)).toContain('Call `recall` with names');
    expect(texts.length).toBeGreaterThan(20);
    expect(texts.some(({ kind }) => kind === 'result')).toBe(true);
    expect(texts.every(({ text }) => !text.startsWith('[history: '))).toBe(true);
    const long = log(30_000, 99);
    const { text } = await compactor.onToolResult({ toolName: 'run', text: long });
    expect(text.length).toBeLessThan(long.length);
    expect(texts.at(-1)?.text).toBe(long);
  });

  it('that fails is only omitted from the notice', async () => {
    const compactor = createCompactor<Chat>({
      window: 10_000,
      recall: { add: () => Promise.reject(new Error('full')) },
    });
    const { messages, report } = await compactor.compact(conversation, { force: true });
    expect(report.action).toBe('compacted');
    expect(noticeIn(messages)).not.toContain('recall');
  });

  it('is explained to a model that has the tool, with or without file tools', () => {
    expect(historyPromptSegment({ tools: ['recall'], reachable: false })).toContain('call `recall`');
    expect(historyPromptSegment({ tools: ['read_file', 'recall'] })).toMatch(/read_file[\s\S]*call `recall`/);
    expect(historyPromptSegment({ tools: ['read_file'] })).not.toContain('recall');
  });
});
