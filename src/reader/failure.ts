// The answer of a failed read: an error without host path or stack.

import { NotThisFormat, ReaderError } from '../contract/index.ts';
import type { ReadFailure } from './result.ts';

/** Converts any error into a failure without host path or stack. */
export async function answer<T>(name: string, work: () => Promise<T>): Promise<T | ReadFailure> {
  try {
    return await work();
  } catch (error) {
    return failure(asReaderError(error), name);
  }
}

/** Converts any error to a ReaderError. Anything else is a bug in lectern, with the error as its cause. */
export function asReaderError(error: unknown): ReaderError {
  if (error instanceof ReaderError) return error;
  if (error instanceof NotThisFormat)
    return new ReaderError('CORRUPT_FILE', error.warning.message, 'Check that the file is complete.', error);
  return new ReaderError(
    'INTERNAL',
    'lectern failed to read the file because of an internal error.',
    'Report it, with the first bytes of the file.',
    error,
  );
}

/** The failure for `error`. */
export function failure(error: ReaderError, name: string): ReadFailure {
  return {
    success: false,
    error: { code: error.code, message: error.message, hint: error.hint },
    metadata: { name },
  };
}
