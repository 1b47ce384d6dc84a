// A notice added to the user's first message, where it cannot be a message of its own: the original can be restored.

import { expect, it } from 'vitest';
import { codecOf, createCompactor, createMemoryStorage } from '../../src/history/index.ts';
import { loop } from '../support/histories.ts';

it.each(['ai-sdk', 'gemini', 'anthropic', 'openai-chat'] as const)('%s', async (format) => {
  const { messages } = loop(format, 60, 1500);
  const codec = codecOf(format);
  const first = messages.find((message) => codec.view(message).role === 'user');
  const compactor = createCompactor<unknown>({ window: 12_000, format, storage: createMemoryStorage() });
  const { messages: given, report } = await compactor.compact(messages);
  expect(report.action).toBe('compacted');
  const original = JSON.stringify(codec.encode(first));
  // If it is not shown unchanged, it is in the archive.
  const isShown = given.some((message) => JSON.stringify(codec.encode(message)) === original);
  expect(isShown).toBe(!codec.rules.alternates);
  const restored = await Promise.all(report.pointers.map((pointer) => compactor.restore(pointer)));
  expect(restored.some(({ text }) => text === original)).toBe(codec.rules.alternates);
});
