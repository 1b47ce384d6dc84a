// Resolves a path that does not exist as written: a path of another machine, a base name, a path followed by a line
// number, the path of an address. Accepts only a unique match, and never a hidden or ignored file.

import { addressCuts } from '../address/index.ts';
import { named, quoted, ReaderError } from '../contract/index.ts';
import type { Workspace } from '../workspace/index.ts';

/**
 * What a path may lead to: a `file`, an existing file to read; `changed`, a file to change, where a guess must be more
 * certain; `folder`, a folder or a file; `new`, a new file.
 */
export type PathKind = 'file' | 'changed' | 'folder' | 'new';

/** Where a path leads. */
export interface FoundPath {
  readonly path: string;
  /** The lines that followed it, as the reader takes them: `9-`, `9-11`. */
  readonly lines?: string;
  /** A note if the path is not the one written. */
  readonly note?: string;
}

/** A path as written, without surrounding characters. */
interface Written {
  readonly given: string;
  readonly names: readonly string[];
  readonly isAbsolute: boolean;
  readonly lines: string | undefined;
}

const MAX_LISTED = 10;
/** Maximum files of one name to choose among; with more, nothing is guessed. */
const MAX_FILES = 200;
const MAX_LENGTH = 4096;

/**
 * `given` itself if it exists or nothing fits better.
 * @throws {ReaderError} BAD_INPUT for a URL, FILE_NOT_FOUND when several files fit
 */
export async function foundPath(
  workspace: Workspace,
  given: string,
  kind: PathKind,
  signal: AbortSignal,
): Promise<FoundPath> {
  if (given.length > MAX_LENGTH || (await isThere(workspace, given))) return { path: given };
  const inside = given.indexOf('!/');
  if (inside > 0) {
    const { path, note } = await foundPath(workspace, given.slice(0, inside), kind, signal);
    return { path: path + given.slice(inside), ...(note !== undefined && { note }) };
  }
  refuseUrl(given);
  const address = kind === 'file' ? await foundAddress(workspace, given, signal) : undefined;
  if (address) return address;
  const written = read(given);
  if (!written) return { path: given };
  const found = await ofNames(workspace, written, kind, signal);
  return found ?? { path: given };
}

/** The file of an address, with the place behind it; undefined if no file has the name without a place. */
async function foundAddress(
  workspace: Workspace,
  given: string,
  signal: AbortSignal,
): Promise<FoundPath | undefined> {
  for (const cut of addressCuts(given))
    if ((await workspace.kind(given.slice(0, cut))) === 'file') return { path: given };
  const [base = '', ...place] = given.split('#');
  const written = place.length === 0 ? undefined : read(base);
  const found = written && (await ofNames(workspace, written, 'file', signal));
  return found && { ...found, path: [found.path, ...place].join('#') };
}

/** Also true without an accessible workspace; the tool itself reports that. */
async function isThere(workspace: Workspace, path: string): Promise<boolean> {
  try {
    return (await workspace.kind(path)) !== undefined;
  } catch (error) {
    if (error instanceof ReaderError && error.code === 'FILE_NOT_FOUND') return true;
    if (error instanceof ReaderError) return false;
    throw error;
  }
}

function refuseUrl(given: string): void {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(given) || /^file:/i.test(given)) return;
  throw new ReaderError(
    'BAD_INPUT',
    `${quoted(given)} is a URL; expected a path in the workspace.`,
    'Pass the path of a file in the workspace.',
  );
}

