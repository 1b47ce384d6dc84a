// Errors as RFC 9457 problem details, with the stable codes and hints of the library.

import { z } from 'zod';
import { DatabaseUnavailable } from '../../database/index.ts';
import { type ErrorCode, HTTP_STATUS, ReaderError } from '../../index.ts';
import { StorageUnavailable } from '../storage.ts';

/** Of `application/problem+json`. */
export const problemSchema: z.ZodObject = z
  .strictObject({
    type: z.string().meta({ description: '`urn:lectern:error:` followed by the code.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: 'What was found and what was expected.' }),
    code: z.string().meta({ description: 'A stable code for programs.' }),
    hint: z.string().meta({ description: 'The next step.' }),
    requestId: z.string(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem details.' });

/** An error with its own HTTP status. */
export class HttpError extends ReaderError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    hint: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, message, hint);
    this.status = status;
    this.headers = headers;
  }
}

/** Seconds after which a client may retry what failed for lack of capacity. */
const RETRY_SECONDS: Partial<Record<ErrorCode, number>> = {
  BUSY: 2,
  CRASHED: 5,
  OUT_OF_MEMORY: 5,
  TIMED_OUT: 5,
};

/** The problem sent to the client for `error`. */
export function problemOf(
  error: ReaderError,
  requestId: string,
): {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
} {
  const { code, message, hint } = error;
  const status =
    error instanceof HttpError
      ? error.status
      : error instanceof DatabaseUnavailable || error instanceof StorageUnavailable
        ? 503
        : HTTP_STATUS[code];
  const seconds = RETRY_SECONDS[code];
  return {
    status,
    headers: {
      ...(seconds !== undefined && status !== 401 && { 'retry-after': String(seconds) }),
      ...(error instanceof HttpError && error.headers),
    },
    body: {
      type: `urn:lectern:error:${code}`,
      title: TITLES[code],
      status,
      detail: message,
      code,
      hint,
      requestId,
    },
  };
}

const TITLES: Readonly<Record<ErrorCode, string>> = {
  BAD_INPUT: 'Invalid request',
  PATH_ESCAPES_WORKSPACE: 'Path outside the workspace',
  FILE_NOT_FOUND: 'Not found',
  NOT_A_FILE: 'Not a file',
  NOT_A_FOLDER: 'Not a folder',
  ALREADY_EXISTS: 'Already exists',
  ACCESS_DENIED: 'Access denied',
  UNSUPPORTED_FORMAT: 'Unsupported format',
  CORRUPT_FILE: 'Damaged file',
  ENCRYPTED_FILE: 'Encrypted file',
  WRONG_PASSWORD: 'Wrong password',
  LIMIT_EXCEEDED: 'Limit exceeded',
  OVER_BUDGET: 'Over budget',
  STALE_CURSOR: 'Content changed',
  CONFLICT: 'Conflict',
  QUOTA_EXCEEDED: 'Quota exceeded',
  MISSING_DEPENDENCY: 'Missing dependency',
  TIMED_OUT: 'Timed out',
  OUT_OF_MEMORY: 'Out of memory',
  CRASHED: 'Reader process crashed',
  BUSY: 'Too many requests',
  ABORTED: 'Request cancelled',
  INTERNAL: 'Internal error',
};
