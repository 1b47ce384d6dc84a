// What object storage can do to a store: faults, lost answers, wrong settings.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Blobs, openBlobs } from '../../src/blobs/index.ts';
import type { ReaderError } from '../../src/contract/index.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';

let server: S3Server;
let blobs: Blobs;
beforeAll(async () => {
  server = await startS3Server();
  blobs = await openBlobs('s3://bucket/p', { environment: server.environment });
});
afterAll(() => server.close());
beforeEach(() => server.reset());

const PART = 8 * 1024 * 1024;
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

async function* zeros(bytes: number): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(1024 * 1024);
  for (let left = bytes; left > 0; left -= piece.length)
    yield piece.subarray(0, Math.min(left, piece.length));
}

async function failure(work: Promise<unknown>): Promise<ReaderError> {
  try {
    await work;
  } catch (error) {
    // Every error of a store is a ReaderError; the expectations that follow fail for any other.
    return error as ReaderError;
  }
  throw new Error('It did not fail.');
}

describe('transient failures', () => {
  test.each([
    ['a busy server', { status: 503, code: 'SlowDown' }],
    ['too many requests', { status: 429, code: 'TooManyRequests', retryAfter: 0 }],
    ['an internal error', { status: 500, code: 'InternalError' }],
    ['a request that timed out', { status: 400, code: 'RequestTimeout' }],
    ['a cut connection', 'cut'],
    ['a lost answer', 'lost'],
  ] as const)('are retried: %s', async (name, fault) => {
    const key = `retried/${name}`;
    server.fail(fault, { times: 2 });
    await blobs.put(key, Buffer.from(name), { ifAbsent: true });
    server.fail(fault, { times: 2 });
    expect(text(await blobs.read(key))).toBe(name);
    expect((await failure(blobs.put(key, Buffer.from('x'), { ifAbsent: true }))).code).toBe('ALREADY_EXISTS');
  });

  test('are reported after five tries', async () => {
    server.fail({ status: 503, code: 'SlowDown' }, { times: 5 });
    expect(await failure(blobs.stat('x'))).toMatchObject({ code: 'BUSY' });
    expect(server.requests).toHaveLength(5);
  });

  test('end when the caller aborts', async () => {
    server.fail('hang');
    const controller = new AbortController();
    const read = failure(blobs.read('x', { signal: controller.signal }));
    await expect.poll(() => server.requests.length).toBe(1);
    controller.abort();
    expect((await read).code).toBe('ABORTED');
  });
});

test('a transfer goes on where its connection was cut', async () => {
  const content = Buffer.alloc(3_000_000, 'abcdefg');
  const { version } = await blobs.put('cut', content);
  server.reset();
  server.fail({ cutAfter: 1_000_000 }, { times: 2 });
  expect(Buffer.compare(await blobs.read('cut', { from: 10 }), content.subarray(10))).toBe(0);
  expect(server.requests.map(({ range }) => range)).toEqual([
    'bytes=10-',
    expect.stringMatching(/^bytes=\d{3,7}-$/),
    expect.stringMatching(/^bytes=\d{7}-$/),
  ]);
  expect(server.sent).toBeLessThan(3_100_000);
  expect(version).toBe((await blobs.stat('cut'))?.version);
});

test('a transfer fails when the object is replaced in between', async () => {
  await blobs.put('swapped', Buffer.alloc(3_000_000, 'a'));
  const transfer = blobs.stream('swapped')[Symbol.asyncIterator]();
  server.fail({ cutAfter: 500_000 }, { when: ({ key }) => key === 'p/swapped' });
  await transfer.next();
  await blobs.put('swapped', Buffer.alloc(3_000_000, 'b'));
  const rest = async (): Promise<void> => {
    while (!(await transfer.next()).done);
  };
  expect((await failure(rest())).code).toBe('CONFLICT');
});

describe('uploads in parts', () => {
  test('survive failed parts and a lost completion', async () => {
    server.fail({ status: 500, code: 'InternalError' }, { when: ({ query }) => query['partNumber'] === '2' });
    server.fail('lost', {
      when: ({ method, query }) => method === 'POST' && query['uploadId'] !== undefined,
    });
    const put = await blobs.put('parts', zeros(3 * PART + 5), { ifAbsent: true });
    expect(await blobs.stat('parts')).toMatchObject({ bytes: 3 * PART + 5, version: put.version });
    expect(server.openUploads).toBe(0);
  });

  test('are aborted on failure', async () => {
    server.fail({ status: 403, code: 'AccessDenied' }, { when: ({ query }) => query['partNumber'] === '2' });
    expect((await failure(blobs.put('aborted', zeros(4 * PART)))).code).toBe('ACCESS_DENIED');
    expect(server.openUploads).toBe(0);
    expect(await blobs.stat('aborted')).toBeUndefined();
  });
});

test('a full storage is reported', async () => {
  server.fail({ status: 507, code: 'XMinioStorageFull' });
  expect((await failure(blobs.put('full', Buffer.from('x')))).code).toBe('QUOTA_EXCEEDED');
});

describe('settings', () => {
  const open = (changed: Record<string, string>, address = 's3://bucket'): Promise<Blobs> =>
    openBlobs(address, { environment: { ...server.environment, ...changed } });

  test('wrong credentials are denied without showing them', async () => {
    const secret = 'wJalrXUtnFEMIexample';
    const wrong = await open({ AWS_SECRET_ACCESS_KEY: secret });
    const error = await failure(wrong.read('x'));
    expect(error).toMatchObject({ code: 'ACCESS_DENIED' });
    expect(`${error.message} ${error.hint}`).toContain('SignatureDoesNotMatch');
    expect(JSON.stringify([error.message, error.hint, String(error.cause), wrong.name])).not.toContain(
      secret,
    );
  });

  test('reports a missing bucket, not a missing blob', async () => {
    const wrong = await open({}, 's3://missing');
    expect((await failure(wrong.read('x'))).code).toBe('ACCESS_DENIED');
  });

  test.each([
    ['s3://'],
    ['s3://a:b@bucket/x'],
    ['s3://bucket/../x'],
    ['s3://bucket/a//b'],
    ['ftp://host/x'],
    [''],
  ])('an address is refused: %s', async (address) => {
    expect((await failure(open({}, address))).code).toBe('BAD_INPUT');
  });

  test.each([
    { AWS_ACCESS_KEY_ID: '' },
    { AWS_SECRET_ACCESS_KEY: '' },
    { AWS_ENDPOINT_URL_S3: 'http://user:pass@host' },
    { AWS_ENDPOINT_URL_S3: 'file:///x' },
    { AWS_ENDPOINT_URL_S3: '', AWS_REGION: 'x.example.com/' },
  ])('an environment is refused: %j', async (changed) => {
    const error = await failure(open(changed as Record<string, string>));
    expect(error.code).toBe('BAD_INPUT');
    expect(error.message).not.toContain('pass');
  });
});
