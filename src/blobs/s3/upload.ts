// Stores one object: in one request if it is short, in parts otherwise. Memory is bounded by a few parts.

import { randomBytes } from 'node:crypto';
import { ReaderError } from '../../contract/index.ts';
import type { BlobFacts, PutOptions } from '../blobs.ts';
import { blobChanged, keyTaken, throwIfCancelled } from '../failure.ts';
import { codeIn, S3Refusal } from './refusal.ts';
import { drain, type S3Client, type S3Response } from './request.ts';

const PART_BYTES = 8 * 1024 * 1024;
/** S3 allows 10 000 parts. Every thousand, they grow by 8 MiB, so that 430 GiB fit. */
const GROW_EVERY = 1000;
const MAX_PARTS = 10_000;
const IN_FLIGHT = 3;
const MAX_ANSWER_BYTES = 64 * 1024;
const FIRST_BUFFER_BYTES = 64 * 1024;

/** Marks an object with the put that stored it, to recognise it when the answer was lost. */
const MARK = 'x-amz-meta-lectern-put';

interface Target {
  readonly client: S3Client;
  readonly key: string;
  readonly path: string;
}

export async function putObject(
  target: Target,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  options: PutOptions,
): Promise<BlobFacts> {
  const mark = randomBytes(12).toString('hex');
  const parts = partsOf(content, options.signal);
  const first = await parts.next();
  const start = first.done ? new Uint8Array() : first.value;
  const second = first.done ? first : await parts.next();
  if (second.done) return await putWhole(target, start, mark, options);
  return await putParts(target, [start, second.value], parts, mark, options);
}

function conditions({ ifAbsent, ifVersion }: PutOptions): Record<string, string> {
  return {
    ...(ifAbsent && { 'if-none-match': '*' }),
    ...(ifVersion !== undefined && { 'if-match': ifVersion }),
  };
}

async function putWhole(
  target: Target,
  body: Uint8Array,
  mark: string,
  options: PutOptions,
): Promise<BlobFacts> {
  const response = await target.client.send({
    method: 'PUT',
    path: target.path,
    headers: { ...conditions(options), [MARK]: mark },
    body,
    signal: options.signal,
  });
  await drain(response);
  return await stored(target, response, body.length, mark, options);
}

/** What was stored, or why not. */
async function stored(
  { client, key, path }: Target,
  response: S3Response,
  bytes: number,
  mark: string,
  options: PutOptions,
  etag = response.headers.get('etag'),
): Promise<BlobFacts> {
  if (response.status < 300 && etag) {
    const date = new Date(response.headers.get('date') ?? '');
    return { key, bytes, modified: Number.isNaN(date.getTime()) ? new Date() : date, version: etag };
  }
  if (response.repeated) {
    // An earlier try may have stored it and lost the answer.
    const found = await client.send({ method: 'HEAD', path, signal: options.signal });
    await drain(found);
    const version = found.headers.get('etag');
    if (found.status === 200 && version && found.headers.get(MARK) === mark)
      return { key, bytes, modified: new Date(found.headers.get('last-modified') ?? 0), version };
  }
  if (options.ifAbsent && [409, 412].includes(response.status)) throw keyTaken(key);
  // A missing key has no version, which is answered with 404.
  if (options.ifVersion !== undefined && [404, 409, 412].includes(response.status)) throw blobChanged(key);
  throw new ReaderError(
    'INTERNAL',
    `The object storage answered a write with status ${response.status}.`,
    'Try again, then check the storage.',
  );
}

async function putParts(
  target: Target,
  first: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array>,
  mark: string,
  options: PutOptions,
): Promise<BlobFacts> {
  const { client, path } = target;
  const { signal } = options;
  const created = await client.send({
    method: 'POST',
    path,
    query: { uploads: '' },
    headers: { [MARK]: mark },
    signal,
  });
  const uploadId = unescaped(/<UploadId>([^<]{1,2048})<\/UploadId>/.exec(await textOf(created))?.[1] ?? '');
  if (created.status !== 200 || uploadId === '') throw strange(created);
  const inFlight = new Set<Promise<void>>();
  try {
    const tags: string[] = [];
    let bytes = 0;
    let failed: { readonly error: unknown } | undefined;
    for await (const part of following(first, rest)) {
      throwIfCancelled(signal);
      const number = tags.length + 1;
      if (number > MAX_PARTS)
        throw new ReaderError(
          'LIMIT_EXCEEDED',
          `The content has more than ${bytes} bytes, which do not fit into one object.`,
          'Store it as several files.',
        );
      tags.push('');
      bytes += part.length;
      const sent = sendPart(target, uploadId, number, part, signal)
        .then((tag) => {
          tags[number - 1] = tag;
        })
        .catch((error: unknown) => {
          failed ??= { error };
        })
        .finally(() => inFlight.delete(sent));
      inFlight.add(sent);
      if (inFlight.size >= IN_FLIGHT) await Promise.race(inFlight);
      if (failed) throw failed.error;
    }
    await Promise.all(inFlight);
    if (failed) throw failed.error;
    return await complete(target, uploadId, tags, bytes, mark, options);
  } catch (error) {
    await Promise.all(inFlight);
    await abort(target, uploadId);
    throw error;
  }
}

