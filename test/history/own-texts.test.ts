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

  it('stays as it is, also after a restart with the same storage and with another policy', async () => {
    const storage = openStorage();
    const arrived = await createCompactor({ ...options, storage }).onToolResult({
      toolName: 'bash',
      text: long,
    });
    expect(arrived.tier).not.toBe(null);
    const strict = { offload: { over: 200, lines: 2 }, truncate: { over: 200, keep: 'head' } } as const;
    const again = createCompactor<Chat>({ ...options, storage, policy: strict });
    expect((await again.onToolResult({ toolName: 'bash', text: arrived.text })).tier).toBe(null);
    const list = [user('go'), calls(['a', 'bash', {}]), result('a', arrived.text)];
    const fresh = createCompactor<Chat>({ ...options, storage, policy: strict });
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

it('a file that is missing makes no text ours, and a storage that fails is asked again', async () => {
  const storage = openStorage();
  const options = { window: 128_000, conversationId: 'one', policy: { truncate } };
  const { text } = await createCompactor({ ...options, storage }).onToolResult({
    toolName: 'bash',
    text: long,
  });
  const strict = { ...options, policy: { truncate: { ...truncate, over: 200 } } };
  let reads = 0;
  const read = async (path: string): Promise<string | null> => {
    reads += 1;
    if (reads === 1) throw new Error('no');
    return storage.read(path);
  };
  const failing = createCompactor<Chat>({ ...strict, storage: { ...storage, read } });
  const list = [user('go'), calls(['a', 'bash', {}]), result('a', text)];
  expect((await failing.onToolResult({ toolName: 'bash', text })).tier).toBe('truncate');
  // The storage is asked again when it works, and once.
  for (let call = 0; call < 2; call += 1) {
    const before = reads;
    expect((await failing.compact(list)).messages).toEqual(list);
    expect(reads - before).toBe(call === 0 ? 1 : 0);
  }
  expect(
    (await createCompactor({ ...strict, storage: openStorage() }).onToolResult({ toolName: 'bash', text }))
      .tier,
  ).toBe('truncate');
});
