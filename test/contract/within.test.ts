import { afterEach, describe, expect, it, vi } from 'vitest';
import { piecesWithin, within } from '../../src/contract/index.ts';

const never = (): Promise<never> => new Promise(() => undefined);
afterEach(() => void vi.useRealTimers());

describe('within', () => {
  it('gives what the work gives, throws what it throws, and leaves no timer or listener', async () => {
    vi.useFakeTimers();
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const patience = { signal, timeoutMs: 1000 };
    expect(await within(async () => 1, patience)).toBe(1);
    expect(await within(() => 2, patience)).toBe(2);
    const failing = [
      () => Promise.reject(new Error('later')),
      () => {
        throw new Error('at once');
      },
    ];
    for (const work of failing) await expect(within(work, patience)).rejects.toThrow(/later|at once/);
    expect(vi.getTimerCount()).toBe(0);
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length);
  });

  it('listens once to a signal that many wait for, and ends them all', async () => {
    const stop = new AbortController();
    const added = vi.spyOn(stop.signal, 'addEventListener');
    const waiting = Array.from({ length: 20 }, () => within(never, { signal: stop.signal }));
    expect(await within(() => 1, { signal: stop.signal })).toBe(1);
    expect(added).toHaveBeenCalledTimes(1);
    stop.abort('gone');
    const ended = await Promise.allSettled(waiting);
    expect(ended.map((end) => end.status === 'rejected' && end.reason)).toEqual(Array(20).fill('gone'));
  });

  it('ends after the deadline', async () => {
    vi.useFakeTimers();
    const late = expect(within(never, { timeoutMs: 1000 })).rejects.toMatchObject({ code: 'TIMED_OUT' });
    vi.advanceTimersByTime(1000);
    await late;
  });

  it('ends with the reason of an abort, and clears its timer', async () => {
    vi.useFakeTimers();
    const stop = new AbortController();
    const waiting = within(never, { signal: stop.signal, timeoutMs: 1000 });
    stop.abort('gone');
    await expect(waiting).rejects.toBe('gone');
    expect(vi.getTimerCount()).toBe(0);
    const work = vi.fn();
    await expect(within(work, { signal: stop.signal })).rejects.toBe('gone');
    expect(work).not.toHaveBeenCalled();
  });
});

describe('pieces', () => {
  it('of a stream that ends, fails, or is left', async () => {
    const left = vi.fn();
    async function* three(): AsyncGenerator<number> {
      try {
        yield* [1, 2, 3];
      } finally {
        left();
      }
    }
    const pieces: number[] = [];
    for await (const piece of piecesWithin(three(), undefined)) pieces.push(piece);
    expect(pieces).toEqual([1, 2, 3]);
    for await (const piece of piecesWithin(three(), undefined)) if (piece === 2) break;
    await Promise.resolve();
    expect(left).toHaveBeenCalledTimes(2);
  });

  it('of a stream that hangs, and hangs when it is told to end', async () => {
    const stop = new AbortController();
    const stream = { [Symbol.asyncIterator]: () => ({ next: never, return: vi.fn(never) }) };
    const first = piecesWithin(stream, stop.signal).next();
    stop.abort('gone');
    await expect(first).rejects.toBe('gone');
  });
});
