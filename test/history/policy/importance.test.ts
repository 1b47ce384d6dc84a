// Removal by importance: the caller's scores, and what happens if these are unavailable.

import { describe, expect, it, vi } from 'vitest';
import { createCompactor, type HistoryOptions, type Importance } from '../../../src/history/index.ts';
import { type Chat, calls, log, result, says, system, user } from '../../support/chat.ts';

const asked: readonly Chat[] = [system('You are an engineer.'), user('Find the defect.')];
const talk = (text: string, seed: number): Chat => says(`${text} ${log(300, seed)}`);
const list: readonly Chat[] = [
  ...asked,
  talk('A joke about the weather.', 1),
  talk('This is a critical error.', 2),
  talk('Something else.', 3),
  calls(['e', 'edit', { path: 'a.ts', oldText: 'x', newText: log(200, 4) }]),
  result('e', 'ok'),
  talk('Hello.', 5),
  user('Go on.'),
  says('Well.'),
];
const options: HistoryOptions<Chat> = {
  window: 20_000,
  policy: { keepRecent: 0, drop: { notice: 0 } },
  format: 'openai-chat',
  threshold: { at: 1000, to: 800 },
};
const kept = async (own: Partial<HistoryOptions<Chat>>): Promise<number[]> => {
  const { messages, report } = await createCompactor<Chat>({ ...options, ...own }).compact(list);
  expect(report.action).toBe('compacted');
  return list.flatMap((message, at) => (messages.includes(message) ? [at] : []));
};

describe('importance', () => {
  it('removes small talk first, and keeps errors and changes, with the words of the guide', async () => {
    const words = (text: string, all: readonly string[]): number =>
      all.filter((word) => text.toLowerCase().includes(word)).length;
    const importance: Importance = (candidates) =>
      candidates.map(
        ({ text, tools }) =>
          5 +
          2 * words(text, ['error', 'bug', 'deploy', 'critical', 'issue', 'fix']) -
          2 * words(text, ['weather', 'joke', 'hello']) +
          3 * tools.length,
      );
    expect(await kept({ importance })).toEqual([0, 1, 3, 5, 6, 8, 9]);
  });

  it("uses the caller's scores, one per candidate", async () => {
    const asks: Parameters<Importance>[0][] = [];
    const importance: Importance = async (candidates) => {
      asks.push(candidates);
      return candidates.map(({ text }) => (text.includes('joke') || text.includes('Hello') ? 9 : 1));
    };
    const left = await kept({ importance });
    expect(left).toContain(2);
    expect(left).toContain(7);
    expect(left).not.toContain(3);
    expect(asks[0]?.length).toBe(5);
  });

  it.each<readonly [string, Importance]>([
    ['throws', () => Promise.reject(new Error('503'))],
    ['gives too few', () => [1]],
    ['gives no numbers', (candidates) => candidates.map(() => Number.NaN)],
    ['never answers', () => new Promise(() => undefined)],
  ])('removes the oldest first if the model %s', async (_, importance) => {
    expect(await kept({ importance, timeoutMs: 20 })).toEqual(await kept({}));
  });

  it('stops when the caller aborts, and aborts the model call', async () => {
    const stop = new AbortController();
    const stopped = vi.fn();
    const importance: Importance = (_, { signal }) => {
      signal.addEventListener('abort', stopped);
      stop.abort();
      return new Promise(() => undefined);
    };
    const compactor = createCompactor<Chat>({ ...options, importance });
    await expect(compactor.compact(list, { signal: stop.signal })).rejects.toMatchObject({ code: 'ABORTED' });
    expect(stopped).toHaveBeenCalledOnce();
    expect(compactor.state().ledger?.now.list.every((entry) => typeof entry === 'string')).toBe(true);
  });

  it('rejects a value that is not a function', () => {
    expect(() => createCompactor({ importance: 5 as unknown as Importance })).toThrow('importance');
  });
});
