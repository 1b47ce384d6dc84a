// A value of a result that cannot be stored, and where it stands.

import { ReaderError } from '../../contract/index.ts';

/** What is wrong with a value, said so that which one it is can be put before it. */
export class BadValue extends Error {
  readonly hint: string;
  readonly code: 'BAD_INPUT' | 'LIMIT_EXCEEDED';

  constructor(
    message: string,
    hint: string,
    code: 'BAD_INPUT' | 'LIMIT_EXCEEDED' = 'BAD_INPUT',
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
    this.code = code;
  }

  /** `value` is `Row 3` or `The value in row 3, column a`, the name quoted. */
  at(value: string): ReaderError {
    return new ReaderError(this.code, `${value} ${this.message}`, this.hint, this.cause);
  }
}

/** Runs what belongs to the caller's value: a getter, a trap, `toJSON`. @throws {BadValue} */
export function guarded<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw error instanceof BadValue ? error : unreadable(error);
  }
}

/** What a value is whose getter, trap or `toJSON` throws. */
export function unreadable(cause: unknown): BadValue {
  return new BadValue(
    'cannot be read: what gives it failed.',
    'Leave the column out, or give plain values.',
    'BAD_INPUT',
    cause,
  );
}
