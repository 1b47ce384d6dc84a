// Converts what a provider's client threw to an error without the key or the request. A provider's message may quote
// both, so only its status and short error code are kept.

import { type ErrorCode, quoted, ReaderError } from '../../../contract/index.ts';

/** An error response of the provider. */
export interface Failure {
  readonly status: number;
  /** The provider's error code, if it is a single word. */
  readonly code: string | null;
  /** The parameter that the provider reports as invalid. */
  readonly parameter: unknown;
  /** For matching only, never for a message. */
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

/** @throws {ReaderError} ABORTED; INTERNAL for an error without a status, which means there was no response */
export function failureOf(error: unknown, signal: AbortSignal): Failure {
  if (signal.aborted)
    throw new ReaderError('ABORTED', 'The summary was cancelled.', 'Call again to compact.');
  const status = field(error, 'status') ?? field(error, 'statusCode');
  if (typeof status !== 'number' || status < 300)
    throw new ReaderError(
      'INTERNAL',
      "The provider's client failed before it received a response.",
      'Check the client, its base URL and the network.',
    );
  // OpenAI's client exposes the response's error; Anthropic's exposes the whole response, which contains it.
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

/** Whether the provider rejected the request because of the parameter `name`. */
export function blames({ status, parameter, words }: Failure, name: string): boolean {
  return (status === 400 || status === 422) && (parameter === name || words.includes(name));
}

export function refusal({ status, code }: Failure): ReaderError {
  return new ReaderError(
    CODES[status] ?? 'INTERNAL',
    `The provider responded with status ${status}${code === null ? '' : ` (${quoted(code)})`}.`,
    status === 401 || status === 403
      ? 'Check the API key.'
      : status === 404
        ? 'Check the base URL and the model name.'
        : status === 429
          ? 'Wait, or use another model for summaries.'
          : 'Check the model and the provider.',
  );
}

/** An own property of any value; undefined if there is none. */
export function field(value: unknown, name: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  // Checked to be an object.
  return (value as Record<string | number, unknown>)[name];
}
