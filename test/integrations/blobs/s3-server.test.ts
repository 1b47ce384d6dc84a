// The S3 server of the tests, checked by the client of AWS: what is tested against it then means something for S3. And
// the client of lectern and that of AWS read what the other wrote.

import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Blobs, openBlobs } from '../../../src/blobs/index.ts';
import { type S3Server, startS3Server } from '../../support/s3-server.ts';

const Bucket = 'bucket';
const PART = 5 * 1024 * 1024;
/** Keys with every character that a signature or a listing may get wrong. */
const KEYS = ['a', 'a/b', 'a b+c%20.txt', "d!*'()~@,;=:&$", 'ü/日本/🙂', 'a/?#[]<>"', 'z'];

let server: S3Server;
let client: S3Client;
let blobs: Blobs;

beforeAll(async () => {
  server = await startS3Server({ pageSize: 3 });
  const { environment } = server;
  client = new S3Client({
    endpoint: server.url,
    forcePathStyle: true,
    region: environment['AWS_REGION'] ?? '',
    maxAttempts: 1,
    credentials: {
      accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] ?? '',
    },
  });
  blobs = await openBlobs(`s3://${Bucket}/shared`, { environment });
});
afterAll(async () => {
  client.destroy();
  await blobs.close();
  await server.close();
});

async function failure(work: Promise<unknown>): Promise<{ readonly name: string; readonly status?: number }> {
  try {
    await work;
  } catch (error) {
    // Every error that the client throws after an answer is one of these; the expectations fail for any other.
    const { name, $metadata } = error as S3ServiceException;
    return {
      name,
      ...($metadata.httpStatusCode !== undefined && { status: $metadata.httpStatusCode }),
    };
  }
  throw new Error('It did not fail.');
}

const put = (Key: string, text: string, conditions: { IfMatch?: string; IfNoneMatch?: string } = {}) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body: Buffer.from(text), ...conditions }));

async function get(Key: string, Range?: string): Promise<string> {
  const { Body } = await client.send(
    new GetObjectCommand({ Bucket, Key, ...(Range !== undefined && { Range }) }),
  );
  return (await Body?.transformToString()) ?? '';
}

async function listed(Prefix: string, options: { Delimiter?: string; StartAfter?: string } = {}) {
  const keys: string[] = [];
  const prefixes: string[] = [];
  let pages = 0;
  for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix, ...options })) {
    pages += 1;
    keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
    prefixes.push(...(page.CommonPrefixes ?? []).map(({ Prefix: common = '' }) => common));
  }
  return { keys, prefixes, pages };
}

describe('objects', () => {
  test.each(KEYS)('stores, states, reads and removes %s', async (name) => {
    const key = `objects/${name}`;
    const stored = await put(key, 'content');
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: key }));
    expect(head).toMatchObject({ ContentLength: 7, ETag: stored.ETag });
    expect(head.LastModified?.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(await get(key)).toBe('content');
    await client.send(new DeleteObjectCommand({ Bucket, Key: key }));
    expect(await failure(get(key))).toEqual({ name: 'NoSuchKey', status: 404 });
  });

  test('gives ranges', async () => {
    await put('ranges', '0123456789');
    expect(await get('ranges', 'bytes=2-4')).toBe('234');
    expect(await get('ranges', 'bytes=7-')).toBe('789');
    expect(await get('ranges', 'bytes=-3')).toBe('789');
    expect(await get('ranges', 'bytes=8-99')).toBe('89');
    expect(await failure(get('ranges', 'bytes=10-'))).toEqual({ name: 'InvalidRange', status: 416 });
    const { ContentRange } = await client.send(
      new GetObjectCommand({ Bucket, Key: 'ranges', Range: 'bytes=2-4' }),
    );
    expect(ContentRange).toBe('bytes 2-4/10');
  });

  test('keeps metadata', async () => {
    await client.send(
      new PutObjectCommand({ Bucket, Key: 'metadata', Body: Buffer.from('-'), Metadata: { mode: 'x 1' } }),
    );
    const { Metadata } = await client.send(new HeadObjectCommand({ Bucket, Key: 'metadata' }));
    expect(Metadata).toEqual({ mode: 'x 1' });
  });

  test('refuses what does not exist, and a wrong secret', async () => {
    expect(await failure(client.send(new HeadObjectCommand({ Bucket, Key: 'none' })))).toEqual({
      name: 'NotFound',
      status: 404,
    });
    expect(await failure(client.send(new HeadBucketCommand({ Bucket: 'none' })))).toMatchObject({
      status: 404,
    });
    const stranger = new S3Client({
      endpoint: server.url,
      forcePathStyle: true,
      region: server.environment['AWS_REGION'] ?? '',
      credentials: { accessKeyId: server.environment['AWS_ACCESS_KEY_ID'] ?? '', secretAccessKey: 'wrong' },
    });
    expect(await failure(stranger.send(new GetObjectCommand({ Bucket, Key: 'ranges' })))).toEqual({
      name: 'SignatureDoesNotMatch',
      status: 403,
    });
    stranger.destroy();
  });
});

