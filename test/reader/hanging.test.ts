// Streams and caches of a caller's that never answer.

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ConversionCache } from '../../src/cache/index.ts';
import { createReader } from '../../src/index.ts';

const DOCUMENT = 'fixtures/documents/survey.docx';
const never = (): Promise<never> => new Promise(() => undefined);
afterEach(() => void vi.useRealTimers());

/** Gives `pieces`, then nothing more; `stop` is aborted once it hangs. */
function hangingStream(pieces: readonly string[], stop: AbortController): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const left = [...pieces];
      return {
        next: () => {
          const piece = left.shift();
          if (piece !== undefined) return Promise.resolve({ done: false, value: Buffer.from(piece) });
          queueMicrotask(() => stop.abort());
          return never();
        },
        return: never,
      };
    },
  };
}

describe('a stream that never gives its next piece', () => {
  it.each([[[]], [['a,b\n', '1,2\n']]])('after %j: is left when the caller aborts', async (pieces) => {
    const stop = new AbortController();
    const stream = hangingStream(pieces, stop);
    const read = createReader().read({ name: 'a.csv', stream }, { signal: stop.signal });
    expect(await read).toMatchObject({ success: false, error: { code: 'ABORTED' } });
  });

  it('of the web: too', async () => {
    const stop = new AbortController();
    const stream = new ReadableStream<Uint8Array>({
      pull: () => {
        queueMicrotask(() => stop.abort());
        return never();
      },
    });
    const read = createReader().read({ name: 'a.csv', stream }, { signal: stop.signal });
    expect(await read).toMatchObject({ success: false, error: { code: 'ABORTED' } });
  });
});

describe('a cache', () => {
  const text = async (cache?: ConversionCache): Promise<string> => {
    const result = await createReader({ ...(cache && { cache }) }).read(DOCUMENT);
    if (!result.success) throw new Error(result.error.message);
    return result.text;
  };

  it('that hangs makes one read wait for a while, and the next not at all', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const expected = await text();
    const get = vi.fn(() => {
      queueMicrotask(() => vi.advanceTimersByTime(5000));
      return never();
    });
    const put = vi.fn(never);
    const cache = { get, put };
    expect(await text(cache)).toBe(expected);
    expect(await text(cache)).toBe(expected);
    expect(get).toHaveBeenCalledTimes(1);
    expect(put).not.toHaveBeenCalled();
  });

  it('that hangs is left when the caller aborts', async () => {
    const stop = new AbortController();
    const get = (): Promise<never> => {
      queueMicrotask(() => stop.abort());
      return never();
    };
    const reader = createReader({ cache: { get, put: never } });
    const result = await reader.read(DOCUMENT, { signal: stop.signal });
    expect(result).toMatchObject({ success: false, error: { code: 'ABORTED' } });
  });

  it.each<readonly [string, () => unknown]>([
    ['throws', () => Promise.reject(new Error('down'))],
    [
      'throws at once',
      () => {
        throw new Error('down');
      },
    ],
    ['gives something else', async () => 'text'],
  ])('that %s is no trouble', async (_, answer) => {
    // What a cache in JavaScript may give, whatever its type says.
    const cache = { get: answer, put: answer } as ConversionCache;
    expect(await text(cache)).toBe(await text());
  });
});
