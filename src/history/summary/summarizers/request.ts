// One request of a summarizer to a model's HTTP interface: JSON there, JSON back, inside a time, and errors that never hold
// the key or what was sent.

import { type ErrorCode, quoted, ReaderError } from '../../../contract/index.ts';

/** The part of the global `fetch` that is used: pass another for a proxy or a test. */
export type Fetch = (
  url: string,
  init: {
    readonly method: 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly signal: AbortSignal;
    readonly redirect: 'error';
  },
) => Promise<{ readonly status: number; text(): Promise<string> }>;

/** Where a request goes and how long it may take. */
export interface Endpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch | undefined;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal;
}

export interface JsonAnswer {
  readonly status: number;
  /** Null for a body that is no JSON. */
  readonly body: unknown;
}

/** As the summary's own bound: a summarizer may also be called outside of one. */
const TIMEOUT_MS = 60_000;
/** An answer of 8000 tokens takes less than a hundredth of it. */
const MAX_ANSWER = 16 * 1024 * 1024;

/** @throws {ReaderError} ABORTED, TIMED_OUT, BAD_INPUT for an address or key no request can carry, INTERNAL */
export async function postJson(endpoint: Endpoint, body: unknown): Promise<JsonAnswer> {
  const { url, headers, signal } = endpoint;
  const host = hostOf(url);
  refuseHeaders(headers);
  const late = AbortSignal.timeout(endpoint.timeoutMs ?? TIMEOUT_MS);
  try {
    const answer = await (endpoint.fetch ?? fetch)(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, late]),
      // A key must not follow to another host.
      redirect: 'error',
    });
    const text = await answer.text();
    return { status: answer.status, body: text.length > MAX_ANSWER ? null : parsed(text) };
  } catch {
    // The error of `fetch` may quote headers: it is not passed on.
    if (signal.aborted)
      throw new ReaderError('ABORTED', 'The summary was cancelled.', 'Call again to compact.');
    if (late.aborted)
      throw new ReaderError('TIMED_OUT', `${host} gave no answer in time.`, 'Raise `timeoutMs`.');
    throw new ReaderError('INTERNAL', `${host} could not be reached.`, 'Check the base URL and the network.');
  }
}

/** What a status other than 200 means. Names the provider's own code of the error, nothing else of the answer. */
export function refusal({ status, body }: JsonAnswer, url: string | null): ReaderError {
  const host = url === null ? 'The provider' : hostOf(url);
  const code = errorWord(body);
  return new ReaderError(
    REFUSALS[status] ?? 'INTERNAL',
    `${host} answered with status ${status}${code === null ? '' : ` (${quoted(code)})`}.`,
    status === 401 || status === 403
      ? 'Check the key.'
      : status === 404
        ? 'Check the base URL and the name of the model.'
        : status === 429
          ? 'Wait, or use another model for summaries.'
          : 'Check the model and the provider.',
  );
}

/** What a client of a provider threw, as the answer it stands for. @throws {ReaderError} ABORTED, INTERNAL */
export function thrown(error: unknown, signal: AbortSignal): JsonAnswer {
  if (signal.aborted)
    throw new ReaderError('ABORTED', 'The summary was cancelled.', 'Call again to compact.');
  const status = field(error, 'status') ?? field(error, 'statusCode');
  if (typeof status === 'number' && status >= 300)
    return { status, body: { error: field(error, 'error') ?? error } };
  throw new ReaderError(
    'INTERNAL',
    "The provider's client failed before there was an answer.",
    'Check the client, its base URL and the network.',
  );
}

/** A field of whatever it is; undefined where there is none. */
export function field(value: unknown, name: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  // An object: any of its fields may be asked for.
  return (value as Record<string | number, unknown>)[name];
}

/** Room for an answer in the provider's own tokens, of which a text may take more than ours, and for thinking before it. */
export function answerRoom(maxTokens: number): number {
  return maxTokens * 2 + 1024;
}

/** An answer that stops at its bound is the beginning of a summary. */
export function cutOff(): ReaderError {
  return new ReaderError(
    'OVER_BUDGET',
    'The summary was cut off at the bound of its length.',
    'Use a model that keeps to lengths, or think less.',
  );
}

/** Whether a refused request names the parameter as what is wrong with it. */
export function blames({ status, body }: JsonAnswer, parameter: string): boolean {
  if (status !== 400 && status !== 422) return false;
  const { param, message } = errorOf(body);
  return param === parameter || message.includes(parameter);
}

const REFUSALS: Readonly<Record<number, ErrorCode>> = {
  400: 'BAD_INPUT',
  401: 'ACCESS_DENIED',
  403: 'ACCESS_DENIED',
  404: 'FILE_NOT_FOUND',
  408: 'TIMED_OUT',
  413: 'LIMIT_EXCEEDED',
  422: 'BAD_INPUT',
  429: 'BUSY',
  503: 'BUSY',
  504: 'TIMED_OUT',
  529: 'BUSY',
};

function errorOf(body: unknown): { word: unknown; param: unknown; message: string } {
  // Anthropic's client gives the whole answer as its error, which has the error in it.
  const outer = field(body, 'error') ?? body;
  const error = field(outer, 'error') ?? outer;
  const message = field(error, 'message') ?? field(error, 'detail');
  return {
    word: field(error, 'code') ?? field(error, 'type'),
    param: field(error, 'param'),
    message:
      typeof message === 'string'
        ? message.slice(0, 2000)
        : typeof error === 'string'
          ? error.slice(0, 2000)
          : '',
  };
}

function errorWord(body: unknown): string | null {
  const { word } = errorOf(body);
  return typeof word === 'string' && /^[a-z_.]{1,40}$/.test(word) ? word : null;
}

function hostOf(url: string): string {
  try {
    return quoted(new URL(url).host);
  } catch {
    throw new ReaderError(
      'BAD_INPUT',
      'The base URL is no URL.',
      'Pass one like `https://api.example.com/v1`.',
    );
  }
}

/** What `fetch` itself would quote in its error. */
function refuseHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers))
    if (typeof value !== 'string' || /[^\t\x20-\x7e]/.test(value))
      throw new ReaderError(
        'BAD_INPUT',
        `The value of the header ${quoted(name)} holds characters no header may hold.`,
        'Check the key: it may end in a line break.',
      );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
