import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createReader, createWorkspace } from '../../src/index.ts';
import { inTurn } from '../../src/tools/changes.ts';
import { createTools } from '../../src/tools/index.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';

it('a call that waits for a hung one leaves when it is aborted, and those behind it still wait', async () => {
  // Only its identity matters.
  const workspace = {} as Workspace;
  const done: string[] = [];
  let end: () => void = () => undefined;
  const hung = new Promise<void>((resolve) => {
    end = resolve;
  });
  const call = (name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> =>
    inTurn(workspace, signal, async () => {
      await work();
      done.push(name);
    });
  const stop = new AbortController();
  const { signal } = new AbortController();
  const first = call('first', signal, () => hung);
  const second = call('second', stop.signal, async () => undefined);
  const third = call('third', signal, async () => undefined);
  stop.abort();
  await expect(second).rejects.toMatchObject({ code: 'ABORTED' });
  expect(done).toEqual([]);
  end();
  await Promise.all([first, third]);
  expect(done).toEqual(['first', 'third']);
});

it('a call waits for those before it also where their paths take longer to look up', async () => {
  const root = mkdtempSync(join(tmpdir(), 'lectern-changes-'));
  const workspace = createWorkspace({ root }, { environment: {} });
  const slow: Workspace = {
    ...workspace,
    kind: async (path) => {
      if (path === 'new/a.txt') for (let turn = 0; turn < 50_000; turn += 1) await setImmediate();
      return workspace.kind(path);
    },
  };
  const tools = createTools({ reader: createReader({ workspace: slow, environment: {} }) });
  const run = (name: string, args: object) => tools.find((tool) => tool.name === name)?.run(args);
  const answers = await Promise.all([
    run('write_file', { path: 'new/a.txt', content: 'one' }),
    run('edit_file', { path: './new/a.txt', old_text: 'one', new_text: 'two' }),
  ]);
  expect(answers.map((answer) => answer?.isError)).toEqual([false, false]);
  expect(readFileSync(join(root, 'new/a.txt'), 'utf8')).toBe('two');
  rmSync(root, { recursive: true });
});
