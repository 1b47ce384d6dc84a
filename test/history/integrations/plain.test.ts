import { describe, expect, it } from 'vitest';
import type { HistoryState } from '../../../src/history/index.ts';
import { createHistoryProcessor } from '../../../src/history/integrations/plain.ts';

interface Message {
  readonly role: string;
  readonly content: string;
}

const said = (turn: number, who: string): Message => ({
  role: turn % 2 === 0 ? 'user' : 'assistant',
  content: `${who} ${turn} ${'says something of no weight '.repeat(40)}`,
});

const talk = (turns: number, who: string): Message[] =>
  Array.from({ length: turns }, (_, turn) => said(turn, who));

const options = { window: 8000, format: 'openai-chat' } as const;

describe('createHistoryProcessor', () => {
  it('returns a list that fits, and accepts its own output plus new messages', async () => {
    const processor = createHistoryProcessor<Message>(options);
    let messages: Message[] = [];
    for (let turn = 0; turn < 101; turn += 1) {
      messages = await processor([...messages, said(turn, 'Ann')]);
      expect(messages.at(-1)).toEqual(said(turn, 'Ann'));
      expect(JSON.stringify(messages).length).toBeLessThan(32_000);
    }
    expect(messages[0]?.content).toContain('Ann 0 ');
    expect(processor.compactor().stats().compactions).toBeGreaterThan(1);
    expect(await processor(messages)).toEqual(messages);
  });

  it('does not modify the input list', async () => {
    const messages = talk(61, 'Ann');
    const before = JSON.stringify(messages);
    const after = await createHistoryProcessor<Message>(options)(messages);
    expect(after.length).toBeLessThan(61);
    expect(JSON.stringify(messages)).toBe(before);
    expect(messages).toContain(after.at(-1));
  });

  it('follows each of many conversations alone', async () => {
    const processor = createHistoryProcessor<Message, { user: string }>({
      ...options,
      conversation: (_messages, context) => context?.user ?? 'nobody',
      optionsFor: (user) => ({ goal: `What ${user} wants.` }),
    });
    const users = ['Ann', 'Bob', 'Cem'];
    const lists = await Promise.all(users.map((user) => processor(talk(61, user), { user })));
    users.forEach((user, at) => {
      const text = JSON.stringify(lists[at]);
      for (const other of users) expect(text.includes(`${other} `)).toBe(other === user);
      expect(text).toContain(`What ${user} wants.`);
      expect(processor.compactor(user).stats().calls).toBe(1);
    });
  });

  it("passes the context's options to the compactor", async () => {
    const controller = new AbortController();
    const processor = createHistoryProcessor<Message, AbortController>({
      ...options,
      call: (context) => ({ ...(context && { signal: context.signal }), system: 'Be brief. '.repeat(2000) }),
    });
    const { compactor } = processor;
    await processor(talk(9, 'Ann'), controller);
    expect(compactor().stats().compactions).toBe(1);
    controller.abort();
    await expect(processor(talk(9, 'Ann'), controller)).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('forgets the least recently used conversation, which is then read again', async () => {
    const made: string[] = [];
    const processor = createHistoryProcessor<Message, string>({
      ...options,
      conversations: 2,
      conversation: (_messages, context) => context ?? '',
      optionsFor: (name) => {
        made.push(name);
        return {};
      },
    });
    const first = await processor(talk(61, 'a'), 'a');
    for (const name of ['b', 'a', 'c', 'a', 'b']) await processor(talk(3, name), name);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
    await processor(talk(3, 'c'), 'c');
    expect(await processor(talk(61, 'a'), 'a')).toEqual(first);
  });

  it('continues from a state', async () => {
    const earlier = createHistoryProcessor<Message>(options);
    const messages = talk(61, 'Ann');
    const given = await earlier(messages);
    // After a JSON round trip.
    const state = JSON.parse(JSON.stringify(earlier.compactor().state())) as HistoryState;
    const later = createHistoryProcessor<Message>({ ...options, state });
    expect(await later(messages)).toEqual(given);
    expect(later.compactor().stats().compactions).toBe(1);
  });

  it('rejects invalid options', () => {
    // As an untyped caller may write it.
    expect(() => createHistoryProcessor({ windows: 1 } as object)).toThrow('windows');
    expect(() => createHistoryProcessor({ conversations: 1.5 })).toThrow('conversations');
  });
});