async function sendPart(
  { client, path }: Target,
  uploadId: string,
  number: number,
  body: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<string> {
  const response = await client.send({
    method: 'PUT',
    path,
    query: { partNumber: String(number), uploadId },
    body,
    signal,
  });
  await drain(response);
  const etag = response.headers.get('etag');
  if (response.status !== 200 || !etag) throw strange(response);
  return etag;
}

/** The answer can be 200 and still report an error in its body. */
async function complete(
  target: Target,
  uploadId: string,
  tags: readonly string[],
  bytes: number,
  mark: string,
  options: PutOptions,
): Promise<BlobFacts> {
  const parts = tags.map(
    (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
  );
  const response = await target.client.send({
    method: 'POST',
    path: target.path,
    query: { uploadId },
    headers: { ...conditions(options), 'content-type': 'application/xml' },
    body: Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`),
    signal: options.signal,
  });
  let text: string;
  try {
    text = await textOf(response);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    return await stored(target, { ...response, status: 500, repeated: true }, bytes, mark, options, null);
  }
  const code = /<Error[\s>]/.test(text) ? codeIn(text) : '';
  const etag = unescaped(/<ETag>([^<]{1,256})<\/ETag>/.exec(text)?.[1] ?? '');
  if (code === 'PreconditionFailed')
    return await stored(target, { ...response, status: 412 }, bytes, mark, options, null);
  if (response.status === 200 && (code !== '' || etag === '')) throw strange(response);
  return await stored(target, response, bytes, mark, options, etag);
}

/** Parts of an upload that is not completed are stored, and paid for, until it is aborted. */
async function abort({ client, path }: Target, uploadId: string): Promise<void> {
  try {
    await drain(await client.send({ method: 'DELETE', path, query: { uploadId } }));
  } catch {
    // The error that led here is the one to report; a lifecycle rule of the bucket removes what stays.
  }
}

async function* following(
  first: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** Content in parts of the required size; only the last is shorter. Nothing for empty content. */
async function* partsOf(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  let number = 0;
  const sizeOf = (): number => PART_BYTES * (1 + Math.floor(number / GROW_EVERY));
  if (content instanceof Uint8Array) {
    for (let at = 0; at < content.length; number += 1) {
      const size = sizeOf();
      yield content.subarray(at, at + size);
      at += size;
    }
    return;
  }
  // Grows with the content, so that many short pieces and short contents both take little memory.
  let part = Buffer.allocUnsafeSlow(FIRST_BUFFER_BYTES);
  let held = 0;
  for await (const piece of content) {
    throwIfCancelled(signal);
    for (let at = 0; at < piece.length; ) {
      const size = sizeOf();
      const taken = piece.subarray(at, at + size - held);
      if (held + taken.length > part.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(size, Math.max(held + taken.length, 2 * part.length)));
        part.copy(larger, 0, 0, held);
        part = larger;
      }
      part.set(taken, held);
      at += taken.length;
      held += taken.length;
      if (held < size) continue;
      yield part;
      number += 1;
      part = Buffer.allocUnsafeSlow(sizeOf());
      held = 0;
    }
  }
  if (held > 0) yield part.subarray(0, held);
}

async function textOf(response: S3Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of response.body()) {
      bytes += piece.length;
      if (bytes > MAX_ANSWER_BYTES) break;
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof S3Refusal ? error.error : error;
  }
  return Buffer.concat(pieces).toString('utf8');
}

function strange({ status }: S3Response): ReaderError {
  return new ReaderError(
    'INTERNAL',
    `The object storage did not accept an upload (status ${status}).`,
    'Try again, then check the storage.',
  );
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const unescaped = (text: string): string =>
  text
    .replace(/&quot;|&#34;|&#x22;/g, '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
