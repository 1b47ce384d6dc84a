// Blobs in a bucket of S3-compatible object storage.

import { type Environment, ReaderError } from '../../contract/index.ts';
import type { BlobFacts, BlobRange, Blobs, ListBlobs, PutOptions } from '../blobs.ts';
import { blobChanged, noBlob, throwIfCancelled } from '../failure.ts';
import { checkKey, isKey } from '../keys.ts';
import { readWhole } from '../whole.ts';
import { parseListing } from './listing.ts';
import { S3Refusal } from './refusal.ts';
import { drain, S3Client, type S3Response } from './request.ts';
import { type S3Settings, s3Settings } from './settings.ts';
import { putObject } from './upload.ts';

/** A page of a listing has at most 1000 keys of 1024 bytes, tripled by their encoding, and 500 bytes of facts each. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** How often a transfer goes on where its connection was lost without a single byte in between. */
const RESUMES = 4;

/** @throws {ReaderError} BAD_INPUT for the address or the environment */
export function createS3Blobs(address: string, environment: Environment): Blobs {
  return new S3Blobs(s3Settings(address, environment));
}

class S3Blobs implements Blobs {
  readonly name: string;
  readonly #prefix: string;
  readonly #client: S3Client;

  constructor(settings: S3Settings) {
    this.name = `s3://${settings.bucket}/${settings.prefix}`.replace(/\/$/, '');
    this.#prefix = settings.prefix;
    this.#client = new S3Client(settings);
  }

  async stat(key: string, signal?: AbortSignal): Promise<BlobFacts | undefined> {
    checkKey(key);
    const response = await this.#client.send({ method: 'HEAD', path: this.#path(key), signal });
    await drain(response);
    if (response.status === 404) return undefined;
    return { key, bytes: lengthOf(response), modified: modifiedOf(response), version: versionIn(response) };
  }

  read(key: string, range: BlobRange = {}): Promise<Uint8Array> {
    return readWhole(this, key, range);
  }

  async *stream(key: string, range: BlobRange = {}): AsyncGenerator<Uint8Array> {
    checkKey(key);
    const { from = 0, to, signal } = range;
    throwIfCancelled(signal);
    if (to !== undefined && to <= from) return await this.#checkVersion(key, range);
    let version = range.version;
    let at = from;
    for (let failures = 0; to === undefined || at < to; ) {
      const response = await this.#get(key, at, to, version, signal);
      if (!response) return;
      version ??= versionIn(response);
      const expected = lengthOf(response);
      const start = at;
      try {
        for await (const piece of response.body()) {
          at += piece.length;
          failures = 0;
          yield piece;
        }
        if (at - start < expected) throw cutShort();
        return;
      } catch (error) {
        if (!(error instanceof S3Refusal) || !error.transient) throw error;
        failures += 1;
        if (failures > RESUMES) throw error.error;
      }
    }
  }

  async put(
    key: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    options: PutOptions = {},
  ): Promise<BlobFacts> {
    checkKey(key);
    throwIfCancelled(options.signal);
    return await putObject({ client: this.#client, key, path: this.#path(key) }, content, options);
  }

  async remove(key: string, { ifVersion }: { readonly ifVersion?: string } = {}): Promise<boolean> {
    const facts = await this.stat(key);
    if (!facts) return false;
    if (ifVersion !== undefined && facts.version !== ifVersion) throw blobChanged(key);
    const response = await this.#client.send({
      method: 'DELETE',
      path: this.#path(key),
      headers: ifVersion === undefined ? {} : { 'if-match': ifVersion },
    });
    await drain(response);
    if ([409, 412].includes(response.status) && !response.repeated) throw blobChanged(key);
    return response.status < 300 || response.repeated;
  }

