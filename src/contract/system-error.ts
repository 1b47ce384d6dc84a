// Maps system error codes to messages for callers: one table for all rooms that touch files.

import type { BigIntStats } from 'node:fs';
import { type ErrorCode, ReaderError } from './error.ts';
import { quoted } from './name.ts';

/**
 * The failed operation: opening a file, entering a folder, reading an open file, or writing, moving or removing
 * something.
 */
export type Attempt = 'open' | 'enter' | 'read' | 'change';

type Words = readonly [code: ErrorCode, message: (name: string) => string, hint: string];

const TOO_MANY_OPEN: Words = [
  'BUSY',
  (name) => `${name} could not be opened: too many files are open.`,
  'Try again when fewer files are open.',
];
const DISK_FULL: Words = [
  'QUOTA_EXCEEDED',
  (name) => `${name} could not be written: the disk or the system's quota is full.`,
  'Remove files that are no longer needed, or free space on the disk.',
];
const UNREADABLE: Words = [
  'ACCESS_DENIED',
  (name) => `This process has no permission to read ${name}.`,
  'Give the process read permission, or read another file.',
];
const NOT_ENTERED: Words = [
  'ACCESS_DENIED',
  (name) => `This process has no permission to enter the folder ${name}.`,
  'Give the process permission to enter it, or use another folder.',
];
const NOT_WRITABLE: Words = [
  'ACCESS_DENIED',
  (name) => `This process has no permission to change ${name}.`,
  'Use a writable folder.',
];
const NO_FILE: Words = [
  'FILE_NOT_FOUND',
  (name) => `There is no file ${name}.`,
  'Check the name, or list the directory first.',
];
const NO_FOLDER: Words = [
  'FILE_NOT_FOUND',
  (name) => `There is no folder ${name}.`,
  'Check the name, or list the folder above.',
];
const PARENT_NO_FOLDER: Words = [
  'NOT_A_FOLDER',
  (name) => `A parent in the path ${name} is not a folder.`,
  'Every parent in the path must be a folder.',
];
const LOOP: Words = [
  'NOT_A_FILE',
  (name) => `${name} is part of a loop of links; expected a regular file.`,
  'Name the file itself.',
];
const TOO_LONG: Words = [
  'BAD_INPUT',
  () => 'The path is longer than the system allows.',
  'Shorten the path.',
];
const DEVICE: Words = [
  'NOT_A_FILE',
  (name) => `${name} is a socket or a device; expected a regular file.`,
  'Name a regular file.',
];

const TABLE: Readonly<Record<string, Partial<Record<Attempt, Words>>>> = {
  ENOENT: { open: NO_FILE, enter: NO_FOLDER, change: NO_FILE },
  ENOTDIR: {
    open: PARENT_NO_FOLDER,
    enter: [
      'NOT_A_FOLDER',
      (name) => `${name}, or a parent in its path, is not a folder.`,
      'Read the file, or name a folder.',
    ],
    change: PARENT_NO_FOLDER,
  },
  EISDIR: {
    change: [
      'NOT_A_FILE',
      (name) => `${name} is a directory; expected a regular file.`,
      'Choose another name.',
    ],
  },
  EACCES: { open: UNREADABLE, enter: NOT_ENTERED, read: UNREADABLE, change: NOT_WRITABLE },
  EPERM: { open: UNREADABLE, enter: NOT_ENTERED, read: UNREADABLE, change: NOT_WRITABLE },
  EROFS: { change: NOT_WRITABLE },
  ELOOP: { open: LOOP, enter: LOOP },
  ENAMETOOLONG: { open: TOO_LONG, enter: TOO_LONG, change: TOO_LONG },
  ENXIO: { open: DEVICE, enter: DEVICE },
  EMFILE: { open: TOO_MANY_OPEN, enter: TOO_MANY_OPEN, change: TOO_MANY_OPEN },
  ENFILE: { open: TOO_MANY_OPEN, enter: TOO_MANY_OPEN, change: TOO_MANY_OPEN },
  ENOSPC: { change: DISK_FULL },
  EDQUOT: { change: DISK_FULL },
  EFBIG: { change: DISK_FULL },
};

const FAILED: Readonly<Record<Attempt, string>> = {
  open: 'opened',
  enter: 'opened',
  read: 'read',
  change: 'changed',
};

/**
 * Converts `error` to one a caller can act on; a ReaderError stays unchanged.
 * @param name of the file or folder, as shown in the message
 * @param near similar names that may have been meant
 */
export function systemError(
  error: unknown,
  name: string,
  attempt: Attempt,
  near: readonly string[] = [],
): ReaderError {
  if (error instanceof ReaderError) return error;
  const code = errnoOf(error);
  const words = code === undefined ? undefined : TABLE[code]?.[attempt];
  if (!words)
    return new ReaderError(
      'INTERNAL',
      `${quoted(name)} could not be ${FAILED[attempt]}${code === undefined ? '' : ` (${code})`}.`,
      attempt === 'read' ? 'Try again, then check the disk or the mount.' : 'Try again, then report it.',
      error,
    );
  const [meaning, message, hint] = words;
  const meant = meaning === 'FILE_NOT_FOUND' && near.length > 0;
  return new ReaderError(
    meaning,
    message(quoted(name)),
    meant ? `Did you mean ${near.map(quoted).join(' or ')}?` : hint,
    error,
  );
}

/** @throws {ReaderError} NOT_A_FILE unless `stats` describes a regular file */
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

/** The `code` of a system error, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
