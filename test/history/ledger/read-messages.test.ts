// Cached facts of a message are valid exactly as long as it reads the same.

import { describe, expect, test } from 'vitest';
import type { Codec } from '../../../src/history/codecs/codec.ts';
import type { MessageView } from '../../../src/history/codecs/message.ts';
import { item } from '../../../src/history/codecs/message.ts';
import { codecOf, createCompactor, createEstimator } from '../../../src/history/index.ts';
import { costsOf, markOf, ReadMessages } from '../../../src/history/ledger/read-messages.ts';

/** A codec whose messages are their views. */
const plain: Codec<MessageView> = {
  ...codecOf<MessageView>('openai-chat'),
  view: ({ role, items }) => ({ role, items: items.map((one) => ({ ...one })) }),
};
const estimator = createEstimator('openai');
const media = { type: 'image', mimeType: 'image/png', bytes: 2000, width: 640, height: 480 } as const;

describe('a reading', () => {
  test('is computed once for an unchanged message', () => {
    const readings = new ReadMessages(plain);
    const message: MessageView = { role: 'user', items: [item('user', { text: 'Hello.' })] };
    const first = readings.read(message);
    const [mark, costs] = [markOf(first), costsOf(first, estimator)];
    const again = readings.read(message);
    expect(again).toBe(first);
    expect(markOf(again)).toBe(mark);
    expect(costsOf(again, estimator)).toBe(costs);
  });

  const changes: readonly (readonly [what: string, change: Parameters<typeof item>[1]])[] = [
    ['text', { text: 'Good morning, and a very good day to all of you.' }],
    ['call', { callId: 'b' }],
    ['tool', { toolName: 'a_tool_with_a_long_name' }],
    ['error', { isError: true }],
    ['weight', { weight: 5000 }],
    ['picture', { media: { ...media, width: 1280 } }],
    ['no picture', { media: null }],
  ];
  test.each(changes)('is recomputed if the message has a different %s', (_, change) => {
    const readings = new ReadMessages(plain);
    for (const kind of ['call', 'media'] as const) {
      const message = {
        role: 'assistant' as const,
        items: [item(kind, { text: 'Hi.', callId: 'a', media })],
      };
      const before = readings.read(message);
      markOf(before);
      costsOf(before, estimator);
      message.items = [item(kind, { text: 'Hi.', callId: 'a', media, ...change })];
      const after = readings.read(message);
      const fresh = new ReadMessages(plain).read(message);
      expect(markOf(after)).toBe(markOf(fresh));
      expect(costsOf(after, estimator)).toEqual(costsOf(fresh, estimator));
    }
  });

  test('reflects the current content if a caller modifies messages in place', async () => {
    const messages = [
      { role: 'user', content: 'Count the lines.' },
      { role: 'assistant', content: 'Wait.' },
      { role: 'user', content: 'And?' },
    ];
    const compactor = createCompactor({ window: 128_000, format: 'openai-chat' });
    const short = (await compactor.compact(messages)).report.after.tokens;
    Object.assign(messages[1] ?? {}, { content: 'There are forty lines in it. '.repeat(50) });
    const { report } = await compactor.compact(messages);
    const fresh = await createCompactor({ window: 128_000, format: 'openai-chat' }).compact(messages);
    expect(report.after.tokens).toBe(fresh.report.after.tokens);
    expect(report.after.tokens).toBeGreaterThan(short + 100);
    expect(report.stablePrefix).toBe(1);
  });
});
