// What a compactor may be made with, and what is refused and how.

import { describe, expect, it } from 'vitest';
import { ReaderError } from '../../src/contract/index.ts';
import { createCompactor, type HistoryOptions } from '../../src/history/index.ts';
import { type Chat, step, steps, user } from '../support/chat.ts';

/** What a caller without types may give. */
const made = (options: unknown) => () => createCompactor(options as HistoryOptions);

function refused(options: unknown): ReaderError {
  try {
    made(options)();
  } catch (error) {
    if (error instanceof ReaderError) return error;
    throw error;
  }
  throw new Error(`taken: ${JSON.stringify(options)}`);
}

describe('options', () => {
  it.each<readonly [string, unknown]>([
    ['windoww', { windoww: 1 }],
    ['window', { window: 0 }],
    ['window', { window: 255 }],
    ['window', { window: 1e12 }],
    ['window', { window: '200000' }],
    ['window', { window: Number.NaN }],
    ['target', { target: 0 }],
    ['target', { target: 128_000 }],
    ['reserve', { reserve: -1 }],
    ['preset', { preset: 'best' }],
    ['storage', { storage: {} }],
    ['storage', { storage: null }],
    ['policy', { policy: { masks: false } }],
    ['policy.mask.at', { policy: { mask: { at: 2, keepFirst: 2, keepLast: 5, atLeast: 0 } } }],
    ['policy.mask.keepFirst', { policy: { mask: { at: 0, keepFirst: -1, keepLast: 5, atLeast: 0 } } }],
    ['policy.truncate.over', { policy: { truncate: { over: 0, keep: 'head' } } }],
    ['policy.truncate.keep', { policy: { truncate: { over: 8000, keep: 'middle' } } }],
    ['policy.offload.lines', { policy: { offload: { over: 1, lines: -1 } } }],
    ['policy.lowWater', { policy: { lowWater: 1.5 } }],
    ['policy.lowWater.tokens', { policy: { lowWater: { tokens: 0 } } }],
    ['policy.lowWater.tokens', { policy: { lowWater: null } }],
    ['policy.over', { policy: { over: 0 } }],
    ['policy.keepRecent', { policy: { keepRecent: -0.1 } }],
    ['policy.maxHistoryTokens', { policy: { maxHistoryTokens: -1 } }],
    ['policy.maxMessages', { policy: { maxMessages: 'all' } }],
    ['state', { state: {} }],
  ])('refuses `%s` where it cannot be so', (name, options) => {
    const error = refused(options);
    expect(error.code).toBe('BAD_INPUT');
    expect(error.message).toContain(name.replace('state', 'version').split('.')[0]);
    expect(error.message).not.toContain('undefined\n');
    expect(error.hint).not.toBe('');
  });

  it.each<readonly [string, unknown]>([
    ['profile', { profile: 'best' }],
    ['format', { format: 'xml' }],
    ['codec', { codec: {} }],
    ['summarizer', { summarizer: 'gpt' }],
    ['summarizerTimeoutMs', { summarizerTimeoutMs: -5 }],
    ['isPinned', { isPinned: true }],
    ['onCompaction', { onCompaction: 'log' }],
    ['keepTools', { keepTools: 'plan' }],
    ['readTools', { readTools: 7 }],
    ['writeTools', { writeTools: ['write_file'] }],
    ['goal', { goal: 7 }],
    ['model', { model: 7 }],
  ])('refuses a `%s` of another kind at once, not in the middle of a run', (name, options) => {
    const error = refused(options);
    expect(error.code).toBe('BAD_INPUT');
    expect(error.message).toContain(name);
  });

  it('takes none, and what is undefined for not given', () => {
    expect(made({})).not.toThrow();
    expect(made(undefined)).not.toThrow();
    expect(made({ window: undefined, preset: undefined, policy: undefined, state: undefined })).not.toThrow();
  });
});

describe('the window', () => {
  const windowOf = async (options: HistoryOptions<Chat>): Promise<number> =>
    (await createCompactor(options).compact([user('go')])).report.window;

  it('is of the model, or as given, or 128 000', async () => {
    expect(await windowOf({})).toBe(128_000);
    expect(await windowOf({ model: 'claude-sonnet-4-5-20250929' })).toBe(200_000);
    expect(await windowOf({ model: 'gpt-4o' })).toBe(128_000);
    expect(await windowOf({ model: 'claude-sonnet-4-5', window: 50_000 })).toBe(50_000);
    expect(await windowOf({ model: 'never-heard-of' })).toBe(128_000);
  });

  it('keeps a reserve for the answer: a tenth, at most 8192, or as given', async () => {
    const of = async (options: HistoryOptions<Chat>): Promise<number> =>
      (
        await createCompactor({
          policy: { over: null, drop: { at: 1, digest: 0 }, pointers: false, summarize: false },
          ...options,
        }).compact([user('go')])
      ).report.trigger;
    expect(await of({ window: 10_000 })).toBe(8000);
    expect(await of({ window: 200_000 })).toBe(180_000 - 8192);
    expect(await of({ window: 200_000, reserve: 30_000 })).toBe(150_000);
    expect(await of({ window: 200_000, reserve: 0 })).toBe(180_000);
  });
});

it('the environment of the process sets limits, and options are over it', async () => {
  const list = [user('go'), ...steps(20, 500), ...step(99, 500)];
  const environment = { HISTORY_COMPACTION_MAX_TOKENS: '6000', HISTORY_COMPACTION_TARGET_TOKENS: '3000' };
  const { report } = await createCompactor<Chat>({ preset: 'aixtools', environment }).compact(list);
  expect(report.action).toBe('compacted');
  expect(report.after.tokens).toBeLessThanOrEqual(3100);
  const over = createCompactor<Chat>({
    preset: 'aixtools',
    environment,
    limits: { historyMaxTokens: 50_000 },
  });
  expect((await over.compact(list)).report.action).toBe('none');
});
