// The answer of a failed read: an error without host path or stack, and the name of the input.

import { NotThisFormat, oneLine, ReaderError, visibleName } from '../contract/index.ts';
import type { ReadFailure } from './result.ts';
import type { Input } from './source/input.ts';

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

/** Name of an input before it is opened: the last path component, or in a workspace the requested path. */
export function nameOf(input: Input, inWorkspace = false): string {
  try {
    return givenName(input, inWorkspace);
  } catch {
    return 'bytes'; // a field that throws; opening it reports the error
  }
}

function givenName(input: Input, inWorkspace: boolean): string {
  const named = typeof input === 'object' && input !== null && 'path' in input ? input.path : input;
  if (typeof input === 'object' && input !== null && 'name' in input && typeof input.name === 'string')
    return lastOf(input.name);
  if (typeof named === 'string') return inWorkspace ? oneLine(named) : lastOf(named);
  if (named instanceof URL) return lastOf(named.pathname);
  return 'bytes';
}

/** Keeps the path inside `dir/archive.zip!/dir/file.csv`, which comes from the caller and is not a host path. */
function lastOf(path: string): string {
  const [, outer = path, inner = ''] = /^(.*?\.\w{1,12})(!\/.*)$/s.exec(path) ?? [];
  return visibleName(outer.split(/[/\\]/).filter(Boolean).at(-1) ?? outer) + oneLine(inner);
}

/** The failure for `error`. */
export function failure(error: ReaderError, name: string): ReadFailure {
  return {
    success: false,
    error: { code: error.code, message: error.message, hint: error.hint },
    metadata: { name },
  };
}
