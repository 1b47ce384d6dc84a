import { describe, expect, it } from 'vitest';
import { createCompactor } from '../../src/history/index.ts';

interface Message {
  readonly role: string;
  readonly content: unknown;
}

const said = (turn: number, who: string): Message => ({
  role: turn % 2 === 0 ? 'user' : 'assistant',
  content: `${who}${turn} ${'says something of no weight '.repeat(40)}`,
});
const talk = (turns: number, who: string): Message[] =>
  Array.from({ length: turns }, (_, turn) => said(turn, who));

describe('a compactor that follows a conversation', () => {
  it('keeps nothing of a conversation that was replaced by another', async () => {
    const compactor = createCompactor<Message>({ window: 8000, format: 'openai-chat' });
    expect((await compactor.compact(talk(41, 'Zoe'))).report.action).toBe('compacted');
    const { messages, report } = await compactor.compact(talk(61, 'Bob'));
    expect(report.action).toBe('compacted');
    expect(JSON.stringify(messages)).not.toContain('Zoe');
    expect(JSON.stringify(messages.slice(1))).toContain('Bob2');
  });

  it('keeps its decisions while instructions change', async () => {
    const compactor = createCompactor<Message>({ window: 8000, format: 'openai-chat' });
    let breaks = 0;
    let before: readonly Message[] = [];
    for (let turn = 1; turn <= 61; turn += 2) {
      const system = { role: 'system', content: `It is ${turn} o'clock.` };
      const { messages } = await compactor.compact([system, ...talk(turn, 'ann')]);
      expect(messages[0]).toBe(system);
      if (before.slice(1).some((message, at) => JSON.stringify(message) !== JSON.stringify(messages[at + 1])))
        breaks += 1;
      before = messages;
    }
    expect(compactor.stats().compactions).toBe(breaks);
    expect(breaks).toBeLessThan(6);
  });

  it('detects the format from later messages if the first are plain texts', async () => {
    const compactor = createCompactor<Message>({ window: 8000 });
    const list: Message[] = [{ role: 'user', content: 'Read the file.' }];
    expect((await compactor.compact(list)).report.codec).toBe('openai-chat');
    list.push(
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'text' }] },
    );
    expect((await compactor.compact(list)).report.codec).toBe('anthropic');
  });

  it('keeps a format that was determined while only plain texts are left', async () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} };
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'text' };
    const list: Message[] = [
      { role: 'user', content: 'Read the file.' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [result] },
    ];
    const compactor = createCompactor<Message>({ window: 8000 });
    expect((await compactor.compact(list)).report.codec).toBe('anthropic');
    const plain = await compactor.compact(talk(3, 'ann'));
    expect(plain.report.codec).toBe('anthropic');
    const restored = createCompactor<Message>({ window: 8000, state: compactor.state() });
    expect((await restored.compact(talk(5, 'ann'))).report.codec).toBe('anthropic');
    const answer = { role: 'tool', tool_call_id: 'call_1', content: 'text' };
    const asked = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read', arguments: '{}' } }],
    };
    expect((await restored.compact([...talk(1, 'ann'), asked, answer])).report.codec).toBe('openai-chat');
  });
});
