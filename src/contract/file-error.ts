// What is said when a path does not lead to a file that can be read: the same words wherever files are opened.

import type { BigIntStats } from 'node:fs';
import { ReaderError } from './error.ts';
import { quoted } from './name.ts';
import { editDistance } from './text.ts';

/** @throws {ReaderError} NOT_A_FILE unless `stats` is of a regular file */
export function refuseOther(stats: BigIntStats, name: string): void {
  if (stats.isFile()) return;
  const kind = stats.isDirectory()
    ? 'a directory'
    : stats.isFIFO()
      ? 'a named pipe'
      : stats.isSocket()
        ? 'a socket'
        : stats.isSymbolicLink()
          ? 'a link'
          : 'a device';
  throw new ReaderError(
    'NOT_A_FILE',
    `${quoted(name)} is ${kind}; expected a regular file.`,
    stats.isDirectory() ? 'List the directory and read one of its files.' : 'Name a regular file.',
  );
}

/** The system's word for why `name` did not open, as a ReaderError; `near` are names that may have been meant. */
export function openError(error: unknown, name: string, near: readonly string[]): ReaderError {
  const code = errnoOf(error);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new ReaderError(
        'FILE_NOT_FOUND',
        `There is no file ${quoted(name)}.`,
        near.length > 0
          ? `Did you mean ${near.map(quoted).join(' or ')}?`
          : 'Check the name, or list the directory first.',
        error,
      );
    case 'EACCES':
    case 'EPERM':
      return new ReaderError(
        'ACCESS_DENIED',
        `${quoted(name)} may not be read by this process.`,
        'Give the process the right to read it, or read another file.',
        error,
      );
    case 'ELOOP':
      return new ReaderError(
        'NOT_A_FILE',
        `${quoted(name)} is a loop of links; expected a regular file.`,
        'Name the file itself.',
        error,
      );
    case 'ENAMETOOLONG':
      return new ReaderError(
        'BAD_INPUT',
        'The path is longer than the system allows.',
        'Shorten the path.',
        error,
      );
    case 'ENXIO':
      return new ReaderError(
        'NOT_A_FILE',
        `${quoted(name)} is a socket or a device; expected a regular file.`,
        'Name a regular file.',
        error,
      );
    default:
      return new ReaderError(
        'INTERNAL',
        `${quoted(name)} could not be opened${code === undefined ? '' : ` (${code})`}.`,
        'Try again; if it stays, report it.',
        error,
      );
  }
}

/** The system's word for why the open file `name` cannot be read, as a ReaderError. */
export function readError(error: unknown, name: string): ReaderError {
  const code = errnoOf(error);
  if (code === 'EACCES' || code === 'EPERM') return openError(error, name, []);
  return new ReaderError(
    'INTERNAL',
    `${quoted(name)} could not be read${code === undefined ? '' : ` (${code})`}.`,
    'Try again; if it stays, check the disk or the mount it is on.',
    error,
  );
}

/** The `code` of a system error, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const NEAR_ENTRIES = 5000;
const MAX_NEAR = 3;

/** Up to three of the first 5000 `names` that differ from `wanted` by case, Unicode form, kind of space, or two edits. */
export async function nearNames(
  wanted: string,
  names: AsyncIterable<string> | Iterable<string>,
): Promise<string[]> {
  const folded = foldedName(wanted).toLowerCase();
  const found: { readonly name: string; readonly distance: number }[] = [];
  let seen = 0;
  for await (const name of names) {
    seen += 1;
    if (seen > NEAR_ENTRIES) break;
    const distance = editDistance(folded, foldedName(name).toLowerCase(), 2);
    if (distance <= 2) found.push({ name, distance });
  }
  return found
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NEAR)
    .map(({ name }) => name);
}

/** `name` in one Unicode form, every white space a blank, curly quotes straight: equal where only these differ. */
export function foldedName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\s/gu, ' ')
    .replace(/[\u2018\u2019]/gu, "'")
    .replace(/[\u201c\u201d]/gu, '"')
    .slice(0, 255);
}