describe('conditions', () => {
  const refused = { name: 'PreconditionFailed', status: 412 };

  test('writes a free key once', async () => {
    await put('once', 'first', { IfNoneMatch: '*' });
    expect(await failure(put('once', 'second', { IfNoneMatch: '*' }))).toEqual(refused);
    expect(await get('once')).toBe('first');
  });

  test('replaces only the version that is stored', async () => {
    const { ETag = '' } = await put('version', 'first');
    await put('version', 'second', { IfMatch: ETag });
    expect(await failure(put('version', 'third', { IfMatch: ETag }))).toEqual(refused);
    expect(await failure(put('absent', 'text', { IfMatch: ETag }))).toEqual({
      name: 'NoSuchKey',
      status: 404,
    });
    const read = new GetObjectCommand({ Bucket, Key: 'version', IfMatch: ETag });
    expect(await failure(client.send(read))).toEqual(refused);
  });

  test('lets one of many writers win', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => put('race', String(index), { IfNoneMatch: '*' })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('listing', () => {
  test('goes on over pages, in the order of UTF-8', async () => {
    for (const name of KEYS) await put(`list/${name}`, name);
    const { keys, pages } = await listed('list/');
    const sorted = KEYS.map((name) => `list/${name}`).sort((a, b) =>
      Buffer.compare(Buffer.from(a), Buffer.from(b)),
    );
    expect(keys).toEqual(sorted);
    expect(pages).toBe(3);
    expect((await listed('list/', { StartAfter: sorted[2] ?? '' })).keys).toEqual(sorted.slice(3));
  });

  test('groups by a delimiter', async () => {
    for (const name of ['1', 'x/1', 'x/2', 'y/1', 'z']) await put(`group/${name}`, '');
    const { keys, prefixes } = await listed('group/', { Delimiter: '/' });
    expect(keys).toEqual(['group/1', 'group/z']);
    expect(prefixes).toEqual(['group/x/', 'group/y/']);
  });

  test('is empty for a prefix without keys', async () => {
    expect(await listed('nothing/')).toEqual({ keys: [], prefixes: [], pages: 1 });
  });
});

describe('uploads in parts', () => {
  const body = (size: number, fill: string): Buffer => Buffer.alloc(size, fill);
  const begin = async (Key: string): Promise<string> =>
    (await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))).UploadId ?? '';
  const send = async (Key: string, UploadId: string, PartNumber: number, Body: Buffer) => {
    const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
    return { PartNumber, ETag };
  };
  const complete = (
    Key: string,
    UploadId: string,
    Parts: { PartNumber: number; ETag: string | undefined }[],
  ) =>
    client.send(
      new CompleteMultipartUploadCommand({
        Bucket,
        Key,
        UploadId,
        MultipartUpload: { Parts: Parts.map(({ PartNumber, ETag = '' }) => ({ PartNumber, ETag })) },
        IfNoneMatch: '*',
      }),
    );

  test('joins them, once', async () => {
    const id = await begin('parts');
    const parts = [await send('parts', id, 1, body(PART, 'a')), await send('parts', id, 2, body(3, 'b'))];
    const { ETag } = await complete('parts', id, parts);
    expect(ETag).toMatch(/^"[0-9a-f]{32}-2"$/);
    expect(await get('parts', `bytes=${PART - 2}-`)).toBe('aabbb');
    expect(await failure(complete('parts', id, parts))).toEqual({ name: 'NoSuchUpload', status: 404 });
    const again = await begin('parts');
    const part = await send('parts', again, 1, body(1, 'c'));
    expect(await failure(complete('parts', again, [part]))).toMatchObject({ status: 412 });
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key: 'parts', UploadId: again }));
  });

  test('refuses short parts, wrong order and unknown parts', async () => {
    const id = await begin('wrong');
    const parts = [await send('wrong', id, 1, body(3, 'a')), await send('wrong', id, 2, body(3, 'b'))];
    expect(await failure(complete('wrong', id, parts))).toMatchObject({ name: 'EntityTooSmall' });
    expect(await failure(complete('wrong', id, parts.toReversed()))).toMatchObject({
      name: 'InvalidPartOrder',
    });
    expect(await failure(complete('wrong', id, [{ PartNumber: 3, ETag: '"x"' }]))).toMatchObject({
      name: 'InvalidPart',
    });
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key: 'wrong', UploadId: id }));
    expect(await failure(complete('wrong', id, parts))).toEqual({ name: 'NoSuchUpload', status: 404 });
  });
});

describe('both clients', () => {
  test.each(KEYS)('read %s of the other', async (name) => {
    await put(`shared/theirs/${name}`, 'by AWS');
    expect(Buffer.from(await blobs.read(`theirs/${name}`)).toString()).toBe('by AWS');
    await blobs.put(`ours/${name}`, Buffer.from('by lectern'));
    expect(await get(`shared/ours/${name}`)).toBe('by lectern');
  });

  test('state the same', async () => {
    await put('shared/facts', 'facts');
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'shared/facts' }));
    expect(await blobs.stat('facts')).toMatchObject({ bytes: 5, version: head.ETag });
  });

  test('read long content of lectern, which went up in parts', async () => {
    const content = Buffer.concat([Buffer.alloc(20 * 1024 * 1024, 'x'), Buffer.from('tail')]);
    await blobs.put('long', pieces(content));
    expect(server.openUploads).toBe(0);
    expect(await get('shared/long', 'bytes=-4')).toBe('tail');
    const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket, Key: 'shared/long' }));
    expect(ContentLength).toBe(content.length);
  });
});

async function* pieces(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 1024 * 1024) yield content.subarray(at, at + 1024 * 1024);
}
