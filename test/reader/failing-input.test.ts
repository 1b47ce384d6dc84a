// Input that fails while it is read: the error is the caller's, and says nothing of a fault in lectern.

import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createReader, prepareAttachments } from '../../src/index.ts';
import type { ByteStream } from '../../src/reader/source/input.ts';

const reader = createReader({ environment: {} });
const SECRET = 'connect to db://admin:hunter2@10.0.0.1 at /srv/private';

async function* failing(error: unknown): AsyncGenerator<Uint8Array> {
  yield Buffer.from('first');
  throw error;
}

const destroyed = (): Readable => {
  const stream = new Readable({ read: () => undefined });
  stream.push('first');
  setImmediate(() => stream.destroy());
  return stream;
};

const locked = (): ReadableStream<Uint8Array> => {
  const stream = new Blob(['text']).stream();
  stream.getReader();
  return stream;
};

const CASES: readonly (readonly [string, () => ByteStream])[] = [
  ['a generator that throws', () => failing(new Error(SECRET))],
  ['a generator that throws no error', () => failing(SECRET)],
  ['a Node stream that fails', () => Readable.from(failing(new Error(SECRET)))],
  ['a Node stream that is destroyed', destroyed],
  ['a web stream that fails', () => new ReadableStream({ pull: (to) => to.error(new Error(SECRET)) })],
  ['a web stream that another reader holds', locked],
  [
    'an iterable that gives no iterator',
    () => ({
      [Symbol.asyncIterator]: () => {
        throw new Error(SECRET);
      },
    }),
  ],
];

describe.each(CASES)('%s', (_, stream) => {
  it('is BAD_INPUT that names the stream and holds nothing of its error', async () => {
    const result = await reader.read({ name: 'report.csv', stream: stream() });
    expect(result).toMatchObject({
      error: {
        code: 'BAD_INPUT',
        message: expect.stringMatching(/^The stream `report\.csv` failed after [05] bytes/),
      },
    });
    expect(JSON.stringify(result)).not.toMatch(/hunter2|private|fault in lectern/);
  });

  it('is listed as failed among attachments, in the same words', async () => {
    const files = [{ name: 'report.csv', stream: stream() }];
    const prepared = await prepareAttachments(files, { target: 'anthropic', reader });
    expect(JSON.stringify(prepared)).toContain('The stream `report.csv` failed after');
  });
});

it('keeps the error of the stream as the cause', async () => {
  const cause = Object.assign(new Error(SECRET), { code: 'ECONNRESET' });
  const parts = reader.stream({ name: 'a.txt', stream: failing(cause) });
  const error: unknown = await parts[Symbol.asyncIterator]()
    .next()
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'BAD_INPUT', cause });
  expect(String(error)).toContain('failed after 5 bytes (ECONNRESET)');
});

it('is ABORTED when the stream was aborted by its owner', async () => {
  const result = await reader.read({ stream: failing(new DOMException('stopped', 'AbortError')) });
  expect(result).toMatchObject({ error: { code: 'ABORTED' } });
});

it('does not wait for a stream that hangs when the caller gives up', async () => {
  const controller = new AbortController();
  const stream = new Readable({ read: () => undefined });
  setImmediate(() => controller.abort());
  const result = await reader.read({ stream }, { signal: controller.signal });
  expect(result).toMatchObject({ error: { code: 'ABORTED' } });
  expect(stream.destroyed).toBe(true);
});

it('is BAD_INPUT when a Blob cannot be read', async () => {
  class Broken extends Blob {
    override slice(): Blob {
      const blob = new Blob([]);
      blob.arrayBuffer = () => Promise.reject(new DOMException(SECRET, 'NotReadableError'));
      return blob;
    }
  }
  const result = await reader.read({ name: 'a.txt', bytes: new Broken(['text']) });
  expect(result).toMatchObject({
    error: { code: 'BAD_INPUT', message: 'The Blob `a.txt` could not be read.' },
  });
});

it('is BAD_INPUT when `onProgress` throws', async () => {
  const onProgress = (): void => {
    throw new Error(SECRET);
  };
  let now = Date.now();
  const { now: real } = Date;
  Date.now = () => {
    now += 1000;
    return now;
  };
  try {
    const result = await reader.read({ name: 'a.txt', bytes: Buffer.from('text') }, { onProgress });
    expect(result).toMatchObject({ error: { code: 'BAD_INPUT', message: '`onProgress` threw.' } });
  } finally {
    Date.now = real;
  }
});