  async *list(prefix: string, { after, onSkipped, signal }: ListBlobs = {}): AsyncGenerator<BlobFacts> {
    let token: string | undefined;
    do {
      const response = await this.#client.send({
        method: 'GET',
        query: {
          'list-type': '2',
          'encoding-type': 'url',
          prefix: this.#path(prefix),
          ...(token !== undefined
            ? { 'continuation-token': token }
            : after !== undefined && after !== '' && { 'start-after': this.#path(after) }),
        },
        signal,
      });
      const page = await parseListing((await collect(response, MAX_PAGE_BYTES)).toString('utf8'));
      for (const { key, bytes, modified, etag } of page.objects) {
        throwIfCancelled(signal);
        const own = key.startsWith(this.#prefix) ? key.slice(this.#prefix.length) : '';
        // A bucket may hold names of other programs that are no keys.
        if (isKey(own)) yield { key: own, bytes, modified, version: etag };
        else if (!isFolderMarker(own, bytes)) onSkipped?.(own, 'name');
      }
      if (page.next !== undefined && page.next === token) throw cutShort().error;
      token = page.next;
    } while (token !== undefined);
  }

  async isEmpty(signal?: AbortSignal): Promise<boolean> {
    const response = await this.#client.send({
      method: 'GET',
      query: { 'list-type': '2', 'encoding-type': 'url', 'max-keys': '1', prefix: this.#prefix },
      signal,
    });
    const page = await parseListing((await collect(response, MAX_PAGE_BYTES)).toString('utf8'));
    return page.objects.length === 0;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #path(key: string): string {
    return `${this.#prefix}${key}`;
  }

  /** Undefined if the range starts at or after the end. */
  async #get(
    key: string,
    from: number,
    to: number | undefined,
    version: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<S3Response | undefined> {
    const whole = from === 0 && to === undefined;
    const response = await this.#client.send({
      method: 'GET',
      path: this.#path(key),
      headers: {
        ...(!whole && { range: `bytes=${from}-${to === undefined ? '' : to - 1}` }),
        ...(version !== undefined && { 'if-match': version }),
      },
      signal,
    });
    const { status } = response;
    if (status === (whole ? 200 : 206)) {
      if (version === undefined || versionIn(response) === version) return response;
      await drain(response, 'unread');
      throw blobChanged(key);
    }
    await drain(response, 'unread');
    if (status === 404) throw noBlob(key);
    if (status === 412) throw blobChanged(key);
    // Some servers answer so before they compare the version.
    if (status === 416)
      return void (await this.#checkVersion(key, { ...(version !== undefined && { version }) }));
    throw new ReaderError(
      'INTERNAL',
      `The object storage answered a request for a range with status ${status}.`,
      'Check that it supports ranges.',
    );
  }

  async #checkVersion(key: string, { version, signal }: BlobRange): Promise<void> {
    const facts = await this.stat(key, signal);
    if (!facts) throw noBlob(key);
    if (version !== undefined && facts.version !== version) throw blobChanged(key);
  }
}

/** Consoles create an empty object for a folder; the prefix of the store has one too. */
const isFolderMarker = (key: string, bytes: number): boolean =>
  bytes === 0 && (key === '' || key.endsWith('/'));

function cutShort(): S3Refusal {
  return new S3Refusal(
    new ReaderError(
      'INTERNAL',
      'The object storage ended a transfer early.',
      'Try again, then check the storage.',
    ),
    { transient: true },
  );
}

/** @throws {ReaderError} INTERNAL above `most` bytes */
async function collect(response: S3Response, most: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of response.body()) {
      bytes += piece.length;
      if (bytes > most)
        throw new ReaderError(
          'INTERNAL',
          'The object storage sent too long an answer.',
          'Check the storage.',
        );
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof S3Refusal ? error.error : error;
  }
  return Buffer.concat(pieces, bytes);
}

function versionIn(response: S3Response): string {
  const etag = response.headers.get('etag');
  if (etag) return etag;
  throw new ReaderError(
    'INTERNAL',
    'The object storage sent no ETag.',
    'Check that it is compatible with S3.',
  );
}

function lengthOf(response: S3Response): number {
  const text = response.headers.get('content-length') ?? '';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ReaderError(
    'INTERNAL',
    'The object storage sent no length.',
    'Check that it is compatible with S3, and that no proxy compresses its answers.',
  );
}

function modifiedOf(response: S3Response): Date {
  const modified = new Date(response.headers.get('last-modified') ?? '');
  return Number.isNaN(modified.getTime()) ? new Date(0) : modified;
}
