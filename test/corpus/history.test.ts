// Real conversations through every preset, in each format they can be had in: legal, whole, within the window, the same
// again, and everything that went can be brought back.

import { createHash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import {
  type CodecName,
  codecOf,
  compact,
  createCompactor,
  createMemoryStorage,
  PRESET_NAMES,
} from '../../src/history/index.ts';
import { compared, JUDGES } from '../support/history-rules/index.ts';
import { piTranscript, tauTranscripts } from '../support/transcripts.ts';

// Works through real files.
vi.setConfig({ testTimeout: 180_000 });

type Format = 'openai-chat' | 'anthropic';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const bytes = (format: CodecName, messages: readonly unknown[]): string =>
  JSON.stringify(messages.map((message) => codecOf(format).encode(message)));
const session = await piTranscript();
const runs = await tauTranscripts();

/** Every pointer gives an original: a message or a text as it came, or as an earlier compaction left it. */
async function restores(
  format: Format,
  originals: readonly unknown[],
  pointers: readonly string[],
  restore: (pointer: string) => Promise<{ kind: string; text: string; sha256: string }>,
  every: number = 1,
): Promise<void> {
  const codec = codecOf(format);
  const natives = new Set(originals.map((message) => JSON.stringify(codec.encode(message))));
  const texts = new Set(originals.flatMap((message) => codec.view(message).items.map(({ text }) => text)));
  for (const [at, pointer] of pointers.entries()) {
    if (at % every !== 0) continue;
    const original = await restore(pointer);
    expect(original.sha256).toBe(sha256(original.text));
    if (original.text.includes('[history: ')) continue;
    expect((original.kind === 'text' ? texts : natives).has(original.text)).toBe(true);
  }
}

describe.each(['openai-chat', 'anthropic'] as const)('the session of pi as %s', (format: Format) => {
  const messages = session[format];

  it.each(PRESET_NAMES.flatMap((preset) => [8000, 64_000].map((window) => [preset, window] as const)))(
    '%s in a window of %i tokens',
    async (preset, window) => {
      const options = () => ({ preset, window, format, storage: createMemoryStorage() });
      const done = await compact(messages, options());
      expect(done.report).toMatchObject({ fits: true, problem: null, action: 'compacted' });
      expect(JUDGES[format](done.messages)).toEqual([]);
      expect(compared(format, messages, done.messages)).toEqual([]);
      const given = bytes(format, done.messages);
      expect(bytes(format, (await compact(messages, options())).messages)).toBe(given);
      expect(bytes(format, (await compact(done.messages, options())).messages)).toBe(given);
      const came = new Set(messages);
      const same = new Set(messages.map((message) => JSON.stringify(message)));
      for (const message of done.messages)
        if (same.has(JSON.stringify(message))) expect(came.has(message)).toBe(true);
      // Each reads the whole of its file: all of them once, a part elsewhere.
      const every = preset === 'lectern' && window === 8000 ? 1 : 40;
      await restores(format, messages, done.report.pointers, (pointer) => done.restore(pointer), every);
    },
  );

  it.each(PRESET_NAMES)('call by call with %s', async (preset) => {
    const window = 20_000;
    const options = { preset, window, format, conversationId: 'pi' };
    const compactor = createCompactor<unknown>({ ...options, storage: createMemoryStorage() });
    const carried = createCompactor<unknown>({ ...options, storage: createMemoryStorage() });
    let before: readonly unknown[] = [];
    let own: readonly unknown[] = [];
    const pointers: string[] = [];
    let seen = 0;
    for (let end = 1; end <= Math.min(160, messages.length); end += 1) {
      const prefix = messages.slice(0, end);
      const role = codecOf(format).view(messages[end - 1]).role;
      // A call of the model: after what the user said, or when all results are there.
      const next = end < messages.length ? codecOf(format).view(messages[end]).role : 'assistant';
      if (role === 'assistant' || next !== 'assistant') continue;
      const { messages: given, report } = await compactor.compact(prefix);
      expect(JUDGES[format](given)).toEqual([]);
      pointers.push(...report.pointers);
      expect({ end, problem: report.problem }).toEqual({ end, problem: null });
      if (report.action === 'none') expect(given.slice(0, before.length)).toEqual(before);
      own = (await carried.compact([...own, ...messages.slice(seen, end)])).messages;
      expect(bytes(format, own)).toBe(bytes(format, given));
      before = given;
      seen = end;
    }
    expect(compactor.stats().compactions).toBeGreaterThan(0);
    await restores(format, messages, pointers, (pointer) => compactor.restore(pointer), 10);
  });
});

it.each(PRESET_NAMES.flatMap((preset) => [2500, 8000].map((window) => [preset, window] as const)))(
  '100 conversations of tau-bench with %s in a window of %i tokens',
  async (preset, window) => {
    for (const { name, 'openai-chat': messages } of runs) {
      const options = () => ({
        preset,
        window,
        format: 'openai-chat' as const,
        storage: createMemoryStorage(),
      });
      const done = await compact(messages, options());
      expect({ name, findings: JUDGES['openai-chat'](done.messages) }).toEqual({ name, findings: [] });
      expect(compared('openai-chat', messages, done.messages)).toEqual([]);
      // The instructions of tau-bench alone are about 2000 tokens.
      if (window > 2500) expect({ name, fits: done.report.fits }).toEqual({ name, fits: true });
      else if (!done.report.fits) expect(done.report.problem?.code).toBe('OVER_BUDGET');
      expect(done.messages[0]).toBe(messages[0]);
      expect((await compact(done.messages, options())).messages).toEqual(done.messages);
      await restores('openai-chat', messages, done.report.pointers, (pointer) => done.restore(pointer));
    }
  },
);
