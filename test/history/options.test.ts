// Options of a compactor, and how invalid ones are rejected.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { ReaderError } from '../../src/contract/index.ts';
import {
  type CallOptions,
  createCompactor,
  type HistoryOptions,
  PRESET_NAMES,
} from '../../src/history/index.ts';
import { type Chat, step, steps, user } from '../support/chat.ts';

afterEach(() => vi.unstubAllEnvs());

/** Options from an untyped caller. */
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
    ['threshold.at', { threshold: { at: 0 } }],
    ['threshold.at', { threshold: { at: 1.5 } }],
    ['threshold.to', { threshold: { to: 128_000 } }],
    ['threshold.to', { threshold: { at: 0.5, to: 64_000 } }],
    ['threshold', { threshold: { from: 1 } }],
    ['threshold', { threshold: 0.5 }],
    ['policy.reserve', { policy: { reserve: -1 } }],
    ['preset', { preset: 'best' }],
    ['storage', { storage: {} }],
    ['storage', { storage: null }],
    ['policy', { policy: { masks: false } }],
    ['policy.mask.at', { policy: { mask: { at: 1.5, keepFirst: 2, keepLast: 5 } } }],
    ['policy.mask.keepFirst', { policy: { mask: { at: 0, keepFirst: -1, keepLast: 5 } } }],
    ['policy.truncate.over', { policy: { truncate: { over: 0, keep: 'head' } } }],
    ['policy.truncate.keep', { policy: { truncate: { over: 8000, keep: 'middle' } } }],
    ['policy.offload.lines', { policy: { offload: { over: 1, lines: -1 } } }],
    ['policy.keepRecent', { policy: { keepRecent: -0.1 } }],
    ['policy.earlier.at', { policy: { earlier: { at: 0, to: 0 } } }],
    ['policy.messages.at', { policy: { messages: { at: 'all', to: 1 } } }],
    ['state', { state: {} }],
  ])('rejects an invalid `%s`', (name, options) => {
    const error = refused(options);
    expect(error.code).toBe('BAD_INPUT');
    expect(error.message).toContain(name.replace('state', 'version').split('.')[0]);
    expect(error.message).not.toContain('undefined\n');
    expect(error.hint).not.toBe('');
  });

  it.each<readonly [string, unknown]>([
    ['format', { format: 'xml' }],
    ['format', { format: {} }],
    ['summarizer', { summarizer: 'gpt' }],
    ['timeoutMs', { timeoutMs: -5 }],
    ['isPinned', { isPinned: true }],
    ['onCompaction', { onCompaction: 'log' }],
    ['tools', { tools: { plan: 'hold' } }],
    ['tools', { tools: { write: { writes: 'content' } } }],
    ['tools', { tools: [{ name: 'read' }] }],
    ['goal', { goal: 7 }],
    ['model', { model: 7 }],
  ])('rejects a `%s` of the wrong type immediately, not in the middle of a run', (name, options) => {
    const error = refused(options);
    expect(error.code).toBe('BAD_INPUT');
    expect(error.message).toContain(name);
  });

  it('names the entry of `tools` that is not a role', () => {
    const { message } = refused({ tools: { read: 'read', plan: 'hold' } });
    expect(message).toContain('`tools["plan"]` is `hold`');
  });

  it('accepts no options, and treats undefined as not set', () => {
    expect(made({})).not.toThrow();
    expect(made(undefined)).not.toThrow();
    expect(made({ window: undefined, preset: undefined, policy: undefined, state: undefined })).not.toThrow();
  });
});

describe('options of a call', () => {
  const list = [user('go'), ...steps(20, 500)];

  it.each<readonly [string, unknown]>([
    ['window', { window: 'a' }],
    ['widow', { widow: 5 }],
    ['system', { system: 5 }],
    ['signal', { signal: 5 }],
    ['force', { force: 'yes' }],
    ['null', null],
  ])('reject an invalid `%s`', async (name, call) => {
    const refused = createCompactor<Chat>({ window: 128_000 }).compact(list, call as CallOptions);
    await expect(refused).rejects.toMatchObject({ code: 'BAD_INPUT' });
    await expect(refused).rejects.toThrow(name);
  });

  it('may be undefined', async () => {
    // As passed by a caller without exact optional types.
    const call = { system: undefined, window: undefined, force: undefined, signal: undefined } as unknown;
    const { report } = await createCompactor<Chat>({ window: 128_000 }).compact(list, call as CallOptions);
    expect(report.action).toBe('none');
  });
});

