// What a path of the workspace says, before anything is opened: names below the root, or an error. Pure text; links and
// what lies there are the business of `walk.ts`.

import { isAbsolute } from 'node:path/posix';
import { quoted, ReaderError } from '../../contract/index.ts';

/** Where sandboxes see a workspace. */
export const MOUNT = '/workspace';

/** Characters of a path: eight times the system's own PATH_MAX, which the walk by descriptors does not know. */
const MAX_PATH = 32_768;

/** Bytes of one name: NAME_MAX of Linux. */
const MAX_NAME_BYTES = 255;

/** A root and how its content is seen from elsewhere. */
export interface Mapping {
  /** Absolute path of the workspace on this host. */
  readonly root: string;
  /** Default `/workspace`. */
  readonly mount?: string;
}

/**
 * The names that lead from the root to `path`, which is relative, below `mount` or below `host`; none for the root itself.
 * `.` and `..` are resolved as text, and may not step above any of them.
 * @throws {ReaderError} BAD_INPUT, PATH_ESCAPES_WORKSPACE
 */
export function parsePath(path: string, mount: string = MOUNT, host?: string): string[] {
  if (!isAbsolute(checkPath(path))) return namesBelow(path, [], mount, path);
  return namesBelow(path, namesAbove(namesOf(path), mount, host) ?? namesOf(mount), mount, path);
}

/**
 * Which of `mount` and `host`, the absolute path of the root on this host where paths may say it, an absolute path is
 * below: its names, undefined for neither. The mount goes first, because answers name it. `spelled` is how `names` write
 * a name.
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
 * The path on this host of a path of the workspace, as text: links are not looked at, so what it leads to must be opened
 * through a workspace and not by this path.
 * @throws {ReaderError} BAD_INPUT, PATH_ESCAPES_WORKSPACE
 */
export function containerToHostPath(path: string, { root, mount = MOUNT }: Mapping): string {
  return `/${[...rootNames(root), ...parsePath(path, mount)].join('/')}`;
}

/**
 * The path in the workspace, below the mount, of an absolute path on this host: the inverse of `containerToHostPath`.
 * @throws {ReaderError} BAD_INPUT, PATH_ESCAPES_WORKSPACE
 */
export function hostToContainerPath(hostPath: string, { root, mount = MOUNT }: Mapping): string {
  if (!isAbsolute(checkPath(hostPath)))
    throw new ReaderError(
      'BAD_INPUT',
      'The host path is relative; expected an absolute one.',
      'Pass the absolute path.',
    );
  const names = namesBelow(hostPath, rootNames(root), mount, 'the host path');
  return `/${[...namesOf(mount), ...names].join('/')}`;
}

/** `names` as a path that a workspace takes back, seen from the sandbox. */
export function mountedPath(names: readonly string[], mount: string): string {
  return [mount === '/' ? '' : mount, ...names].join('/') || '/';
}

/** What is thrown for whatever leads out; `shown` names no host path. */
export function escapes(shown: string, mount: string): ReaderError {
  return new ReaderError(
    'PATH_ESCAPES_WORKSPACE',
    `${quoted(shown)} leads outside the workspace.`,
    `Name a path inside the workspace: relative, or below ${quoted(mount)}.`,
  );
}

/** The names of a path, without those that say nothing. */
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

/** Strips `above` from the front, then resolves `..`, which may never step above what is left. */
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
          ? 'holds a NUL character'
          : /\p{Surrogate}/u.test(path)
            ? 'holds half of a surrogate pair'
            : undefined;
  if (wrong === undefined && typeof path === 'string') return path;
  throw new ReaderError(
    'BAD_INPUT',
    `The path ${wrong}; expected a path inside the workspace.`,
    'Pass a path as a listing gives it.',
  );
}

function checkName(name: string): string {
  // No name of so few units can be too long, and counting bytes costs.
  const bytes = name.length * 3 <= MAX_NAME_BYTES ? 0 : Buffer.byteLength(name);
  if (bytes <= MAX_NAME_BYTES) return name;
  throw new ReaderError(
    'BAD_INPUT',
    `The name ${quoted(name)} has ${bytes} bytes; expected at most ${MAX_NAME_BYTES}.`,
    'Shorten the name.',
  );
}
