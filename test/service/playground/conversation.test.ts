// Which files are conversations, what a message says, and the fate of each after a compaction.

import { describe, expect, it } from 'vitest';
import { compact } from '../../../src/history/index.ts';
import { conversationIn, type Message } from '../../../src/service/playground/page/conversation.ts';
import { fatesOf } from '../../../src/service/playground/page/fates.ts';
import { textOf } from '../../../src/service/playground/page/message-text.ts';
import { anthropicConversation, openAiConversation } from './conversations.ts';

const fileOf = (value: unknown, name: string = 'talk.json'): File => new File([JSON.stringify(value)], name);

describe('a conversation is recognised', () => {
  it.each([
    ['a list of OpenAI Chat', openAiConversation(), 26],
    ['a request of Anthropic', anthropicConversation(), 26],
    [
      'OpenAI Responses',
      {
        instructions: 'Be brief.',
        input: [
          { role: 'user', content: 'go' },
          { type: 'function_call', call_id: 'c', name: 'read', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c', output: 'text' },
        ],
      },
      3,
    ],
    [
      'Gemini',
      {
        contents: [
          { role: 'user', parts: [{ text: 'go' }] },
          { role: 'model', parts: [{ text: 'yes' }] },
        ],
      },
      2,
    ],
  ])('finds %s', async (_name, value, count) => {
    expect((await conversationIn(fileOf(value)))?.messages.length).toBe(count);
  });

  it('in JSON Lines', async () => {
    const lines = openAiConversation().map((message) => JSON.stringify(message));
    const file = new File([`${lines.join('\n')}\n`], 'talk.jsonl');
    expect((await conversationIn(file))?.messages.length).toBe(26);
  });

  it('with its instructions', async () => {
    expect((await conversationIn(fileOf(anthropicConversation())))?.system).toBe('You are a coding agent.');
  });

  it.each([
    [
      'a table of people',
      [
        { name: 'Ada', role: 'admin' },
        { name: 'Max', role: 'user' },
      ],
      'people.json',
    ],
    ['one message', [{ role: 'user', content: 'go' }], 'talk.json'],
    ['another type of file', openAiConversation(), 'talk.txt'],
    ['a number', 7, 'talk.json'],
  ])('but not %s', async (_name, value, name) => {
    expect(await conversationIn(fileOf(value, name))).toBeNull();
  });

  it('but not damaged JSON', async () => {
    expect(await conversationIn(new File(['[{"role":'], 'talk.json'))).toBeNull();
  });
});

describe('the text of a message', () => {
  it.each([
    ['text', { role: 'user', content: 'go' }, 'go'],
    ['a call of OpenAI', openAiConversation()[1], 'read_file({"path":"src/gate-0.ts"})'],
    [
      'text and call of Anthropic',
      anthropicConversation().messages[1],
      'I read gate 0.\nread_file({"path":"src/gate-0.ts"})',
    ],
    ['a call of Gemini', { parts: [{ functionCall: { name: 'read', args: { a: 1 } } }] }, 'read({"a":1})'],
    ['nothing', { role: 'assistant', content: '' }, ''],
    ['something else', { type: 'other', data: 1 }, '{"type":"other","data":1}'],
  ])('is shown for %s', (_name, message, words) => {
    expect(textOf(message)).toBe(words);
  });
});

describe('the fate of each message', () => {
  const openAi = openAiConversation() as readonly Message[]; // built by the test from plain objects
  const anthropic = anthropicConversation().messages as readonly Message[]; // as above

  it.each([
    ['OpenAI Chat', openAi],
    ['Anthropic', anthropic],
  ])('replaced results of %s', async (_name, messages) => {
    const answer = await compact(messages, { preset: 'duragent', window: 30_000 }, { force: true });
    const lines = fatesOf(messages, answer);
    expect(lines.map(({ number }) => number)).toEqual(messages.map((_, index) => index + 1));
    for (const [index, line] of lines.entries()) {
      const same = JSON.stringify(messages[index]) === JSON.stringify(answer.messages[index]);
      expect(line.fate).toBe(same ? 'kept' : 'replaced');
      if (!same) expect(textOf(answer.messages[index])).toBe(line.sent);
      expect(line.after).toBe(JSON.stringify(answer.messages[index]).length);
    }
    const replaced = lines.filter(({ fate }) => fate === 'replaced');
    expect(replaced.length).toBe(answer.report.tiers[0]?.changed);
    expect(replaced.every(({ tokens }) => tokens !== null && tokens > 1000)).toBe(true);
  });

  it.each([
    ['OpenAI Chat', openAi],
    ['Anthropic', anthropic],
  ])('removed messages of %s, and the digest that covers them', async (_name, messages) => {
    const answer = await compact(messages, { window: 16_000 }, { force: true });
    const lines = fatesOf(messages, answer);
    const digest = lines.find(({ fate }) => fate === 'added');
    const removed = lines.filter(({ fate }) => fate === 'removed');
    expect(removed.length).toBe(messages.length + 1 - answer.messages.length);
    expect(digest?.covers).toEqual(removed.map(({ number }) => number));
    expect(removed.every(({ coveredBy }) => coveredBy === digest?.entry)).toBe(true);
    expect(answer.messages.map(textOf)).toContain(digest?.sent);
    expect(digest?.pointer).toBeNull();
  });

  it('names where an original is kept', async () => {
    const files = new Map<string, string>();
    const storage = {
      write: async (path: string, text: string) => void files.set(path, text),
      read: async (path: string) => files.get(path) ?? null,
      list: async () => [...files.keys()],
      remove: async (path: string) => void files.delete(path),
      shownAs: (path: string) => `/workspace/${path}`,
    };
    const answer = await compact(openAi, { preset: 'duragent', window: 30_000, storage }, { force: true });
    const replaced = fatesOf(openAi, answer).filter(({ fate }) => fate === 'replaced');
    expect(replaced.length).toBeGreaterThan(2);
    for (const { pointer } of replaced) {
      const [path = '', , lines = ''] =
        /^\/workspace\/(\S+) (lines) (\d+-\d+)$/.exec(pointer ?? '')?.slice(1) ?? [];
      const [from = 0, to = 0] = lines.split('-').map(Number);
      expect(
        files
          .get(path)
          ?.split('\n')
          .slice(from - 1, to)
          .join('\n'),
      ).toContain('export const level59');
    }
  });

  it('a result without its call, which is repaired', async () => {
    const broken = [openAi[0], openAi[2], ...openAi.slice(3)] as readonly Message[]; // three of a longer list
    const answer = await compact(broken, { window: 60_000 }, { force: true });
    const line = fatesOf(broken, answer).find(({ number }) => number === 2);
    expect(line).toMatchObject({ fate: 'removed', repair: 'orphan-result' });
  });

  it('nothing to compact: all are kept', async () => {
    const answer = await compact(openAi, { window: 400_000 });
    expect(answer.report.action).toBe('none');
    expect(fatesOf(openAi, answer).every(({ fate }) => fate === 'kept')).toBe(true);
  });
});