describe('a function `goal`', () => {
  const list = [user('go'), ...steps(40, 500)];
  const broken = new Error('no plan');

  it.each<readonly [string, () => unknown]>([
    ['gives a promise', async () => 'later'],
    ['gives a number', () => 5],
    [
      'throws',
      () => {
        throw broken;
      },
    ],
  ])('that %s is refused by its name', async (how, goal) => {
    const options = { window: 10_000, goal } as unknown;
    const compactor = createCompactor<Chat>(options as HistoryOptions<Chat>);
    const refused = compactor.compact(list, { force: true });
    await expect(refused).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('`goal`'),
      ...(how === 'throws' && { cause: broken }),
    });
  });
});

describe('the window', () => {
  const windowOf = async (options: HistoryOptions<Chat>): Promise<number> =>
    (await createCompactor(options).compact([user('go')])).report.window;

  it("is the model's, the option's, or 128 000 for an unknown model", async () => {
    await expect(windowOf({})).rejects.toMatchObject({ code: 'BAD_INPUT' });
    expect(await windowOf({ model: 'claude-sonnet-4-5-20250929' })).toBe(200_000);
    expect(await windowOf({ model: 'gpt-4o' })).toBe(128_000);
    expect(await windowOf({ model: 'claude-sonnet-4-5', window: 50_000 })).toBe(50_000);
    expect(await windowOf({ model: 'never-heard-of' })).toBe(128_000);
  });

  it('reserves a tenth for the answer, at most 8192, or the given number', async () => {
    const of = async (options: HistoryOptions<Chat>): Promise<number> =>
      (
        await createCompactor({
          threshold: { at: 1 },
          ...options,
          policy: { drop: { notice: 0 }, ...options.policy },
        }).compact([user('go')])
      ).report.trigger;
    expect(await of({ window: 10_000 })).toBe(8000);
    expect(await of({ window: 200_000 })).toBe(180_000 - 8192);
    expect(await of({ window: 200_000, policy: { reserve: 30_000 } })).toBe(150_000);
    expect(await of({ window: 200_000, policy: { reserve: 0 } })).toBe(180_000);
  });
});

describe('the environment', () => {
  const list = [user('go'), ...steps(20, 500), ...step(99, 500)];
  const reportOf = async (options: HistoryOptions<Chat>) =>
    (await createCompactor({ window: 128_000, ...options }).compact(list)).report;

  it('of the process sets thresholds of any preset, and options override it', async () => {
    vi.stubEnv('HISTORY_COMPACTION_MAX_TOKENS', '6000');
    vi.stubEnv('LECTERN_HISTORY_COMPACTION_TARGET_TOKENS', '3000');
    for (const preset of PRESET_NAMES) {
      const report = await reportOf({ preset });
      expect(report).toMatchObject({ action: 'compacted', trigger: 6000, target: 3000, fits: true });
      expect(report.after.tokens).toBeLessThanOrEqual(3000);
    }
    expect((await reportOf({ threshold: { at: 50_000 } })).action).toBe('none');
    expect((await reportOf({ threshold: { to: 2000 } })).target).toBe(2000);
  });

  it('does not compact at every call, and refuses 0', async () => {
    vi.stubEnv('HISTORY_COMPACTION_MAX_TOKENS', '6000');
    vi.stubEnv('HISTORY_COMPACTION_TARGET_TOKENS', '9000');
    expect(await reportOf({})).toMatchObject({ trigger: 6000, target: 6000 });
    vi.stubEnv('HISTORY_COMPACTION_TARGET_TOKENS', '0');
    expect(refused({}).message).toBe(
      '`LECTERN_HISTORY_COMPACTION_TARGET_TOKENS` is 0; expected 1 token or more.',
    );
  });
});

describe('a threshold', () => {
  const reportOf = async (options: HistoryOptions<Chat>) =>
    (await createCompactor(options).compact([user('go')])).report;

  it('is fractions of the window or tokens of history, and omitted values follow the preset', async () => {
    expect(await reportOf({ window: 100_000, threshold: { at: 0.5 } })).toMatchObject({
      trigger: 50_000,
      target: 15_000,
    });
    expect(await reportOf({ window: 100_000, threshold: { at: 40_000, to: 0.1 } })).toMatchObject({
      trigger: 40_000,
      target: 10_000,
    });
    expect(await reportOf({ window: 100_000, preset: 'valis', threshold: { at: 30_000 } })).toMatchObject({
      trigger: 30_000,
      target: 15_000,
    });
  });
});
