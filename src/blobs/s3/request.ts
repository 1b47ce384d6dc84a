// Signed requests to one bucket: timeouts, retries with backoff, and errors without secrets.

import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ReaderError } from '../../contract/index.ts';
import { cancelled, throwIfCancelled } from '../failure.ts';
import { refusal, S3Refusal } from './refusal.ts';
import type { S3Settings } from './settings.ts';

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** With the prefix of the store; empty for the bucket itself. */
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
}

export interface S3Response {
  readonly status: number;
  readonly headers: Headers;
  /** True if an earlier attempt of the same request failed without an answer, and so may have been carried out. */
  readonly repeated: boolean;
  /** The body, which fails with TIMED_OUT when no byte arrives for a while. Read it to its end, or return early. */
  body(): AsyncGenerator<Uint8Array>;
}

/** The tries of the AWS SDKs are 3; one more bridges the restart of a small server. */
const TRIES = 5;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5000;

/** Without an answer or a byte for this long, a connection counts as lost. */
const IDLE_MS = 30_000;
/** The slowest upload that is waited for, 64 KiB a second, in bytes per millisecond. */
const SLOWEST = 64;

export class S3Client {
  readonly #settings: S3Settings;
  readonly #keys = new Map<string, ArrayBuffer>();

  constructor(settings: S3Settings) {
    this.#settings = settings;
  }

  /** Any status below 500, except 403, 408 and 429, is an answer. @throws {ReaderError} */
  async send(request: S3Request): Promise<S3Response> {
    let repeated = false;
    for (let tries = 1; ; tries += 1) {
      throwIfCancelled(request.signal);
      try {
        return await this.#attempt(request, repeated);
      } catch (error) {
        if (!(error instanceof S3Refusal)) throw error;
        if (!error.transient || tries === TRIES) throw error.error;
        repeated ||= error.unanswered;
        await pause(tries, error.waitMs, request.signal);
      }
    }
  }

  async #attempt(request: S3Request, repeated: boolean): Promise<S3Response> {
    const { method, body, signal } = request;
    const idle = new IdleTimer(IDLE_MS + (body?.length ?? 0) / SLOWEST, signal);
    let response: Response;
    try {
      const { url, headers } = await this.#signed(request);
      response = await fetch(url, {
        method,
        headers,
        redirect: 'manual',
        signal: idle.signal,
        ...(body && { body }),
      });
    } catch (error) {
      idle.end();
      throw lost(error, idle, signal);
    }
    const refused = await refusal(response, method);
    if (refused) {
      idle.end();
      throw refused;
    }
    return {
      status: response.status,
      headers: response.headers,
      repeated,
      body: () => bodyOf(response, idle, signal),
    };
  }

  async #signed({ method, path = '', query = {}, headers = {}, body }: S3Request): Promise<{
    readonly url: URL;
    readonly headers: Headers;
  }> {
    const { AwsV4Signer } = await import('aws4fetch');
    const { url, region, accessKeyId, secretAccessKey, sessionToken } = this.#settings;
    const search = Object.entries(query)
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .join('&');
    const signed = await new AwsV4Signer({
      method,
      url: `${url}${path.split('/').map(encode).join('/')}${search === '' ? '' : `?${search}`}`,
      headers: {
        ...headers,
        'x-amz-content-sha256': createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
      },
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
      cache: this.#keys,
      ...(sessionToken !== undefined && { sessionToken }),
    }).sign();
    // Not signed, because proxies rewrite it. Compressed answers would hide the length.
    signed.headers.set('accept-encoding', 'identity');
    return { url: signed.url, headers: signed.headers };
  }
}

/** Aborts a request when nothing happens for a while, or when the caller does. */
class IdleTimer {
  readonly #controller = new AbortController();
  readonly #ms: number;
  readonly #outer: AbortSignal | undefined;
  #timer: NodeJS.Timeout;
  expired = false;

  constructor(ms: number, outer: AbortSignal | undefined) {
    this.#ms = ms;
    this.#outer = outer;
    this.#timer = this.#start();
    outer?.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  /** Waiting for the consumer of a body is not idle time of the server. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort();

  #start(): NodeJS.Timeout {
    return setTimeout(() => {
      this.expired = true;
      this.#controller.abort();
    }, this.#ms).unref();
  }
}

async function* bodyOf(
  response: Response,
  idle: IdleTimer,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    if (!response.body) return;
    idle.restart();
    for await (const piece of response.body) {
      idle.pause();
      yield piece;
      idle.restart();
    }
  } catch (error) {
    throw lost(error, idle, signal);
  } finally {
    idle.end();
  }
}

/** Frees the connection. With `unread`, without waiting for a long body. */
export async function drain(response: S3Response, unread?: 'unread'): Promise<void> {
  try {
    for await (const _ of response.body()) if (unread) break;
  } catch (error) {
    if (!(error instanceof S3Refusal)) throw error; // the answer itself has arrived
  }
}

/** A connection that ended without an answer. */
function lost(error: unknown, idle: IdleTimer, signal: AbortSignal | undefined): unknown {
  if (error instanceof ReaderError || error instanceof S3Refusal) return error;
  if (signal?.aborted) return cancelled(signal);
  const code = idle.expired ? 'TIMED_OUT' : 'INTERNAL';
  return new S3Refusal(
    new ReaderError(
      code,
      idle.expired
        ? 'The object storage did not answer in time.'
        : 'The connection to the object storage failed.',
      'Check the endpoint and the network, then try again.',
      error,
    ),
    { transient: true, unanswered: true },
  );
}

async function pause(
  tries: number,
  waitMs: number | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const most = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** tries);
  const ms = waitMs === undefined ? most * (0.5 + Math.random() / 2) : Math.min(waitMs, MAX_DELAY_MS);
  try {
    await delay(ms, undefined, signal && { signal });
  } catch (error) {
    if (signal?.aborted) throw cancelled(signal);
    throw error;
  }
}

/** RFC 3986, as signatures require: `encodeURIComponent` leaves five more characters unchanged. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
