import { expect, test } from 'vitest';
import { createLanes } from '../../src/mcp/lanes.ts';

const never = new AbortController().signal;

/** A work that lasts until it is let go. */
function held(): { work: () => Promise<string>; done: (value: string) => void; begun: () => boolean } {
  let begun = false;
  let done: (value: string) => void = () => undefined;
  const promise = new Promise<string>((resolve) => {
    done = resolve;
  });
  return {
    work: () => {
      begun = true;
      return promise;
    },
    done: (value) => done(value),
    begun: () => begun,
  };
}

test('only so many run at once, the rest in order', async () => {
  const lanes = createLanes(2, 10);
  const works = [held(), held(), held(), held()];
  const runs = works.map(({ work }) => lanes.run(never, work));
  await Promise.resolve();
  expect(works.map(({ begun }) => begun())).toEqual([true, true, false, false]);
  works[1]?.done('b');
  expect(await runs[1]).toBe('b');
  await new Promise(setImmediate);
  expect(works.map(({ begun }) => begun())).toEqual([true, true, true, false]);
  for (const work of works) work.done('x');
  await Promise.all(runs);
  expect(works.every(({ begun }) => begun())).toBe(true);
  expect(await lanes.run(never, async () => 'again')).toBe('again');
});

test('a work that fails makes room', async () => {
  const lanes = createLanes(1, 1);
  await expect(
    lanes.run(never, async () => {
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(await lanes.run(never, async () => 1)).toBe(1);
});

test('who waits and is cancelled never begins; who finds no room to wait is turned away', async () => {
  const lanes = createLanes(1, 1);
  const first = held();
  const running = lanes.run(never, first.work);
  const controller = new AbortController();
  const second = held();
  const waiting = lanes.run(controller.signal, second.work);
  await expect(lanes.run(never, async () => 0)).rejects.toMatchObject({ code: 'BUSY' });
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
  expect(second.begun()).toBe(false);
  const third = lanes.run(never, async () => 3);
  first.done('1');
  expect(await running).toBe('1');
  expect(await third).toBe(3);
});
