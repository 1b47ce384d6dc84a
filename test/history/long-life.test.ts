// Conversations compacted many times: the stored data does not grow with the number of compactions, and everything
// removed can be restored.

import { describe, expect, it, vi } from 'vitest';
import { type Compactor, createCompactor, type HistoryState } from '../../src/history/index.ts';
import { type Chat, log, openStorage, says, step, system, user } from '../support/chat.ts';
import { draws } from '../support/draws.ts';

// Compacts many times.
vi.setConfig({ testTimeout: 600_000 });

const COMPACTIONS = draws(1000, 150);
const asked: readonly Chat[] = [system('You are an engineer.'), user('Find the defect.')];
const options = { window: 4000, format: 'openai-chat' } as const;
/** The parts of a state that could grow with compactions; a digest has its own limits. */
const grown = ({ ledger }: HistoryState): number => JSON.stringify(ledger).length;

interface Life {
  readonly compactor: Compactor<Chat>;
  readonly list: readonly Chat[];
  readonly pointers: readonly string[];
  /** Sizes of the state after each compaction. */
  readonly sizes: readonly number[];
}

/** `carries`: the caller continues with the output; otherwise with all original messages. */
async function live(carries: boolean, compactions: number): Promise<Life> {
  const storage = openStorage();
  const compactor = createCompactor<Chat>({ ...options, storage });
  const pointers: string[] = [];
  const sizes: number[] = [];
  let list: readonly Chat[] = asked;
  for (let number = 1; sizes.length < compactions; number += 1) {
    const [call = {}, result = {}] = step(number, 500);
    // One in ten is saved on arrival.
    const text = number % 10 === 0 ? log(25_000, number) : '';
    const arrived = text === '' ? null : await compactor.onToolResult({ toolName: 'bash', text });
    if (arrived?.pointer) pointers.push(arrived.pointer);
    // Some models return empty text at times.
    list = [...list, says(''), call, arrived ? { ...result, content: arrived.text } : result];
    const { messages, report } = await compactor.compact(list);
    pointers.push(...report.pointers);
    if (report.action === 'compacted') sizes.push(grown(compactor.state()));
    if (carries) list = messages;
  }
  return { compactor, list, pointers, sizes };
}

describe('a conversation that continues with the output', () => {
  it(`has after ${COMPACTIONS} compactions a state as small as after twenty`, async () => {
    const { compactor, list, pointers, sizes } = await live(true, COMPACTIONS);
    const early = Math.max(...sizes.slice(0, 20));
    expect(list.length).toBeLessThan(60);
    expect(Math.max(...sizes)).toBeLessThan(2 * early);
    expect(JSON.stringify(compactor.state()).length).toBeLessThan(250_000);
    expect(pointers.length).toBeGreaterThan(2 * COMPACTIONS);
    for (const pointer of pointers) expect((await compactor.restore(pointer)).text).not.toBe('');
  });
});

it('for a list that stays whole, the state contains little more than a mark per message', async () => {
  const { list, sizes } = await live(false, 40);
  expect(sizes.at(-1)).toBeLessThan(40 * list.length + 12_000);
});
