import { describe, expect, it } from 'vitest';
import { codecOf, createCompactor } from '../../../src/history/index.ts';
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

const conversations = (most: number = 10): Conversations<Message> =>
  new Conversations<Message>(
    () => createCompactor<Message>({ window: 8000, format: 'ai-sdk' }),
    most,
    codecOf<Message>('ai-sdk'),
  );

describe('Conversations', () => {
  it('recognises a conversation by its last input and output only', async () => {
    const all = conversations();
    const list = Array.from({ length: 41 }, (_, turn) => long(turn));
    const one = all.of(list);
    const { messages, report } = await one.compact(list);
    expect(report.action).toBe('compacted');
    expect(all.of([...list, user('next')])).toBe(one);
    expect(all.of([...messages, user('next')])).toBe(one);
    expect(all.of([{ role: 'system', content: 'Now.' }, ...list])).toBe(one);
    expect(all.of(list.slice(0, 40))).not.toBe(one);
    await one.compact([...list, user('next')]);
    expect(all.of([...list, user('other')])).not.toBe(one);
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
    expect((await first.compact(list)).report.before.tokens).toBe(7000);
  });
});
