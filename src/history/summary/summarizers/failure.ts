// What a provider's client threw, as an error that holds neither a key nor what was sent: the words of a provider may quote
// both, so of its answer only the status and its own short code are passed on.

import { type ErrorCode, quoted, ReaderError } from '../../../contract/index.ts';

/** A request that the provider answered with an error. */
export interface Failure {
  readonly status: number;
  /** The provider's own code of the error, when it is one word. */
  readonly code: string | null;
  /** The parameter the provider names as wrong. */
  readonly parameter: unknown;
  /** For comparison only, never for a message. */
  readonly words: string;
}

const CODES: Readonly<Record<number, ErrorCode>> = {
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

/** @throws {ReaderError} ABORTED; INTERNAL for an error without a status: there was no answer */
export function failureOf(error: unknown, signal: AbortSignal): Failure {
  if (signal.aborted)
    throw new ReaderError('ABORTED', 'The summary was cancelled.', 'Call again to compact.');
  const status = field(error, 'status') ?? field(error, 'statusCode');
  if (typeof status !== 'number' || status < 300)
    throw new ReaderError(
      'INTERNAL',
      "The provider's client failed before there was an answer.",
      'Check the client, its base URL and the network.',
    );
  // OpenAI's client gives the error of the answer, Anthropic's the whole answer, which has the error in it.
  const outer = field(error, 'error') ?? error;
  const inner = field(outer, 'error') ?? outer;
  const code = field(inner, 'code') ?? field(inner, 'type');
  const words = field(inner, 'message') ?? field(inner, 'detail') ?? inner;
  return {
    status,
    code: typeof code === 'string' && /^[a-z_.]{1,40}$/.test(code) ? code : null,
    parameter: field(inner, 'param'),
    words: typeof words === 'string' ? words.slice(0, 2000) : '',
  };
}

/** Whether the provider refused the request because of `parameter`. */
export function blames({ status, parameter, words }: Failure, name: string): boolean {
  return (status === 400 || status === 422) && (parameter === name || words.includes(name));
}

export function refusal({ status, code }: Failure): ReaderError {
  return new ReaderError(
    CODES[status] ?? 'INTERNAL',
    `The provider answered with status ${status}${code === null ? '' : ` (${quoted(code)})`}.`,
    status === 401 || status === 403
      ? 'Check the key.'
      : status === 404
        ? 'Check the base URL and the name of the model.'
        : status === 429
          ? 'Wait, or use another model for summaries.'
          : 'Check the model and the provider.',
  );
}

/** An own field of any value; undefined without one. */
export function field(value: unknown, name: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  // An object: any of its fields may be asked for.
  return (value as Record<string | number, unknown>)[name];
}
