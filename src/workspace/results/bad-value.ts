// The error for a value of a result that cannot be stored.

import { ReaderError } from '../../contract/index.ts';

/** Describes what is wrong with a value; the message continues a sentence that names the value. */
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

  /** `value` is `Row 3` or `The value in row 3, column a`, with the name quoted. */
  at(value: string): ReaderError {
    return new ReaderError(this.code, `${value} ${this.message}`, this.hint, this.cause);
  }
}

/** Runs code of the caller's value: a getter, a trap, `toJSON`. @throws {BadValue} */
export function guarded<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw error instanceof BadValue ? error : unreadable(error);
  }
}

/** For a value whose getter, trap or `toJSON` throws. */
export function unreadable(cause: unknown): BadValue {
  return new BadValue(
    'cannot be read: a getter or toJSON method threw an error.',
    'Omit the column, or pass plain values.',
    'BAD_INPUT',
    cause,
  );
}
