// Texts that stand for a result in a file: ours stay as they are, and those of others are treated like any text.

import { describe, expect, it } from 'vitest';
import { createCompactor, type HistoryOptions } from '../../src/history/index.ts';
import { type Chat, calls, log, openStorage, result, resultOf, user } from '../support/chat.ts';

const long = log(25_000, 9);
const truncate = { over: 8000, keep: 'both' } as const;

describe.each<readonly [string, Partial<NonNullable<HistoryOptions['policy']>>]>([
  ['a preview', { offload: { over: 20_000, lines: 10 } }],
  ['both ends', { truncate }],
  ['the start', { truncate: { ...truncate, keep: 'head' } }],
  ['the end', { truncate: { ...truncate, keep: 'tail' } }],
])('%s of a result', (_, policy) => {
  const options = { window: 128_000, conversationId: 'one', policy };

  it('stays as it is, also after a restart with its state and with another policy', async () => {
    const storage = openStorage();
    const compactor = createCompactor<Chat>({ ...options, storage });
    const arrived = await compactor.onToolResult({ toolName: 'bash', text: long });
    expect(arrived.tier).not.toBe(null);
    const state = compactor.state();
    const strict = { offload: { over: 200, lines: 2 }, truncate: { over: 200, keep: 'head' } } as const;
    const again = createCompactor<Chat>({ ...options, storage, state, policy: strict });
    expect((await again.onToolResult({ toolName: 'bash', text: arrived.text })).tier).toBe(null);
    const list = [user('go'), calls(['a', 'bash', {}]), result('a', arrived.text)];
    const fresh = createCompactor<Chat>({ ...options, storage, state, policy: strict });
    expect((await fresh.compact(list)).messages).toEqual(list);
  });

  it('is not one if another text follows its first line', async () => {
    const storage = openStorage();
    const compactor = createCompactor<Chat>({ ...options, storage });
    const arrived = await compactor.onToolResult({ toolName: 'bash', text: long });
    const [line] = arrived.text.split('\n');
    for (const echo of [`${line}\n${log(30_000, 3)}`, `${line}\n${long}`, `${arrived.text}\n${long}`]) {
      const { tier, pointer } = await compactor.onToolResult({ toolName: 'bash', text: echo });
      expect(tier).toBe(arrived.tier);
      expect((await compactor.restore(pointer ?? '')).text).toBe(echo);
      const list = [user('go'), calls(['a', 'bash', {}]), result('a', echo)];
      const { messages } = await createCompactor<Chat>({ ...options, storage }).compact(list);
      expect(resultOf(messages, 'a').length).toBeLessThan(echo.length / 2);
    }
  });
});
