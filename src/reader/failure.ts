// The answer of a failed read: an error without host path or stack, and the name of the input.

import { isAbsolute } from 'node:path';
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

/**
 * Names for the headings of several inputs. A relative path stands as it was given; absolute paths show their last component,
 * and as many of those before it as tell them apart. No path of the host is shown beyond that.
 */
export function headingNames(inputs: readonly Input[], inWorkspace: boolean): string[] {
  const isHost = (input: Input): input is string =>
    typeof input === 'string' && !inWorkspace && (isAbsolute(input) || input.startsWith('..'));
  const ends = distinctEnds(inputs.filter(isHost));
  return inputs.map((input) =>
    typeof input === 'string' ? oneLine(ends.get(input) ?? input) : nameOf(input, inWorkspace),
  );
}

/** By path its shortest end, in whole components, that no other of `paths` has. */
function distinctEnds(paths: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const rest = new Map(paths.map((path) => [path, componentsOf(path)]));
  for (let length = 1; rest.size > 0; length += 1) {
    const sharing = new Map<string, string[]>();
    for (const [path, parts] of rest) {
      const end = parts.slice(-length).join('/');
      const those = sharing.get(end);
      if (those) those.push(path);
      else sharing.set(end, [path]);
    }
    for (const [end, those] of sharing)
      for (const path of those) {
        if (those.length > 1 && length < (rest.get(path)?.length ?? 0) && length < MOST_COMPONENTS) continue;
        found.set(path, end);
        rest.delete(path);
      }
  }
  return found;
}

const MOST_COMPONENTS = 8;

/** Of `dir/archive.zip!/dir/file.csv` the path inside belongs to the last component. */
function componentsOf(path: string): string[] {
  const { outer, inner } = partedPath(path);
  const parts = outer.split(SEPARATOR).filter(Boolean);
  return [...parts.slice(0, -1), `${parts.at(-1) ?? outer}${inner}`];
}

const SEPARATOR = /[/\\]/;

/** Of `dir/archive.zip!/dir/file.csv` also the path inside, which is the caller's own word and no path of the host. */
function lastOf(path: string): string {
  const { outer, inner } = partedPath(path);
  return visibleName(outer.split(SEPARATOR).filter(Boolean).at(-1) ?? outer) + oneLine(inner);
}

function partedPath(path: string): { readonly outer: string; readonly inner: string } {
  const [, outer = path, inner = ''] = /^(.*?\.\w{1,12})(!\/.*)$/s.exec(path) ?? [];
  return { outer, inner };
}

/** The failure for `error`. */
export function failure(error: ReaderError, name: string): ReadFailure {
  return {
    success: false,
    error: { code: error.code, message: error.message, hint: error.hint },
    metadata: { name },
  };
}
