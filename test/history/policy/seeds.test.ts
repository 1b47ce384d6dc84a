// The documents behind the presets, behaviour by behaviour, where the preset's numbers alone do not show it.

import { describe, expect, it } from 'vitest';
import { compact, createCompactor, presetOf, type Shorten } from '../../../src/history/index.ts';
import { targetsOf, triggerAt } from '../../../src/history/policy/targets.ts';
import {
  argsOf,
  type Chat,
  calls,
  log,
  noticeIn,
  openStorage,
  result,
  resultOf,
  step,
  steps,
  system,
  tokensOf,
  user,
} from '../../support/chat.ts';
import { JUDGES } from '../../support/history-rules/index.ts';

const asked: readonly Chat[] = [system('You are an engineer.'), user('Find the defect.')];
const WINDOWS = [2000, 8000, 32_000, 128_000, 200_000, 1_000_000];

describe('valis', () => {
  const diff = `applied\n${'+ a line that was added\n'.repeat(40)}`;
  const written = `export const first = 1;\n${log(3000, 4)}`;
  const list: Chat[] = [
    ...asked,
    calls(['w', 'write_file', { path: 'a.ts', content: written }]),
    result('w', 'ok'),
    calls(['e', 'edit_file', { path: 'a.ts', old_text: 'x', new_text: log(500, 5) }]),
    result('e', diff),
    ...steps(10, 790),
    calls(['n', 'write_file', { path: 'b.ts', content: 'const b = 1;' }]),
    result('n', 'ok'),
  ];

  /** Compacted when the list is above 85 % and below 90 % of the window. */
  async function between(): ReturnType<typeof compact<Chat>> {
    const { report } = await compact(list, { window: 200_000 });
    const window = Math.ceil(report.before.tokens / 0.87);
    return compact(list, { preset: 'valis', window, storage: openStorage() });
  }

  it('keeps the first 100 characters of written content next to its pointer', async () => {
    const { messages, report } = await between();
    expect(report.tiers.map(({ tier }) => tier)).toContain('pointers');
    const { content = '' } = argsOf(messages, 'w');
    expect(content).toMatch(/^\[history: \d+ characters of `content` left out, sha256 .*; full text: .*\]\n/);
    expect(content.split('\n').slice(1).join('\n')).toBe(`${written.slice(0, 100)}...`);
  });

  it('replaces results of edits over 500 characters, and those alone', async () => {
    const { messages } = await between();
    expect(diff.length).toBeGreaterThan(500);
    expect(resultOf(messages, 'e')).toMatch(
      /^\[history: result of edit_file left out, ~\d+ tokens; full text: /,
    );
    expect(resultOf(messages, 'w')).toBe('ok');
  });

  it.each(WINDOWS)('has two thresholds and the newest 20 %% in a window of %i tokens', (window) => {
    const targets = targetsOf(
      { ...presetOf('valis', window), mustReach: false, window, isWindowKnown: true },
      {},
      0,
    );
    expect(targets.trigger).toBe(Math.floor(0.85 * window));
    expect(triggerAt(0.95, targets)).toBeGreaterThan(targets.trigger);
    if (window >= 200_000) expect(triggerAt(0.95, targets)).toBe(0.95 * window);
    expect(targets.recent).toBe(0.2 * window);
  });

  it('labels a digest as one', async () => {
    const { report } = await compact([...asked, ...steps(30, 800)], { preset: 'valis', window: 20_000 });
    expect(report.summary).toMatchObject({ by: 'digest', attempts: 0, refused: null });
  });
});

it('aixtools keeps the first 25 % and the last 75 % of what fits, without a model', async () => {
  const { messages, report } = await compact([...asked, ...steps(250, 120)], {
    preset: 'aixtools',
    window: 60_000,
    threshold: { at: 30_000, to: 12_000 },
  });
  expect(report.summary).toMatchObject({ by: 'cut', attempts: 0, refused: null });
  const [, transcript = ''] = noticeIn(messages).split(/\n\n(.*)/s);
  expect(transcript).toContain('src/file-1.ts');
  const gap = transcript.search(/messages left out here/);
  expect(gap / transcript.length).toBeGreaterThan(0.15);
  expect(gap / transcript.length).toBeLessThan(0.3);
});

describe('the guide for context windows', () => {
  const storage = openStorage();
  const told = (messages: readonly Chat[]): readonly Chat[] => messages.filter((one) => noticeOf(one) === '');
  const noticeOf = (message: Chat): string => noticeIn([message]);

  it('a sliding window keeps the newest 50 messages at every call', async () => {
    const policy = { messages: { at: 50, to: 48 }, drop: { notice: 0 }, workingSet: false, keepRecent: 0 };
    const compactor = createCompactor<Chat>({ policy, window: 200_000, storage });
    const list: Chat[] = [...asked];
    for (let number = 1; number <= 40; number += 1) {
      list.push(...step(number, 100));
      const { messages } = await compactor.compact(list);
      const own = told(messages);
      expect(own.length).toBeLessThanOrEqual(50);
      expect(own.length).toBeGreaterThanOrEqual(Math.min(list.length, 46));
      // Includes the instructions and the user's first message.
      expect(own.slice(2)).toEqual(list.slice(-(own.length - 2)));
    }
  });

  it('a chain of summaries keeps the newest messages, and a summary includes the previous one', async () => {
    const asks: string[] = [];
    const summarizer = async ({ transcript }: { transcript: string }): Promise<string> => {
      asks.push(transcript);
      const read = Array.from(
        { length: 20 },
        (_, at) => `src/file-${at + asks.length}.ts is sound: ${asks.length * at}.`,
      );
      return `## Intent\nFind the defect.\n## Progress\n${read.join('\n')}\nSummary number ${asks.length}.`;
    };
    const compactor = createCompactor<Chat>({
      threshold: { at: 0.8, to: 0.3 },
      policy: { drop: { notice: 0.2 }, workingSet: false },
      window: 20_000,
      storage,
      summarizer,
    });
    const list: Chat[] = [...asked];
    for (let number = 1; asks.length < 2 && number < 60; number += 1) {
      const before = asks.length;
      list.push(...step(number, 700));
      const { messages, report } = await compactor.compact(list);
      if (asks.length === before) continue;
      expect(report.before.tokens).toBeGreaterThan(0.8 * 20_000);
      const own = told(messages).slice(2);
      expect(own.length).toBeGreaterThan(5);
      expect(own).toEqual(list.slice(-own.length));
      expect(noticeIn(messages)).toContain(`Summary number ${asks.length}.`);
    }
    expect(asks[1]).toContain('Summary number 1.');
  });

  it('repeated results leave first, others as the account a function gives of them', async () => {
    const shorten: Shorten = (results) =>
      results.map(({ text }, at) => {
        if (results.slice(at + 1).some((later) => later.text === text)) return '';
        const lines = text.split('\n');
        return lines.length < 200 ? null : `${lines.length} lines, from ${lines[0]}`;
      });
    const paths = (of: string): string =>
      Array.from({ length: 300 }, (_, at) => `src/${of}-${at}/file-${at}.ts`).join('\n');
    const list: Chat[] = [...asked];
    for (const [at, of] of ['part', 'part', 'part', 'room'].entries())
      list.push(calls([`l${at}`, 'find', { at }]), result(`l${at}`, paths(of)));
    list.push(...steps(10, 100));
    const options = { window: 200_000, threshold: { at: 7000, to: 5000 }, storage };
    const { messages, report } = await compact(list, { ...options, shorten });
    expect(report.tiers.map(({ tier }) => tier)).toEqual(['mask']);
    const line = /^\[history: result of find left out, ~\d+ tokens; full text: [^\n]*\]/;
    expect(resultOf(messages, 'l0')).toMatch(new RegExp(`${line.source}$`));
    expect(resultOf(messages, 'l2')).toMatch(
      new RegExp(`${line.source}\\n300 lines, from src/part-0/file-0\\.ts$`),
    );
    expect(resultOf(messages, 'l3')).toMatch(/\n300 lines, from src\/room-0\/file-0\.ts$/);
    expect(JUDGES['openai-chat'](messages)).toEqual([]);
  });

  it.each<readonly [string, Shorten, RegExp]>([
    [
      'throws',
      () => {
        throw new TypeError('no such field');
      },
      /`shorten` threw an error; no message was replaced/,
    ],
    ['gives too few', () => [], /`shorten` returned 0 values for \d+ results/],
    // A caller without types.
    [
      'gives numbers',
      (results) => results.map(() => 5 as unknown as null),
      /`shorten` returned `5` for a result/,
    ],
  ])('refuses a function that %s', async (_, shorten, message) => {
    const call = compact([...asked, ...steps(20, 800)], { window: 12_000, shorten });
    await expect(call).rejects.toMatchObject({ code: 'BAD_INPUT', message: expect.stringMatching(message) });
  });

  it('never makes a result longer, and never splits a surrogate pair of a long line', async () => {
    for (const over of [1, 30, 60, 100]) {
      const text = '\u{1f680}'.repeat(over * 3);
      const compactor = createCompactor<Chat>({ policy: { truncate: { over, keep: 'both' } } });
      const { text: shown } = await compactor.onToolResult({ toolName: 'bash', text });
      expect(tokensOf(shown)).toBeLessThanOrEqual(tokensOf(text));
      expect(shown).not.toMatch(/\p{Surrogate}/u);
    }
  });
});