/** Undefined for a path that must not be guessed: one that steps up, or is empty. */
function read(given: string): Written | undefined {
  let text = given.trim().replace(/^(["'`])(.*)\1$/s, '$2');
  if (/^file:\/\//i.test(text)) text = decoded(text.replace(/^file:\/\/(?:localhost)?/i, ''));
  if (/^@[^/]/.test(text)) text = text.slice(1);
  const isDrive = /^[a-z]:[\\/]/i.test(text);
  if (isDrive) text = text.slice(2);
  if (!text.includes('/') || isDrive) text = text.replaceAll('\\', '/');
  const place =
    /^(.*?)(?::(\d{1,9})(?:-(\d{1,9})|:\d{1,9})?|#L(\d{1,9})(?:C\d{1,9})?(?:-L?(\d{1,9}))?)$/s.exec(text);
  const path = place?.[1] ?? text;
  const start = place?.[2] ?? place?.[4];
  const end = place?.[3] ?? place?.[5];
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.length === 0 || names.includes('..')) return undefined;
  const isAbsolute = path.startsWith('/') || names[0] === '~' || isDrive;
  return { given, names, isAbsolute, lines: start === undefined ? undefined : `${start}-${end ?? ''}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function ofNames(
  workspace: Workspace,
  written: Written,
  kind: PathKind,
  signal: AbortSignal,
): Promise<FoundPath | undefined> {
  const { names, lines } = written;
  const withLines = (path: string): FoundPath => ({ path, ...(lines !== undefined && { lines }) });
  const shorter = belowMount(names, workspace.mount);
  // Everything written belongs to the path, except for a mark before or after it.
  for (const path of [names, shorter])
    if (path.length > 0 && !isHidden(path) && (await workspace.kind(path.join('/'))) !== undefined)
      return withLines(path.join('/'));
  if (kind === 'new') return await newPath(workspace, written, shorter);
  const found = kind === 'folder' ? await folderLike(workspace, written, signal) : undefined;
  const file = found ?? (await fileLike(workspace, written, kind, signal));
  if (file === undefined) return undefined;
  return {
    ...withLines(file),
    note: `\n[Note: ${named(written.given)} does not exist in the workspace; this is ${named(file)}.]\n`,
  };
}

/** `workspace/a` without the mount's name. */
function belowMount(names: readonly string[], mount: string): readonly string[] {
  const above = mount.split('/').filter((name) => name !== '');
  const last = above.at(-1);
  return last !== undefined && names[0] === last ? names.slice(1) : [];
}

const isHidden = (names: readonly string[]): boolean => names.some((name) => name.startsWith('.'));

/** Below the mount, or below `/` if its folder exists in the workspace. */
async function newPath(
  workspace: Workspace,
  { names, isAbsolute }: Written,
  shorter: readonly string[],
): Promise<FoundPath | undefined> {
  const isBelow = shorter.length > 0 && (await workspace.kind(names[0] ?? '')) === undefined;
  if (isBelow) return { path: shorter.join('/') };
  if (!isAbsolute) return undefined;
  const folder = names.slice(0, -1).join('/');
  const isThere = folder === '' || (await workspace.kind(folder)) === 'directory';
  return isThere ? { path: names.join('/') } : undefined;
}

/** The folder whose path ends like the one written, and that holds files that are not ignored. */
async function folderLike(
  workspace: Workspace,
  { names, isAbsolute }: Written,
  signal: AbortSignal,
): Promise<string | undefined> {
  const least = isAbsolute ? 1 : 2;
  for (let from = 1; names.length - from >= least; from += 1) {
    const rest = names.slice(from);
    const path = rest.join('/');
    if (isHidden(rest) || (await workspace.kind(path)) !== 'directory') continue;
    const { entries } = await workspace.glob(`${literalGlob(path)}/**`, { limit: 1, signal });
    return entries.length > 0 ? path : undefined;
  }
  return undefined;
}

/** @throws {ReaderError} FILE_NOT_FOUND naming the files, if several fit */
async function fileLike(
  workspace: Workspace,
  { given, names, isAbsolute }: Written,
  kind: PathKind,
  signal: AbortSignal,
): Promise<string | undefined> {
  const base = names.at(-1) ?? '';
  if (base.startsWith('.') || Buffer.byteLength(base) > 255) return undefined;
  const { entries, next, total } = await workspace.glob(`**/${literalGlob(base)}`, {
    limit: MAX_FILES,
    signal,
  });
  const files = entries
    .filter((entry) => entry.kind === 'file')
    .map(({ path }) => path)
    .filter((path) => !isHidden(path.split('/')));
  if (files.length === 0) return undefined;
  const wanted = `/${names.join('/')}`;
  const longer = files.filter((path) => `/${path}`.endsWith(wanted));
  // The end of another machine's path: two names, or the whole path of a file whose name is unique.
  const shorter = files.filter(
    (path) =>
      wanted.endsWith(`/${path}`) &&
      (path.includes('/') || (isAbsolute && kind !== 'changed' && files.length === 1)),
  );
  const fits = longer.length > 0 ? longer : shorter;
  const [only] = fits;
  const isComplete = next === null && total !== null;
  if (only !== undefined && fits.length === 1 && isComplete) return only;
  const listed = fits.length > 0 ? fits : files;
  const more = listed.length > MAX_LISTED || !isComplete ? ' and more' : '';
  throw new ReaderError(
    'FILE_NOT_FOUND',
    `${quoted(given)} does not exist. ${listed.length === 1 ? 'A file of that name is' : 'Files of that name are'} ${listed.slice(0, MAX_LISTED).map(quoted).join(', ')}${more}.`,
    listed.length === 1 ? 'Use that path if it is the file you mean.' : 'Use one of these paths.',
  );
}

/** A pattern that matches only this path. */
export function literalGlob(path: string): string {
  return path.replace(/[\\*?[\]{}!()]/g, '\\$&');
}
