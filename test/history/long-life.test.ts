// Conversations that are compacted over and over: what is kept beside them does not grow with the number of compactions, and
// everything that left comes back.

import { describe, expect, it, vi } from 'vitest';
import { type Compactor, createCompactor, type HistoryState } from '../../src/history/index.ts';
import { type Chat, log, openStorage, says, step, system, user } from '../support/chat.ts';
import { draws } from '../support/draws.ts';

// Compacts many times.
vi.setConfig({ testTimeout: 600_000 });

const COMPACTIONS = draws(1000, 150);
const asked: readonly Chat[] = [system('You are an engineer.'), user('Find the defect.')];
const options = { window: 4000, format: 'openai-chat' } as const;
/** Of a state, what could grow with the compactions; a digest has bounds of its own. */
const grown = ({ events, files, arrived }: HistoryState): number =>
  JSON.stringify({ events, files, arrived }).length;

interface Life {
  readonly compactor: Compactor<Chat>;
  readonly list: readonly Chat[];
  readonly pointers: readonly string[];
  /** Sizes of the state after each compaction. */
  readonly sizes: readonly number[];
  readonly files: ReadonlyMap<string, string>;
}

/** `carries`: the caller goes on with what it was given; else with all messages as they came. */
async function live(carries: boolean, compactions: number): Promise<Life> {
  const storage = openStorage();
  const compactor = createCompactor<Chat>({ ...options, storage });
  const pointers: string[] = [];
  const sizes: number[] = [];
  let list: readonly Chat[] = asked;
  for (let number = 1; sizes.length < compactions; number += 1) {
    const [call = {}, result = {}] = step(number, 500);
    // One in ten is saved as it arrives.
    const text = number % 10 === 0 ? log(25_000, number) : '';
    const arrived = text === '' ? null : await compactor.onToolResult({ toolName: 'bash', text });
    if (arrived?.pointer) pointers.push(arrived.pointer);
    // Some models say nothing now and then.
    list = [...list, says(''), call, arrived ? { ...result, content: arrived.text } : result];
    const { messages, report } = await compactor.compact(list);
    pointers.push(...report.pointers);
    if (report.action === 'compacted') sizes.push(grown(compactor.state()));
    if (carries) list = messages;
  }
  return { compactor, list, pointers, sizes, files: storage.files };
}

describe('a conversation that goes on with what it was given', () => {
  it(`has after ${COMPACTIONS} compactions a state as small as after twenty`, async () => {
    const { compactor, list, pointers, sizes } = await live(true, COMPACTIONS);
    const early = Math.max(...sizes.slice(0, 20));
    expect(list.length).toBeLessThan(60);
    // Names of up to 64 files come with time.
    expect(Math.max(...sizes)).toBeLessThan(2 * early + 64 * 60);
    expect(JSON.stringify(compactor.state()).length).toBeLessThan(250_000);
    expect(await compactor.prune()).toEqual([]);
    expect(pointers.length).toBeGreaterThan(2 * COMPACTIONS);
    for (const pointer of pointers) expect((await compactor.restore(pointer)).text).not.toBe('');
  });

  it('prunes nothing it ever archived, from a state that names few of the files', async () => {
    const { compactor, files } = await live(true, 150);
    const state: HistoryState = JSON.parse(JSON.stringify(compactor.state()));
    expect(state.files.length).toBeLessThan(100);
    expect(files.size).toBeGreaterThan(250);
    const again = createCompactor<Chat>({ ...options, storage: openStorage(files), state });
    expect(await again.prune()).toEqual([]);
    // Without the file that names the earlier ones nobody knows which those are.
    const [first = ''] = state.files;
    const damaged = new Map([...files].filter(([path]) => path !== first));
    const lost = createCompactor<Chat>({ ...options, storage: openStorage(damaged), state });
    expect(await lost.prune()).toEqual([]);
  });
});

it('of a list that stays whole the state holds a mark for each message, and little else', async () => {
  const { list, sizes } = await live(false, 40);
  expect(sizes.at(-1)).toBeLessThan(40 * list.length + 12_000);
});
