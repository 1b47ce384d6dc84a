// Uploads: one request for short content, parts of bounded memory for long or streamed content.

import { randomUUID } from 'node:crypto';
import { ReaderError } from '../../contract/index.ts';
import type { PutOptions } from '../blobs.ts';
import { changed, chunksOf, taken } from '../content.ts';
import { type S3Answer, type S3Client, textOf } from './client.ts';
import { element } from './xml.ts';

/** A part has at least 5 MiB, and an upload at most 10 000 parts: later parts are larger, up to 5 TB in total. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_OF_A_SIZE = 1000;

/** Tells a repeated request that the object it finds is its own. */
const TOKEN = 'x-amz-meta-lectern-put';

/** Stores `content` under `key`, and returns its ETag and size. @throws as `Blobs.put` */
export async function upload(
  client: S3Client,
  key: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  options: PutOptions,
): Promise<{ readonly bytes: number; readonly version: string }> {
  const parts = partsOf(content, options.signal);
  const first = (await parts.next()).value ?? new Uint8Array(0);
  if (first.length < PART_BYTES) return uploadWhole(client, key, first, options);
  return uploadParts(client, key, prepended(first, parts), options);
}

async function uploadWhole(
  client: S3Client,
  key: string,
  body: Uint8Array,
  options: PutOptions,
): Promise<{ readonly bytes: number; readonly version: string }> {
  const token = randomUUID();
  const answer = await client.send(
    {
      method: 'PUT',
      key,
      body,
      headers: { ...conditionOf(options), [TOKEN]: token },
      signal: options.signal,
    },
    [200, 404, 409, 412],
  );
  return { bytes: body.length, version: await settled(client, key, answer, options, token) };
}

async function uploadParts(
  client: S3Client,
  key: string,
  parts: AsyncIterable<Uint8Array>,
  options: PutOptions,
): Promise<{ readonly bytes: number; readonly version: string }> {
  const { signal } = options;
  const token = randomUUID();
  const { response } = await client.send(
    { method: 'POST', key, query: { uploads: '' }, headers: { [TOKEN]: token }, signal },
    [200],
  );
  const uploadId = element(await textOf(response), 'UploadId');
  if (uploadId === undefined) throw unexpected('an upload without an id');
  try {
    const etags: string[] = [];
    let bytes = 0;
    for await (const body of parts) {
      const query = { partNumber: String(etags.length + 1), uploadId };
      const { headers } = await client.send({ method: 'PUT', key, query, body, signal }, [200]);
      etags.push(headers.get('etag') ?? '');
      bytes += body.length;
    }
    const answer = await client.send(
      {
        method: 'POST',
        key,
        query: { uploadId },
        headers: { ...conditionOf(options), 'content-type': 'application/xml' },
        body: Buffer.from(completionOf(etags)),
        signal,
      },
      [200, 404, 409, 412],
    );
    return { bytes, version: await settled(client, key, answer, options, token) };
  } catch (error) {
    // Parts that stay behind cost money until the lifecycle rule of the bucket removes them.
    await client.send({ method: 'DELETE', key, query: { uploadId } }, [204, 200, 404]).catch(() => undefined);
    throw error;
  }
}

/** The version that was stored. @throws {ReaderError} ALREADY_EXISTS, CONFLICT, INTERNAL */
async function settled(
  client: S3Client,
  key: string,
  { status, headers, response, repeated }: S3Answer,
  options: PutOptions,
  token: string,
): Promise<string> {
  const text = await textOf(response);
  // CompleteMultipartUpload may fail after its status was sent.
  const version = status === 200 ? (headers.get('etag') ?? element(text, 'ETag')) : undefined;
  if (version !== undefined) return version;
  if (repeated || status === 200) {
    const stored = await client.send({ method: 'HEAD', key, signal: options.signal }, [200, 404]);
    const own = stored.headers.get('etag');
    if (own !== null && stored.headers.get(TOKEN) === token) return own;
  }
  if (status === 200) throw unexpected(`the error ${element(text, 'Code') ?? 'without a code'}`);
  if (options.ifAbsent === true) throw taken(key);
  throw changed(key);
}

function conditionOf({ ifAbsent, ifVersion }: PutOptions): Readonly<Record<string, string>> {
  if (ifVersion !== undefined) return { 'if-match': ifVersion };
  return ifAbsent === true ? { 'if-none-match': '*' } : {};
}

/** Joins small chunks and splits large ones. Each part is owned by the caller. */
async function* partsOf(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, undefined> {
  let part = Buffer.alloc(0);
  let filled = 0;
  let count = 0;
  for await (const chunk of chunksOf(content, signal)) {
    for (let at = 0; at < chunk.length; ) {
      const size = PART_BYTES * 2 ** Math.floor(count / PARTS_OF_A_SIZE);
      if (filled === part.length) {
        // Short content never takes the memory of a part.
        const grown = Buffer.allocUnsafe(Math.min(size, Math.max(64 * 1024, part.length * 4, chunk.length)));
        part.copy(grown, 0, 0, filled);
        part = grown;
      }
      const taking = Math.min(chunk.length - at, part.length - filled);
      part.set(chunk.subarray(at, at + taking), filled);
      filled += taking;
      at += taking;
      if (filled < size) continue;
      yield part;
      count += 1;
      part = Buffer.alloc(0);
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
  return undefined;
}

async function* prepended(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

const completionOf = (etags: readonly string[]): string =>
  `<CompleteMultipartUpload>${etags
    .map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${xmlText(etag)}</ETag></Part>`)
    .join('')}</CompleteMultipartUpload>`;

const xmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const unexpected = (found: string): ReaderError =>
  new ReaderError(
    'INTERNAL',
    `The storage service answered with ${found}.`,
    'Try again; if it stays, report it to the operator of the storage service.',
  );
