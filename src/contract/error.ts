// The single error class of lectern, its closed set of codes, and their HTTP and exit statuses.

/** The kind of error. Messages may change, codes do not. */
export type ErrorCode =
  | 'BAD_INPUT'
  | 'PATH_ESCAPES_WORKSPACE'
  | 'FILE_NOT_FOUND'
  | 'NOT_A_FILE'
  | 'NOT_A_FOLDER'
  | 'ALREADY_EXISTS'
  | 'ACCESS_DENIED'
  | 'UNSUPPORTED_FORMAT'
  | 'CORRUPT_FILE'
  | 'ENCRYPTED_FILE'
  | 'WRONG_PASSWORD'
  | 'LIMIT_EXCEEDED'
  | 'OVER_BUDGET'
  | 'STALE_CURSOR'
  | 'CONFLICT'
  | 'QUOTA_EXCEEDED'
  | 'MISSING_DEPENDENCY'
  | 'TIMED_OUT'
  | 'OUT_OF_MEMORY'
  | 'CRASHED'
  | 'BUSY'
  | 'ABORTED'
  | 'INTERNAL';

/** HTTP status of each code. 499 is nginx's "client closed request", not a registered status. */
export const HTTP_STATUS: Readonly<Record<ErrorCode, number>> = {
  BAD_INPUT: 400,
  PATH_ESCAPES_WORKSPACE: 403,
  FILE_NOT_FOUND: 404,
  NOT_A_FILE: 400,
  NOT_A_FOLDER: 400,
  ALREADY_EXISTS: 409,
  ACCESS_DENIED: 403,
  UNSUPPORTED_FORMAT: 415,
  CORRUPT_FILE: 422,
  ENCRYPTED_FILE: 422,
  WRONG_PASSWORD: 422,
  LIMIT_EXCEEDED: 413,
  OVER_BUDGET: 413,
  STALE_CURSOR: 409,
  CONFLICT: 409,
  QUOTA_EXCEEDED: 507,
  MISSING_DEPENDENCY: 501,
  TIMED_OUT: 504,
  OUT_OF_MEMORY: 503,
  CRASHED: 503,
  BUSY: 429,
  ABORTED: 499,
  INTERNAL: 500,
};

/** Exit status of the command line for each code; 0 is success. 130 is the shell's own for an interrupt. */
export const EXIT_STATUS: Readonly<Record<ErrorCode, number>> = {
  BAD_INPUT: 2,
  FILE_NOT_FOUND: 3,
  NOT_A_FILE: 4,
  ACCESS_DENIED: 5,
  PATH_ESCAPES_WORKSPACE: 6,
  UNSUPPORTED_FORMAT: 7,
  CORRUPT_FILE: 8,
  ENCRYPTED_FILE: 9,
  LIMIT_EXCEEDED: 10,
  OVER_BUDGET: 11,
  STALE_CURSOR: 12,
  QUOTA_EXCEEDED: 13,
  MISSING_DEPENDENCY: 14,
  TIMED_OUT: 15,
  OUT_OF_MEMORY: 16,
  CRASHED: 17,
  BUSY: 18,
  NOT_A_FOLDER: 19,
  ALREADY_EXISTS: 20,
  CONFLICT: 21,
  WRONG_PASSWORD: 22,
  INTERNAL: 70,
  ABORTED: 130,
};

/**
 * Every error reported by lectern. `message` says what was found and what was expected, `hint` names one next step.
 * Neither contains a host path, a stack or a secret.
 */
export class ReaderError extends Error {
  override readonly name = 'ReaderError';
  readonly code: ErrorCode;
  readonly hint: string;

  constructor(code: ErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
  }
}

/** Throws ABORTED if the caller has aborted. Call it once per chunk in long loops. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted)
    throw new ReaderError(
      'ABORTED',
      'The read was cancelled.',
      'Call again to read the file.',
      signal.reason,
    );
}

/** ENCRYPTED_FILE for a password-protected file, read without a password. */
export function passwordNeeded(message: string): ReaderError {
  return new ReaderError('ENCRYPTED_FILE', message, 'Pass the password with `password`.');
}

/** ENCRYPTED_FILE for protection that a password alone does not open, or that lectern cannot decrypt. */
export function cannotDecrypt(message: string): ReaderError {
  return new ReaderError('ENCRYPTED_FILE', message, 'Save a copy without protection, and read that.');
}

/** WRONG_PASSWORD, without the password. */
export function wrongPassword(message: string): ReaderError {
  return new ReaderError('WRONG_PASSWORD', message, 'Check the password, and pass it with `password`.');
}

/** STALE_CURSOR for a position that is not in this file; `message` describes the position. */
export function staleCursor(message: string): ReaderError {
  return new ReaderError('STALE_CURSOR', message, 'Read the file again from the start.');
}
