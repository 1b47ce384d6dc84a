// A compactor's saved state: a conversation continues from it, and a damaged state is rejected.

import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ReaderError } from '../../../src/contract/index.ts';
import { type Compactor, createCompactor, type HistoryState } from '../../../src/history/index.ts';
import { type Chat, openStorage, step, steps, system, user } from '../../support/chat.ts';
import { draws } from '../../support/draws.ts';

// Runs many cases.
vi.setConfig({ testTimeout: 180_000 });

const asked: readonly Chat[] = [system('You are an engineer.'), user('Find the defect.')];
const options = { window: 10_000, format: 'openai-chat' } as const;
const through = (state: HistoryState): HistoryState => JSON.parse(JSON.stringify(state));

async function run(count: number): Promise<{ compactor: Compactor<Chat>; list: Chat[] }> {
  const compactor = createCompactor<Chat>(options);
  const list: Chat[] = [...asked];
  for (let number = 1; number <= count; number += 1) {
    list.push(...step(number, 500));
    await compactor.compact(list);
  }
  return { compactor, list };
}

describe('a state', () => {
  it('is JSON, and unchanged by a round trip', async () => {
    const { compactor } = await run(40);
    const state = compactor.state();
    expect(through(state)).toEqual(state);
    expect(createCompactor<Chat>({ ...options, state: through(state) }).state()).toEqual(state);
  });

  it('is known by its content, in any order of its fields', async () => {
    const { compactor } = await run(25);
    const reversed = (value: unknown): unknown => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      return Object.fromEntries(
        Object.entries(value)
          .map(([name, one]) => [name, reversed(one)])
          .reverse(),
      );
    };
    const state = reversed(compactor.state()) as HistoryState;
    expect(createCompactor<Chat>({ ...options, state }).state()).toEqual(compactor.state());
  });

  it('lets another compactor continue from it', async () => {
    const { compactor, list } = await run(25);
    let other = createCompactor<Chat>({ ...options, state: through(compactor.state()) });
    for (let number = 26; number <= 60; number += 1) {
      list.push(...step(number, 500));
      const one = await compactor.compact(list);
      const two = await other.compact(list);
      expect(two.messages).toEqual(one.messages);
      expect(two.report.action).toBe(one.report.action);
      other = createCompactor<Chat>({ ...options, state: through(other.state()) });
    }
    expect(other.stats()).toEqual(compactor.stats());
  });

  it('contains no text of kept messages', async () => {
    const { compactor, list } = await run(12);
    const state = JSON.stringify(compactor.state());
    expect(state).not.toContain('You are an engineer.');
    expect(state).not.toContain(JSON.stringify(list.at(-1)?.['content']).slice(1, 100));
  });

  it('lets a new process restore originals', async () => {
    const storage = openStorage();
    const compactor = createCompactor<Chat>({ ...options, storage });
    const { report } = await compactor.compact([...asked, ...steps(30, 800)]);
    const again = createCompactor<Chat>({ ...options, storage, state: through(compactor.state()) });
    for (const pointer of report.pointers) expect((await again.restore(pointer)).text).not.toBe('');
  });
});

describe('a damaged state', () => {
  /** Accepts or rejects the state; nothing else is thrown, then or later. */
  async function tried(state: unknown, list: readonly Chat[]): Promise<'taken' | 'refused'> {
    let compactor: Compactor<Chat>;
    try {
      compactor = createCompactor<Chat>({ ...options, state: state as HistoryState });
    } catch (error) {
      expect(error).toBeInstanceOf(ReaderError);
      expect(error).toMatchObject({ code: 'BAD_INPUT' });
      return 'refused';
    }
    const { messages } = await compactor.compact(list);
    expect(messages.at(-1)).toEqual(list.at(-1));
    await compactor.compact([...list, ...step(99, 500)]);
    expect(through(compactor.state())).toEqual(compactor.state());
    compactor.stats();
    return 'taken';
  }

  it.each<readonly [string, (state: HistoryState) => unknown]>([
    ['nothing', () => 7],
    ['a text', () => '{}'],
    ['a list', () => []],
    ['an earlier version', (state) => ({ ...state, version: 1 })],
    ['another version', (state) => ({ ...state, version: 7 })],
    ['no checksum', ({ checksum: _, ...state }) => state],
    ['no entries', (state) => ({ ...state, ledger: null })],
    [
      'an entry less',
      (state) => ({
        ...state,
        ledger: { ...state.ledger, now: { ...state.ledger?.now, list: state.ledger?.now.list.slice(1) } },
      }),
    ],
    [
      'another notice before',
      (state) => ({ ...state, ledger: { ...state.ledger, before: state.ledger?.now } }),
    ],
    ['another owner of its files', (state) => ({ ...state, conversationId: '../other' })],
    ['an impossible calibration', (state) => ({ ...state, calibration: { factor: 'x', anchor: 7 } })],
    ['another digest', (state) => ({ ...state, digest: { odd: true } })],
    ['a codec nobody knows', (state) => ({ ...state, codec: 'xml' })],
    ['paths that are no texts', (state) => ({ ...state, files: [7] })],
  ])('with %s is refused', async (_, damage) => {
    const { compactor, list } = await run(25);
    const state = damage(through(compactor.state()));
    // Without an explicit format, the compactor uses the state's.
    const other = () => createCompactor<Chat>({ window: 10_000, state: state as HistoryState });
    expect(other).toThrow(ReaderError);
    if ((state as HistoryState)?.codec !== ('xml' as string))
      expect(await tried(state, list)).toBe('refused');
  });

  it('in any place is refused', async () => {
    const { compactor, list } = await run(25);
    const state = through(compactor.state());
    const paths: (readonly (string | number)[])[] = [];
    const walk = (value: unknown, path: readonly (string | number)[]): void => {
      if (path.length > 0) paths.push(path);
      if (typeof value !== 'object' || value === null || path.length > 6) return;
      for (const [key, each] of Object.entries(value).slice(0, 6))
        walk(each, [...path, Array.isArray(value) ? Number(key) : key]);
    };
    walk(state, []);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.constantFrom(null, 7, -1, 'x', [], {}, true, [null]),
        async (path, value) => {
          const damaged = through(state);
          let at: Record<string | number, unknown> = damaged as never;
          for (const key of path.slice(0, -1)) at = at[key] as never;
          at[path.at(-1) ?? ''] = value;
          const isSame = JSON.stringify(damaged) === JSON.stringify(state);
          expect(await tried(damaged, list)).toBe(isSame ? 'taken' : 'refused');
        },
      ),
      { numRuns: draws(150) },
    );
  });
});
