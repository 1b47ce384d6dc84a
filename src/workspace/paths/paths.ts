// Parses a workspace path into names below the root, or throws. Works on text only; `walk.ts` deals with links and the
// file system.

import { isAbsolute } from 'node:path/posix';
import { quoted, ReaderError } from '../../contract/index.ts';

/** The path at which sandboxes see a workspace. */
export const MOUNT = '/workspace';

/** Maximum characters in a path: eight times the system's PATH_MAX, which does not apply to a walk by descriptors. */
const MAX_PATH = 32_768;

/** Maximum bytes in a name: NAME_MAX of Linux. */
const MAX_NAME_BYTES = 255;

/** A root and the path it is mounted at elsewhere. */
export interface Mapping {
  /** Absolute path of the workspace on this host. */
  readonly root: string;
  /** Default `/workspace`. */
  readonly mount?: string;
}

/**
 * The names that lead from the root to `path`, which is relative, below `mount` or below `host`; empty for the root
 * itself. Resolves `.` and `..` as text; `..` may not step above the root.
 * @throws {ReaderError} BAD_INPUT, PATH_ESCAPES_WORKSPACE
 */
export function parsePath(path: string, mount: string = MOUNT, host?: string): string[] {
  if (!isAbsolute(checkPath(path))) return namesBelow(path, [], mount, path);
  return namesBelow(path, namesAbove(namesOf(path), mount, host) ?? namesOf(mount), mount, path);
}

/**
 * The names of whichever of `mount` and `host` contains the absolute path `names`; undefined for neither. `host` is the
 * root's absolute path on this host, where paths may use it. `mount` is tried first because answers use it. `spelled`
 * maps a name to its spelling in `names`.
 */
export function namesAbove(
  names: readonly string[],
  mount: string,
  host: string | undefined,
  spelled: (name: string) => string = (name) => name,
): readonly string[] | undefined {
  return [mount, ...(host === undefined ? [] : [host])]
    .map((prefix) => namesOf(prefix).map(spelled))
    .find((above) => above.every((name, i) => names[i] === name));
}

/**
 * The host path of a workspace path. Works on text only and does not check links, so open the file through a workspace,
 * not by this path.
 * @throws {ReaderError} BAD_INPUT, PATH_ESCAPES_WORKSPACE
 */
export function containerToHostPath(path: string, { root, mount = MOUNT }: Mapping): string {
  return `/${[...rootNames(root), ...parsePath(path, mount)].join('/')}`;
}

/**
 * The workspace path, below the mount, of an absolute host path: the inverse of `containerToHostPath`.
 * @throws {ReaderError} BAD_INPUT, PATH_ESCAPES_WORKSPACE
 */
export function hostToContainerPath(hostPath: string, { root, mount = MOUNT }: Mapping): string {
  if (!isAbsolute(checkPath(hostPath)))
    throw new ReaderError(
      'BAD_INPUT',
      'The host path is relative; expected an absolute path.',
      'Pass the absolute path.',
    );
  const names = namesBelow(hostPath, rootNames(root), mount, 'the host path');
  return `/${[...namesOf(mount), ...names].join('/')}`;
}

/** `names` as a path below the mount, which a workspace accepts. */
export function mountedPath(names: readonly string[], mount: string): string {
  return [mount === '/' ? '' : mount, ...names].join('/') || '/';
}

/** The error for a path that leads outside the workspace. `shown` must not reveal a host path. */
export function escapes(shown: string, mount: string): ReaderError {
  return new ReaderError(
    'PATH_ESCAPES_WORKSPACE',
    `${quoted(shown)} leads outside the workspace.`,
    `Name a path inside the workspace: relative, or below ${quoted(mount)}.`,
  );
}

/** The names of a path, without empty names and `.`. */
export function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

function rootNames(root: string): string[] {
  const names = namesOf(root);
  if (isAbsolute(root) && !names.includes('..')) return names;
  throw new ReaderError(
    'BAD_INPUT',
    'The root is not an absolute path without `..`.',
    'Pass the absolute path of the workspace.',
  );
}

/** Strips `above` from the front, then resolves `..`, which must not step above the root. */
function namesBelow(path: string, above: readonly string[], mount: string, shown: string): string[] {
  const names = namesOf(path);
  for (const expected of above) if (names.shift() !== expected) throw escapes(shown, mount);
  const found: string[] = [];
  for (const name of names) {
    if (name !== '..') found.push(checkName(name));
    else if (found.pop() === undefined) throw escapes(shown, mount);
  }
  return found;
}

function checkPath(path: unknown): string {
  const wrong =
    typeof path !== 'string'
      ? `is a value of type \`${typeof path}\``
      : path.length > MAX_PATH
        ? `has ${path.length} characters, more than ${MAX_PATH}`
        : path.includes('\0')
          ? 'contains a NUL character'
          : /\p{Surrogate}/u.test(path)
            ? 'contains an unpaired surrogate'
            : undefined;
  if (wrong === undefined && typeof path === 'string') return path;
  throw new ReaderError(
    'BAD_INPUT',
    `The path ${wrong}; expected a path inside the workspace.`,
    'Pass a path as returned by a listing.',
  );
}

function checkName(name: string): string {
  // Names this short cannot exceed the limit, and counting bytes is expensive.
  const bytes = name.length * 3 <= MAX_NAME_BYTES ? 0 : Buffer.byteLength(name);
  if (bytes <= MAX_NAME_BYTES) return name;
  throw new ReaderError(
    'BAD_INPUT',
    `The name ${quoted(name)} has ${bytes} bytes; expected at most ${MAX_NAME_BYTES}.`,
    'Shorten the name.',
  );
}
