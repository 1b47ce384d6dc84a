import { describe, expect, it } from 'vitest';
import { codecOf } from '../../../src/history/index.ts';
import { Conversations } from '../../../src/history/integrations/conversations.ts';

interface Message {
  readonly role: string;
  readonly content: string;
}

const user = (content: string): Message => ({ role: 'user', content });
const long = (turn: number): Message => ({
  role: turn % 2 === 0 ? 'user' : 'assistant',
  content: `${turn} ${'says something of no weight '.repeat(40)}`,
});

const conversations = (most: number = 10): Conversations<Message, null> =>
  new Conversations('test', codecOf<Message>('ai-sdk'), { window: 8000, conversations: most }, undefined);

describe('Conversations', () => {
  it('recognises a conversation by its last input and output only', async () => {
    const all = conversations();
    const list = Array.from({ length: 41 }, (_, turn) => long(turn));
    const one = all.find(null, list);
    const { messages, report } = (await one.send(list)).compacted;
    expect(report.action).toBe('compacted');
    expect(all.find(null, [...list, user('next')])).toBe(one);
    expect(all.find(null, [...messages, user('next')])).toBe(one);
    expect(all.find(null, [{ role: 'system', content: 'Now.' }, ...list])).toBe(one);
    expect(all.find(null, list.slice(0, 40))).not.toBe(one);
    await one.send([...list, user('next')]);
    expect(all.find(null, [...list, user('other')])).not.toBe(one);
  });

  it('keeps the most recently used, and counts usage of the newest list only', async () => {
    const all = conversations(2);
    const [first, second, third] = [all.named('1'), all.named('2'), all.named('1')];
    expect(third).toBe(first);
    all.named('3');
    expect(all.named('1')).toBe(first);
    expect(all.named('2')).not.toBe(second);
    const list = Array.from({ length: 9 }, (_, turn) => long(turn));
    const before = await first.send(list);
    await first.send(list);
    before.observe(7000);
    const last = await first.send(list);
    expect(last.compacted.report.before.tokens).toBe(before.compacted.report.before.tokens);
    last.observe(7000);
    expect((await first.send(list)).compacted.report.before.tokens).toBe(7000);
  });
});
