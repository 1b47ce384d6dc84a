// Blobs in a bucket of S3-compatible object storage, below a prefix.

import { ReaderError, throwIfAborted } from '../../contract/index.ts';
import type { BlobFacts, BlobRange, Blobs, ListBlobs, PutOptions } from '../blobs.ts';
import { changed, missing } from '../content.ts';
import { checkKey } from '../keys.ts';
import { S3Client } from './client.ts';
import { listObjects } from './listing.ts';
import type { S3Settings } from './settings.ts';
import { upload } from './upload.ts';

/** Attempts to go on after a transfer broke off in the middle. */
const RESUMPTIONS = 5;

export function createS3Blobs(settings: S3Settings): Blobs {
  return new S3Blobs(settings);
}

class S3Blobs implements Blobs {
  readonly name: string;
  readonly #client: S3Client;
  /** Empty, or with a slash at its end. */
  readonly #prefix: string;

  constructor(settings: S3Settings) {
    this.name = `s3://${[settings.bucket, settings.prefix].filter((part) => part !== '').join('/')}`;
    this.#client = new S3Client(settings);
    this.#prefix = settings.prefix === '' ? '' : `${settings.prefix}/`;
  }

  async stat(key: string, signal?: AbortSignal): Promise<BlobFacts | undefined> {
    const { status, headers } = await this.#client.send(
      { method: 'HEAD', key: this.#keyOf(key), signal },
      [200, 404],
    );
    return status === 404 ? undefined : factsOf(key, headers);
  }

  async read(key: string, range: BlobRange = {}): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.stream(key, range)) chunks.push(chunk);
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  }

  /** A transfer that breaks off goes on where it was, in the same version. */
  async *stream(key: string, range: BlobRange = {}): AsyncGenerator<Uint8Array> {
    const { to, signal } = range;
    let { from = 0, version } = range;
    for (let broken = 0; ; ) {
      const transfer = await this.#get(key, { ...range, from, ...(version !== undefined && { version }) });
      if (!transfer) return;
      version ??= transfer.version;
      try {
        for await (const chunk of transfer.chunks) {
          from += chunk.length;
          yield chunk;
        }
        if (from >= transfer.end) return;
        throw new Error('The transfer ended early.');
      } catch (error) {
        if (signal) throwIfAborted(signal);
        broken += 1;
        if (broken > RESUMPTIONS) throw brokenOff(this.name, error);
        await this.#client.pause(broken, signal);
        if (to !== undefined && from >= to) return;
      }
    }
  }

  async put(
    key: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    options: PutOptions = {},
  ): Promise<BlobFacts> {
    const { bytes, version } = await upload(this.#client, this.#keyOf(key), content, options);
    return { key, bytes, modified: new Date(), version };
  }

  async remove(key: string): Promise<boolean> {
    // S3 answers 204 for a free key as well.
    if ((await this.stat(key)) === undefined) return false;
    await this.#client.send({ method: 'DELETE', key: this.#keyOf(key) }, [200, 204, 404]);
    return true;
  }

  async *list(prefix: string, options: ListBlobs = {}): AsyncGenerator<BlobFacts> {
    const { after } = options;
    const found = listObjects(this.#client, `${this.#prefix}${prefix}`, {
      ...options,
      ...(after !== undefined && { after: `${this.#prefix}${after}` }),
    });
    for await (const blob of found) yield { ...blob, key: blob.key.slice(this.#prefix.length) };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #get(
    key: string,
    { from = 0, to, version, signal }: BlobRange,
  ): Promise<
    { readonly chunks: AsyncIterable<Uint8Array>; readonly end: number; readonly version: string } | undefined
  > {
    if (to !== undefined && to <= from) return undefined;
    const answer = await this.#client.send(
      {
        method: 'GET',
        key: this.#keyOf(key),
        headers: {
          ...((from > 0 || to !== undefined) && { range: `bytes=${from}-${to === undefined ? '' : to - 1}` }),
          ...(version !== undefined && { 'if-match': version }),
        },
        signal,
      },
      [200, 206, 404, 412, 416],
    );
    const { status, headers, response } = answer;
    if (status === 404) throw missing(key);
    if (status === 412) throw changed(key);
    // After the last byte, or an empty object.
    if (status === 416 || !response.body) return undefined;
    const length = Number(headers.get('content-length'));
    const start = status === 206 ? from : 0;
    if (start !== from) {
      await response.body.cancel();
      throw new ReaderError(
        'INTERNAL',
        'The storage service does not support ranges.',
        'Use a storage service that does.',
      );
    }
    return { chunks: response.body, end: from + length, version: headers.get('etag') ?? '' };
  }

  #keyOf(key: string): string {
    return `${this.#prefix}${checkKey(key)}`;
  }
}

function factsOf(key: string, headers: Headers): BlobFacts {
  const modified = new Date(headers.get('last-modified') ?? Number.NaN);
  return {
    key,
    bytes: Number(headers.get('content-length') ?? 0),
    modified: Number.isNaN(modified.getTime()) ? new Date(0) : modified,
    version: headers.get('etag') ?? '',
  };
}

const brokenOff = (name: string, cause: unknown): ReaderError =>
  new ReaderError(
    'TIMED_OUT',
    `The transfer from \`${name}\` broke off several times.`,
    'Try again later; check the network.',
    new Error(cause instanceof Error ? cause.name : 'failed'),
  );
