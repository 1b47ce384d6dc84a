// The errors an operation can answer with, for its documentation: those of every request of its kind, and sets that
// operations add.

import type { Operation } from './operation.ts';

export type Statuses = Readonly<Record<number, string>>;

export const NO_FILE = 'There is no such file.';

/** Of operations that read files. */
export const READING: Statuses = {
  403: 'The key lacks a scope, or the path leads out of the workspace.',
  404: NO_FILE,
  409: 'The content changed since the cursor was made.',
  413: 'The request, the file or the answer is larger than a limit.',
  415: 'The format is not supported.',
  422: 'The file is damaged or encrypted, or the password is wrong.',
  501: 'An optional dependency is not installed.',
  504: 'The request timed out.',
};

/** Of operations that change a workspace. */
export const WRITING: Statuses = {
  404: NO_FILE,
  507: 'The quota of the workspace, or the disk, is full.',
};

export const MISSING = 'The resource does not exist, or belongs to another user.';
export const ALREADY_EXISTS = 'The name is in use, or someone else wrote at the same time.';
export const PRECONDITION_FAILED = 'A precondition (`If-Match`, `If-None-Match`) failed.';
export const KEY_UNDER_WAY = 'A request with this `Idempotency-Key` is in progress.';
export const KEY_REUSED = 'The `Idempotency-Key` belongs to another request.';

/** Errors that `operation` can answer with, by status. */
export function problemsOf({ method, scope, params, query, body, problems }: Operation): Statuses {
  return {
    ...((params ?? query ?? body) && { 400: 'The request does not match the documented schema.' }),
    ...(scope !== null && {
      401: 'No valid key.',
      403: 'The key lacks a scope, or the `Origin` or `Host` is not served.',
      429: 'The rate of the key or user is exceeded, or the queue of reads is full.',
      503: 'The service is shutting down, its database or storage cannot be reached, or the process that did the work ended.',
    }),
    ...(body && {
      408: 'The body arrived too slowly.',
      413: 'The request is larger than a limit.',
    }),
    ...(!['GET', 'HEAD'].includes(method) && {
      415: 'The media type or content encoding is not supported.',
    }),
    ...(body && ['files', 'stream'].includes(body.kind) && { 507: 'The disk is full.' }),
    ...problems,
  };
}

/** Headers of errors by status. */
export const PROBLEM_HEADERS: Readonly<Record<number, readonly [name: string, description: string]>> = {
  401: ['WWW-Authenticate', 'The scheme: `Bearer`.'],
  409: ['Retry-After', 'Seconds to wait if the same request is in progress.'],
  416: ['Content-Range', 'The size of the file, as `bytes */SIZE`.'],
  429: ['Retry-After', 'Seconds to wait.'],
  503: ['Retry-After', 'Seconds to wait.'],
};
