// A storage or model that never answers: the waiting call ends, and later calls work.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createCompactor,
  createMemoryStorage,
  type HistoryOptions,
  type HistoryStorage,
} from '../../src/history/index.ts';
import { type Chat, log, noticeIn, openStorage, SUMMARY, steps, system, user } from '../support/chat.ts';

const many: readonly Chat[] = [system('You are an engineer.'), user('Find the defect.'), ...steps(30, 800)];
const small: HistoryOptions<Chat> = { window: 10_000, format: 'openai-chat', timeoutMs: 5 };
const long = log(25_000, 9);
const never = (): Promise<never> => new Promise(() => undefined);

/** A storage in which the operation named by `hangs` never ends; `asked` resolves when it is called. */
function hanging(operation: 'write' | 'read') {
  const inner = openStorage();
  const state = { hangs: true, late: (): void => undefined };
  let tell: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const method = inner[operation] as (...args: readonly string[]) => Promise<unknown>;
  const storage: HistoryStorage = {
    ...inner,
    [operation]: (...args: readonly string[]) => {
      if (!state.hangs) return method(...args);
      tell();
      return new Promise((resolve, reject) => {
        state.late = () => void method(...args).then(resolve, reject);
      });
    },
  };
  return { storage, files: inner.files, state, asked };
}

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeEach(() => void process.on('unhandledRejection', note));
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled.splice(0)).toEqual([]);
});

describe.each(['write', 'read'] as const)('a storage that hangs in `%s`', (operation) => {
  it('stops the compaction after the deadline; the next call recovers', async () => {
    const { storage, state } = hanging(operation);
    const compactor = createCompactor<Chat>({ ...small, storage });
    const { messages, report } = await compactor.compact(many);
    expect(messages).toEqual(many);
    expect(report).toMatchObject({ action: 'kept', tiers: [], pointers: [], problem: { code: 'TIMED_OUT' } });
    expect(report.problem?.hint).toContain('`timeoutMs`');
    state.hangs = false;
    const again = await compactor.compact(many);
    expect(again.report).toMatchObject({ action: 'compacted', fits: true, problem: null });
    state.late();
    for (const pointer of again.report.pointers) expect((await compactor.restore(pointer)).text).not.toBe('');
  });

  it('ends immediately when the caller aborts, and does not block later calls', async () => {
    const { storage, state, asked } = hanging(operation);
    const compactor = createCompactor<Chat>({ ...small, storage, timeoutMs: 1_000_000 });
    const stop = new AbortController();
    const first = compactor.compact(many, { signal: stop.signal });
    const second = compactor.compact(many.slice(0, 4));
    await asked;
    stop.abort();
    await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
    expect((await second).report.action).toBe('none');
    state.hangs = false;
    expect((await compactor.compact(many)).report.action).toBe('compacted');
  });

  it('leaves an arriving result whole after a timeout or abort', async () => {
    const whole = { text: long, pointer: null, tier: null };
    const late = createCompactor<Chat>({ ...small, storage: hanging(operation).storage });
    expect(await late.onToolResult({ toolName: 'bash', text: long })).toEqual(whole);
    const { storage, asked } = hanging(operation);
    const compactor = createCompactor<Chat>({ ...small, storage, timeoutMs: 1_000_000 });
    const stop = new AbortController();
    const arrived = compactor.onToolResult({ toolName: 'bash', text: long }, { signal: stop.signal });
    await asked;
    stop.abort();
    expect(await arrived).toEqual(whole);
  });
});

it('an aborted call leaves the queue and delays no other', async () => {
  const { storage, state, asked } = hanging('write');
  const compactor = createCompactor<Chat>({ ...small, storage, timeoutMs: 1_000_000 });
  const first = compactor.compact(many);
  const stop = new AbortController();
  const waiting = compactor.compact(many, { signal: stop.signal });
  const third = compactor.compact(many);
  await asked;
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
  state.hangs = false;
  state.late();
  expect((await first).report.action).toBe('compacted');
  expect((await third).report.action).toBe('none');
  expect(compactor.stats().calls).toBe(2);
});

it('restore ends after the timeout or when its caller aborts, independently of other callers', async () => {
  const { storage, state } = hanging('read');
  state.hangs = false;
  const compactor = createCompactor<Chat>({ ...small, storage });
  const [pointer = ''] = (await compactor.compact(many)).report.pointers;
  state.hangs = true;
  const stop = new AbortController();
  const aborted = compactor.restore(pointer, { signal: stop.signal });
  const waiting = compactor.restore(pointer);
  stop.abort();
  await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
  await expect(waiting).rejects.toMatchObject({ code: 'TIMED_OUT' });
  state.hangs = false;
  expect((await compactor.restore(pointer)).text).not.toBe('');
});

it('does not wait for a hanging summarizer when the caller aborts', async () => {
  let tell: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  let hangs = true;
  const summarizer = (): Promise<string> => {
    tell();
    return hangs ? never() : Promise.resolve(SUMMARY);
  };
  const compactor = createCompactor<Chat>({ ...small, preset: 'valis', summarizer, storage: openStorage() });
  const stop = new AbortController();
  const first = compactor.compact(many, { signal: stop.signal });
  await asked;
  stop.abort();
  await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
  hangs = false;
  expect((await compactor.compact(many)).report.summary?.by).toBe('model');
});

describe('a restore that was aborted', () => {
  it('leaves no pending read: the next restore reads again', async () => {
    const inner = createMemoryStorage();
    const leave = new AbortController();
    let hangs = false;
    const storage: HistoryStorage = {
      write: (path, text) => inner.write(path, text),
      read: (path) => {
        if (!hangs) return inner.read(path);
        queueMicrotask(() => leave.abort());
        return never();
      },
    };
    const list = [user('go'), { role: 'tool', tool_call_id: 'x', content: 'stray' }];
    const compactor = createCompactor<unknown>({ window: 100_000, storage, format: 'openai-chat' });
    const [pointer = ''] = (await compactor.compact(list)).report.pointers;
    hangs = true;
    const first = compactor.restore(pointer, { signal: leave.signal });
    await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
    hangs = false;
    expect(await compactor.restore(pointer)).toMatchObject({ kind: 'message', message: list[1] });
  });
});

describe('an archive for `recall` that hangs', () => {
  const archive = () => {
    let tell: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const add = (): Promise<never> => {
      tell();
      return never();
    };
    return { recall: { add }, asked };
  };

  it('counts as failed after the deadline, in a compaction and on arrival of a result', async () => {
    const { recall } = archive();
    const compactor = createCompactor<Chat>({ ...small, recall, storage: openStorage() });
    const { messages, report } = await compactor.compact(many);
    expect(report).toMatchObject({ action: 'compacted', fits: true, problem: null });
    expect(noticeIn(messages)).not.toContain('recall');
    expect((await compactor.onToolResult({ toolName: 'bash', text: long })).tier).toBe('offload');
  });

  it('ends immediately when the caller aborts', async () => {
    const { recall, asked } = archive();
    const options = { ...small, recall, storage: openStorage(), timeoutMs: 1_000_000 };
    const compactor = createCompactor<Chat>(options);
    const stop = new AbortController();
    const first = compactor.compact(many, { signal: stop.signal });
    await asked;
    stop.abort();
    await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
    const leave = new AbortController();
    const arrived = compactor.onToolResult({ toolName: 'bash', text: long }, { signal: leave.signal });
    setImmediate(() => leave.abort());
    expect(await arrived).toEqual({ text: long, pointer: null, tier: null });
    expect((await compactor.compact(many.slice(0, 4))).report.action).toBe('none');
  });
});
