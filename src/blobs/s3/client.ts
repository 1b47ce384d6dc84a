// Signed requests to one bucket, with deadlines and retries. Knows HTTP and S3's errors; not what is stored.

import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { errnoOf, ReaderError, throwIfAborted } from '../../contract/index.ts';
import type { S3Settings } from './settings.ts';
import { element } from './xml.ts';

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Undefined for the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
}

/** An answer with a status that the caller said it expects. */
export interface S3Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly response: Response;
  /** True if an earlier attempt may have been carried out. */
  readonly repeated: boolean;
}

/** Attempts in total; with the pauses below, about 10 seconds of an unreachable store. */
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 150;
const MOST_PAUSE_MS = 5000;

/** Until the headers of an answer arrive. */
const ANSWER_MS = 30_000;
/** An upload gets longer: at 256 KiB/s. */
const BYTES_PER_MS = 256;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const PASSING = new Set([408, 429, 500, 502, 503, 504]);

/** Most bytes of an error or a listing that are read. */
const MOST_TEXT_BYTES = 8 * 1024 * 1024;

export class S3Client {
  readonly #aws: AwsClient;
  readonly #settings: S3Settings;

  constructor(settings: S3Settings) {
    const { accessKeyId, secretAccessKey, sessionToken, region } = settings;
    this.#settings = settings;
    this.#aws = new AwsClient({
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
      retries: 0,
      ...(sessionToken !== undefined && { sessionToken }),
    });
  }

  /**
   * Sends a request until it is answered with a status of `expected`.
   * @throws {ReaderError} ACCESS_DENIED, BAD_INPUT (no such bucket), TIMED_OUT, ABORTED, INTERNAL
   */
  async send(request: S3Request, expected: readonly number[]): Promise<S3Answer> {
    let repeated = false;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#attempt(request);
      if ('response' in outcome) {
        const { response } = outcome;
        const { status, headers } = response;
        if (expected.includes(status)) return { status, headers, response, repeated };
        if (!PASSING.has(status)) throw await this.#refusal(request, response);
        await response.body?.cancel();
      }
      if (attempt === ATTEMPTS)
        throw unreachable(this.#settings, 'response' in outcome ? outcome.response.status : outcome.error);
      repeated = true;
      await this.pause(attempt, request.signal);
    }
  }

  /** Waits before attempt `attempt + 1`; longer each time, and never in step with other clients. */
  async pause(attempt: number, signal: AbortSignal | undefined): Promise<void> {
    const most = Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
    await wait(most / 2 + (Math.random() * most) / 2, undefined, signal && { signal }).catch(() => undefined);
    if (signal) throwIfAborted(signal);
  }

  async #attempt(request: S3Request): Promise<{ readonly response: Response } | { readonly error: unknown }> {
    const { method, key, query = {}, headers = {}, body, signal } = request;
    if (signal) throwIfAborted(signal);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), ANSWER_MS + (body?.length ?? 0) / BYTES_PER_MS);
    try {
      const signed = await this.#aws.sign(this.#urlOf(key, query), {
        method,
        headers: { ...headers, 'x-amz-content-sha256': sha256(body ?? new Uint8Array(0)) },
        ...(body && { body }),
      });
      const response = await fetch(signed, {
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      });
      return { response };
    } catch (error) {
      if (signal) throwIfAborted(signal);
      return { error };
    } finally {
      clearTimeout(timer);
    }
  }

  #urlOf(key: string | undefined, query: Readonly<Record<string, string>>): string {
    const { url } = this.#settings;
    const path = key === undefined ? '' : `/${key.split('/').map(escaped).join('/')}`;
    const search = Object.entries(query)
      .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
      .join('&');
    return `${url}${key === undefined ? '/' : path}${search === '' ? '' : `?${search}`}`;
  }

  async #refusal({ method }: S3Request, response: Response): Promise<ReaderError> {
    const { bucket } = this.#settings;
    const code = (method === 'HEAD' ? undefined : element(await textOf(response), 'Code')) ?? '';
    const { status } = response;
    const cause = new Error(`${status} ${/^[A-Za-z]{1,60}$/.test(code) ? code : ''}`.trim());
    if (code === 'NoSuchBucket')
      return new ReaderError(
        'BAD_INPUT',
        `There is no bucket \`${bucket}\`.`,
        'Create it, or check the URL and AWS_ENDPOINT_URL_S3.',
        cause,
      );
    if (status === 401 || status === 403)
      return new ReaderError(
        'ACCESS_DENIED',
        `The storage service refused access to the bucket \`${bucket}\`.`,
        'Check the credentials, their permissions and AWS_REGION.',
        cause,
      );
    return new ReaderError(
      'INTERNAL',
      `The storage service answered with status ${status}.`,
      'See the `cause` of this error.',
      cause,
    );
  }
}

function unreachable({ bucket }: S3Settings, why: unknown): ReaderError {
  return new ReaderError(
    'TIMED_OUT',
    `The storage service of the bucket \`${bucket}\` did not answer.`,
    'Try again later; check AWS_ENDPOINT_URL_S3 and the network.',
    typeof why === 'number' ? new Error(`Status ${why}`) : new Error(reasonOf(why)),
  );
}

/** The system's code only: messages of the client may hold the signed URL. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  return errnoOf(cause) ?? (error instanceof Error ? error.name : 'failed');
}

/** Text of an answer, bounded. */
export async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST_TEXT_BYTES) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** RFC 3986: everything except unreserved characters, as S3 signs it. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
