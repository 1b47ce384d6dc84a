// Files of conversations in a storage: each has folders of its own, whoever else stores files there.

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

/** A conversation that was compacted, and pointers to its originals. */
interface Used {
  readonly compactor: Compactor<Chat>;
  readonly pointers: readonly string[];
}

async function used(options: HistoryOptions<Chat>, task: string): Promise<Used> {
  const pointers: string[] = [];
  const compactor = createCompactor<Chat>({
    window: 10_000,
    ...options,
    onCompaction: (report) => pointers.push(...report.pointers),
  });
  const list = talk(task);
  for (const end of [20, 40, list.length]) await compactor.compact(list.slice(0, end));
  const { pointer } = await compactor.onToolResult({ toolName: 'bash', text: long });
  if (pointer !== null) pointers.push(pointer);
  const { conversationId } = compactor.state();
  expect(pointers.length).toBeGreaterThan(1);
  for (const one of pointers) expect(one.split('/')[1]).toBe(conversationId);
  return { compactor, pointers };
}

async function restoresAll(compactor: Compactor<Chat>, pointers: readonly string[]): Promise<void> {
  for (const pointer of pointers) expect((await compactor.restore(pointer)).text).not.toBe('');
}

describe.each<readonly [string, () => HistoryStorage]>([
  ['a storage in memory', openStorage],
  ['a workspace', () => workspaceStorage(createWorkspace({ root }))],
])('%s', (_, open) => {
  it('shared by a parent and a sub-agent: each has its own files, and both restore all', async () => {
    const storage = open();
    const parent = await used({ storage }, 'the same task');
    const child = await used({ storage }, 'the same task');
    expect(parent.pointers.filter((pointer) => child.pointers.includes(pointer))).toEqual([]);
    for (const { compactor } of [parent, child])
      for (const { pointers } of [parent, child]) await restoresAll(compactor, pointers);
  });

  it('a restart from a state continues in its folder', async () => {
    const storage = open();
    const first = await used({ storage }, 'a task');
    const state = through(first.compactor.state());
    const again = await used({ storage, state }, 'a task');
    expect(again.compactor.state().conversationId).toBe(state.conversationId);
    await restoresAll(again.compactor, first.pointers);
  });
});

it('files without an owner are restored, and written again under the same names', async () => {
  const storage = openStorage();
  const { report, state } = await compact(talk('a task'), { window: 10_000, storage });
  expect(state.conversationId).toBeNull();
  for (const path of storage.files.keys()) expect(path).toMatch(/^conversation_history\/[0-9a-f]{16}\.\w+$/);
  const compactor = createCompactor<Chat>({ window: 10_000, storage, state: through(state) });
  expect(compactor.state().conversationId).toMatch(/^[a-z0-9]{12}$/);
  await restoresAll(compactor, report.pointers);
  const files = [...storage.files];
  await compact(talk('a task'), { window: 10_000, storage });
  expect([...storage.files]).toEqual(files);
});

it('a function for many conversations gives each its own files', async () => {
  const storage = openStorage();
  const process = createHistoryProcessor<Chat, string>({
    window: 10_000,
    storage,
    optionsFor: (name) => ({ conversationId: `thread-${name}` }),
    conversation: (_, context) => context ?? '',
  });
  for (const name of ['a', 'b', 'c']) await process(talk(`task ${name}`), name);
  const folders = [...storage.files.keys()].map((path) => path.split('/')[1]);
  expect([...new Set(folders)].sort()).toEqual(['thread-a', 'thread-b', 'thread-c']);
});

it.each(['..', 'a/b', '', 'A', '-a', 'a'.repeat(41), 7])('%j is not a conversation id', (conversationId) => {
  // As an untyped caller may pass it.
  const given = conversationId as string;
  expect(() => createCompactor({ conversationId: given })).toThrow(/conversationId/);
  const state = { ...createCompactor().state(), conversationId: given };
  expect(() => createCompactor({ state })).toThrow(/conversationId/);
});

it('two writers of one conversation do not affect each other', async () => {
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
