// The presets: numbers from the documents behind lectern, and that each works on its own.

import { describe, expect, it } from 'vitest';
import {
  type CallOptions,
  compact,
  createCompactor,
  PRESET_NAMES,
  presetOf,
} from '../../../src/history/index.ts';
import { type Chat, noticeIn, openStorage, says, step, steps, system, user } from '../../support/chat.ts';

const asked: readonly Chat[] = [system('You are an engineer.'), user('Find the defect.')];

describe('figures', () => {
  it('of valis', () => {
    expect(presetOf('valis', 200_000)).toMatchObject({
      threshold: { at: 0.85 },
      policy: {
        offload: { over: 20_000, lines: 10 },
        pointers: { preview: 100, results: 500 },
        drop: { at: 0.95 },
        keepRecent: 0.2,
      },
    });
  });

  it('of duragent', () => {
    expect(presetOf('duragent', 200_000).policy).toMatchObject({
      truncate: { over: 8000, keep: 'head' },
      mask: { at: 0, keepFirst: 2, keepLast: 5 },
      messages: { at: 2000, to: 1500 },
    });
  });

  it('of aixtools', () => {
    expect(presetOf('aixtools', 200_000)).toMatchObject({
      threshold: { at: 120_000, to: 40_000 },
      policy: { drop: { without: 'ends' } },
    });
  });
});

describe.each(PRESET_NAMES)('%s', (preset) => {
  it('does not change a short conversation', async () => {
    const list = [...asked, ...steps(5, 500)];
    const { messages, report } = await compact(list, { window: 128_000, preset, storage: openStorage() });
    expect(report).toMatchObject({ action: 'none', preset, fits: true, tiers: [], repairs: [] });
    expect(messages).toEqual(list);
    messages.forEach((message, at) => {
      expect(message).toBe(list[at]);
    });
  });

  it.each([2000, 8000, 32_000, 128_000, 200_000, 1_000_000])(
    'keeps a window of %i tokens',
    async (window) => {
      const compactor = createCompactor<Chat>({ preset, window, storage: openStorage() });
      const list: Chat[] = [...asked];
      const call: CallOptions = { tools: [{ name: 'read', description: 'Reads a file.' }] };
      const size = Math.ceil(window / 60);
      for (let number = 1; number <= 90; number += 1) {
        list.push(...step(number, size));
        if (number % 10 !== 0) continue;
        list.push(says('Part of it is done.'), user('Go on.'));
        const { report, messages } = await compactor.compact(list, call);
        expect(report.fits).toBe(true);
        expect(report.after.tokens).toBeLessThanOrEqual(
          window * (1 - presetOf(preset, window).policy.margin) - Math.min(8192, window * 0.1),
        );
        expect(messages[1]).toBe(list[1]);
        expect(messages.at(-1)).toBe(list.at(-1));
      }
    },
  );
});

it('duragent bounds the list, however short its messages', async () => {
  const compactor = createCompactor<Chat>({ preset: 'duragent', window: 8000 });
  const list: Chat[] = [...asked];
  for (let at = 0; at < 300; at += 1) {
    list.push(at % 2 === 0 ? says('ok') : user('yes'));
    const { messages } = await compactor.compact(list);
    expect(messages.length).toBeLessThanOrEqual(100);
    if (list.length > 100) expect(noticeIn(messages)).not.toBe('');
  }
});

it("a policy overrides the preset's fields that it sets", async () => {
  const list = [...asked, ...steps(20, 800)];
  const options = { window: 12_000, preset: 'lectern' } as const;
  const { report } = await compact(list, {
    ...options,
    policy: {
      drop: false,
      mask: { at: 0.5, keepFirst: 1, keepLast: 1 },
    },
  });
  expect(report.tiers.map(({ tier }) => tier)).toContain('mask');
});
