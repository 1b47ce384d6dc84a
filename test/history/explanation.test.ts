// The reasons from `explain` why each message stayed or was removed, in every tier.

import { describe, expect, it } from 'vitest';
import {
  compact,
  createCompactor,
  type HistoryOptions,
  type MessageReason,
} from '../../src/history/index.ts';
import {
  type Chat,
  calls,
  log,
  openStorage,
  result,
  says,
  step,
  steps,
  system,
  user,
} from '../support/chat.ts';

async function reasonsOf(
  list: readonly Chat[],
  options: HistoryOptions<Chat>,
): Promise<readonly MessageReason[]> {
  const { report } = await compact(list, options, { explain: true });
  expect(report.reasons).toHaveLength(list.length);
  return report.reasons ?? [];
}

const asked: readonly Chat[] = [system('You are an engineer.'), user('Find the defect.')];
const read = (id: string, path: string, seed: number): Chat[] => [
  calls([id, 'read', { path }]),
  result(id, log(600, seed)),
];

describe('reasons', () => {
  it('cover kept messages and messages the working set removes', async () => {
    const pinned = says('The port is 7001.');
    const list = [
      ...asked,
      ...read('a', 'src/a.ts', 1),
      ...read('b', 'src/b.ts', 2),
      ...read('c', 'src/a.ts', 3),
      pinned,
      ...read('d', 'src/d.ts', 4),
      calls(['e', 'edit', { path: 'src/e.ts', oldText: 'x', newText: 'y' }]),
      result('e', 'ok'),
      ...read('f', 'src/e.ts', 5),
      user('Go on.'),
      ...read('g', 'src/g.ts', 6),
    ];
    const reasons = await reasonsOf(list, {
      window: 20_000,
      threshold: { at: 3000, to: 2000 },
      isPinned: (message) => message === pinned,
    });
    const why = (at: number): unknown => reasons[at]?.reason;
    expect(why(0)).toEqual({ why: 'instructions' });
    expect(why(1)).toEqual({ why: 'goal' });
    expect(reasons[3]).toMatchObject({
      role: 'tool',
      after: 0,
      fate: 'left-out',
      tier: 'drop',
      reason: { why: 'used', message: 6 },
    });
    expect(reasons[5]).toMatchObject({ fate: 'left-out', reason: { why: 'unused' } });
    expect(why(8)).toEqual({ why: 'pinned' });
    expect(reasons[11]).toMatchObject({
      fate: 'stays',
      tier: null,
      reason: { why: 'in-work', file: 'src/e.ts' },
    });
    expect(why(15)).toEqual({ why: 'newest-user' });
    expect(why(17)).toEqual({ why: 'newest-turn' });
    for (const { before, after, fate } of reasons) {
      if (fate === 'stays') expect(after).toBe(before);
      if (fate === 'changed') expect(after).toBeLessThan(before);
      if (fate === 'left-out') expect(after).toBe(0);
    }
  });

  it('name the tier that changed a message', async () => {
    const content = log(3000, 4);
    const list = [
      ...asked,
      calls(['w', 'write_file', { path: 'a.ts', content }]),
      result('w', 'ok'),
      ...steps(9, 790),
      calls(['n', 'write_file', { path: 'b.ts', content: 'const b = 1;' }]),
      result('n', 'ok'),
    ];
    const { report } = await compact(list, { window: 200_000 });
    // Between its two thresholds.
    const window = Math.ceil(report.before.tokens / 0.87);
    const valis = { preset: 'valis', window, storage: openStorage() } as const;
    expect((await reasonsOf(list, valis))[2]).toMatchObject({ fate: 'changed', tier: 'pointers' });
    const masked = await reasonsOf(list, { preset: 'duragent', window: 200_000 });
    expect(masked[9]).toMatchObject({ fate: 'changed', tier: 'mask', reason: { why: 'middle' } });
    const oldest = await reasonsOf(list, { preset: 'aixtools', window: 8000 });
    expect(oldest[3]).toMatchObject({ fate: 'left-out', tier: 'drop', reason: { why: 'oldest' } });
    const orphan = await reasonsOf([...asked, result('x', 'lost'), user('Go on.')], { window: 8000 });
    expect(orphan[2]).toMatchObject({ fate: 'left-out', tier: 'repair', reason: null });
  });

  it('name the same messages before and after, in every compaction of a long conversation', async () => {
    const compactor = createCompactor<Chat>({ window: 6000, preset: 'valis' });
    const list: Chat[] = [...asked];
    for (let number = 0; number < 60; number += 1) {
      list.push(
        says(log(20 + number, number)),
        ...step(number, 20 + 9 * (number % 7)),
        user(`Next, ${number}.`),
      );
      const { reasons } = (await compactor.compact([...list], { explain: true })).report;
      for (const { fate, before, after } of reasons ?? [])
        expect([fate, after]).toEqual([fate, fate === 'stays' ? before : fate === 'left-out' ? 0 : after]);
      expect(reasons?.filter(({ tier }) => tier === 'drop').every(({ fate }) => fate === 'left-out')).toBe(
        true,
      );
    }
  });

  it('are given only on request, and omitted if everything fits', async () => {
    const compactor = createCompactor<Chat>({ window: 200_000 });
    expect((await compactor.compact([...asked])).report).not.toHaveProperty('reasons');
    const { report } = await compactor.compact([...asked, says('Well.'), user('Go on.')], { explain: true });
    expect(report.reasons?.every(({ fate, before, after }) => fate === 'stays' && before === after)).toBe(
      true,
    );
  });
});
