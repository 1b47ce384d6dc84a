// Ownership of files in a storage: every conversation prunes only its own, whoever else stores files there.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Compactor,
  compact,
  createCompactor,
  createHistoryProcessor,
  type HistoryOptions,
  type HistoryState,
  type HistoryStorage,
  workspaceStorage,
} from '../../src/history/index.ts';
import { createWorkspace } from '../../src/index.ts';
import { type Chat, log, openStorage, steps, system, user } from '../support/chat.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lectern-ownership-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const talk = (task: string): Chat[] => [system('You are an engineer.'), user(task), ...steps(30, 800)];
const long = log(25_000, 9);
const through = (state: HistoryState): HistoryState => JSON.parse(JSON.stringify(state));

async function used(options: HistoryOptions<Chat>, task: string): Promise<Compactor<Chat>> {
  const compactor = createCompactor<Chat>({ window: 10_000, ...options });
  const list = talk(task);
  for (const end of [20, 40, list.length]) await compactor.compact(list.slice(0, end));
  await compactor.onToolResult({ toolName: 'bash', text: long });
  expect(compactor.state().files.length).toBeGreaterThan(1);
  return compactor;
}

async function restoresAll(compactor: Compactor<Chat>): Promise<void> {
  for (const path of compactor.state().files) expect((await compactor.restore(path)).text).not.toBe('');
}

describe.each<readonly [string, () => HistoryStorage]>([
  ['a storage in memory', openStorage],
  ['a workspace', () => workspaceStorage(createWorkspace({ root }))],
])('%s', (_, open) => {
  it('shared by a parent and a sub-agent: neither prunes the other, even with the same messages', async () => {
    const storage = open();
    const parent = await used({ storage }, 'the same task');
    const child = await used({ storage }, 'the same task');
    expect(await parent.prune()).toEqual([]);
    expect(await child.prune()).toEqual([]);
    await restoresAll(parent);
    await restoresAll(child);
    const [pointer = ''] = child.state().files;
    expect((await parent.restore(pointer)).text).not.toBe('');
  });

  it('a restart from a state continues as the owner', async () => {
    const storage = open();
    const state = through((await used({ storage }, 'a task')).state());
    const again = await used({ storage, state }, 'a task');
    expect(again.state().conversationId).toBe(state.conversationId);
    const unnamed = `conversation_history/${state.conversationId}/0123456789abcdef.md`;
    await storage.write(unnamed, 'left by a call that was cut short');
    expect(await again.prune()).toEqual([unnamed]);
    await restoresAll(again);
  });

  it('a conversation whose state is lost keeps its files until its id is used', async () => {
    const storage = open();
    const lost = await used({ storage }, 'a task');
    const { conversationId } = lost.state();
    const other = await used({ storage }, 'another task');
    expect(await other.prune()).toEqual([]);
    expect(await createCompactor<Chat>({ storage }).prune()).toEqual([]);
    await restoresAll(lost);
    const removed = await createCompactor<Chat>({ storage, conversationId: conversationId ?? '' }).prune();
    expect(removed.length).toBeGreaterThan(2);
    for (const path of removed) expect(path.split('/')[1]).toBe(conversationId);
    await restoresAll(other);
  });
});

it('a restart from an earlier state keeps what the list references, directly and indirectly', async () => {
  const storage = openStorage();
  const first = createCompactor<Chat>({ window: 10_000, storage });
  const list = await first.compact(talk('a task'));
  const state = through(first.state());
  const second = await first.compact([...list.messages, ...steps(30, 800, 60)]);
  const third = await first.compact([...second.messages, ...steps(30, 800, 120)]);
  const again = createCompactor<Chat>({ window: 10_000, storage, state });
  await again.compact(third.messages);
  await again.prune();
  await restoresAll(first);
  const { conversationId } = state;
  const lost = createCompactor<Chat>({ window: 10_000, storage, conversationId: conversationId ?? '' });
  await lost.compact(third.messages);
  await lost.prune();
  await restoresAll(first);
});

