// What inputs are called before they are opened, without the host's folders.

import { isAbsolute } from 'node:path';
import { oneLine, visibleName } from '../contract/index.ts';
import type { Input } from './source/input.ts';

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
 * Names for the headings of several inputs. A relative path is shown as given. A path that is absolute or starts with `..` is
 * shown by its last component, with as many of the components before it as are needed to distinguish the inputs.
 */
export function headingNames(inputs: readonly Input[], inWorkspace: boolean): string[] {
  const isHost = (input: Input): input is string =>
    typeof input === 'string' && !inWorkspace && (isAbsolute(input) || ABOVE.test(input));
  const ends = distinctEnds(inputs.filter(isHost));
  return inputs.map((input) =>
    typeof input === 'string' ? oneLine(ends.get(input) ?? input) : nameOf(input, inWorkspace),
  );
}

/** Maps each path to its shortest suffix of whole components that no other path has. */
function distinctEnds(paths: readonly string[]): ReadonlyMap<string, string> {
  const ends = new Map(paths.map((path) => [path, endsOf(path)]));
  const uses = new Map<string, number>();
  for (const end of [...ends.values()].flat()) uses.set(end, (uses.get(end) ?? 0) + 1);
  return new Map(
    [...ends].map(([path, own]) => [path, own.find((end) => uses.get(end) === 1) ?? own.at(-1) ?? path]),
  );
}

/** The suffixes of a path, the shortest first. */
function endsOf(path: string): string[] {
  const parts = componentsOf(path);
  const most = Math.min(parts.length, MOST_COMPONENTS);
  return Array.from({ length: most }, (_, at) => parts.slice(-1 - at).join('/'));
}

/** Longer suffixes would show more of the host than a heading is worth; such paths share a name. */
const MOST_COMPONENTS = 8;
/** A path that leaves the current folder. */
const ABOVE = /^\.\.(?:[/\\]|$)/;

/** The path inside `dir/archive.zip!/dir/file.csv` belongs to the last component. */
function componentsOf(path: string): string[] {
  const { outer, inner } = partedPath(path);
  const parts = outer.split(SEPARATOR).filter(Boolean);
  return [...parts.slice(0, -1), `${parts.at(-1) ?? outer}${inner}`];
}

const SEPARATOR = /[/\\]/;

/**
 * Keeps what follows the file in `dir/archive.zip!/dir/file.csv` and `dir/api.json#/paths/0`, which comes from the caller
 * and is not a host path.
 */
function lastOf(path: string): string {
  const { outer, inner } = partedPath(path);
  return visibleName(outer.split(SEPARATOR).filter(Boolean).at(-1) ?? outer) + oneLine(inner);
}

function partedPath(path: string): { readonly outer: string; readonly inner: string } {
  const [, outer = path, inner = ''] = /^(.*?\.\w{1,12})([!#]\/.*)$/s.exec(path) ?? [];
  return { outer, inner };
}
