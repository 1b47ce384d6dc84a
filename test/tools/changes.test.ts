import { expect, it } from 'vitest';
import { inTurn } from '../../src/tools/changes.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';

it('a call that waits for a hung one leaves when it is aborted, and those behind it still wait', async () => {
  // Only the mount is looked at.
  const workspace = { mount: '/workspace' } as Workspace;
  const done: string[] = [];
  let end: () => void = () => undefined;
  const hung = new Promise<void>((resolve) => {
    end = resolve;
  });
  const call = (name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> =>
    inTurn(workspace, 'a.txt', signal, async () => {
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