it('files without an owner are restored and never pruned', async () => {
  const storage = openStorage();
  const { report, state } = await compact(talk('a task'), { window: 10_000, storage });
  expect(state.conversationId).toBeNull();
  for (const path of storage.files.keys()) expect(path).toMatch(/^conversation_history\/[0-9a-f]{16}\.\w+$/);
  const compactor = createCompactor<Chat>({ window: 10_000, storage, state: through(state) });
  expect(compactor.state().conversationId).toMatch(/^[a-z0-9]{12}$/);
  expect(await compactor.prune()).toEqual([]);
  for (const pointer of report.pointers) expect((await compactor.restore(pointer)).text).not.toBe('');
  const files = [...storage.files];
  await compact(talk('a task'), { window: 10_000, storage });
  expect([...storage.files]).toEqual(files);
});

it('a second conversation from one state has its own files under its own id', async () => {
  const storage = openStorage();
  const first = await used({ storage }, 'a task');
  const fork = createCompactor<Chat>({
    window: 10_000,
    storage,
    state: through(first.state()),
    conversationId: 'fork-2',
  });
  await first.compact([...talk('a task'), ...steps(30, 800, 60)]);
  expect(await fork.prune()).toEqual([]);
  await restoresAll(first);
});

it('a function for many conversations gives each its own files', async () => {
  const storage = openStorage();
  const state = through((await used({ storage }, 'task a')).state());
  const process = createHistoryProcessor<Chat, string>({
    window: 10_000,
    storage,
    state,
    conversation: (_, context) => context ?? '',
  });
  const ids: (string | null)[] = [];
  for (const name of ['a', 'b', 'c']) {
    await process(talk(`task ${name}`), name);
    ids.push(process.compactor(name).state().conversationId);
  }
  expect(ids[0]).toBe(state.conversationId);
  expect(new Set(ids).size).toBe(3);
  for (const name of ['a', 'b', 'c']) expect(await process.compactor(name).prune()).toEqual([]);
  for (const name of ['a', 'b', 'c']) await restoresAll(process.compactor(name));
});

it.each(['..', 'a/b', '', 'A', '-a', 'a'.repeat(41), 7])('%j is not a conversation id', (conversationId) => {
  // As an untyped caller may pass it.
  const given = conversationId as string;
  expect(() => createCompactor({ conversationId: given })).toThrow(/conversationId/);
  const state = { ...createCompactor().state(), conversationId: given };
  expect(() => createCompactor({ state })).toThrow(/conversationId/);
});

it('prune waits for results being written, and removes none of them', async () => {
  const storage = openStorage();
  const compactor = createCompactor<Chat>({ window: 10_000, storage });
  const [, arrived, removed, later] = await Promise.all([
    compactor.compact(talk('a task')),
    compactor.onToolResult({ toolName: 'bash', text: long }),
    compactor.prune(),
    compactor.onToolResult({ toolName: 'bash', text: `${long} again` }),
  ]);
  expect(removed).toEqual([]);
  for (const { pointer } of [arrived, later]) expect(pointer).not.toBeNull();
  await restoresAll(compactor);
});

it('two writers of one conversation do not affect each other until one prunes', async () => {
  const storage = openStorage();
  const writers = ['a', 'b'].map((task) => ({
    task,
    compactor: createCompactor<Chat>({ window: 10_000, storage, conversationId: 'thread-1' }),
    pointers: [] as string[],
  }));
  for (const from of [1, 31, 61])
    await Promise.all(
      writers.map(async ({ task, compactor, pointers }) => {
        const list = [user(`task ${task}`), ...steps(30 + from, 800)];
        pointers.push(...(await compactor.compact(list)).report.pointers);
      }),
    );
  for (const { compactor, pointers } of writers) {
    expect(pointers.length).toBeGreaterThan(20);
    for (const pointer of pointers) expect((await compactor.restore(pointer)).text).not.toBe('');
  }
});
