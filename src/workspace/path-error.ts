// The system's words for what went wrong below a workspace, as errors a model can act on. For reading a file they are
// those of the contract.

import { errnoOf, openError, quoted, ReaderError } from '../contract/index.ts';
import { NotFound } from './walk.ts';

const nearOf = (error: unknown): readonly string[] => (error instanceof NotFound ? error.near : []);

/** For a file that was to be read. */
export function fileError(error: unknown, path: string): ReaderError {
  return error instanceof ReaderError
    ? error
    : (tooManyOpen(error, path) ?? openError(error, path, nearOf(error)));
}

/** For a folder that was to be opened. */
export function folderError(error: unknown, path: string): ReaderError {
  if (error instanceof ReaderError) return error;
  const near = nearOf(error);
  switch (errnoOf(error)) {
    case 'ENOENT':
      return new ReaderError(
        'FILE_NOT_FOUND',
        `There is no folder ${quoted(path)}.`,
        near.length > 0
          ? `Did you mean ${near.map(quoted).join(' or ')}?`
          : 'Check the name, or list the folder above.',
        error,
      );
    case 'ENOTDIR':
      return new ReaderError(
        'NOT_A_FILE',
        `${quoted(path)} is not a folder, or leads through something that is none.`,
        'Read the file, or name a folder.',
        error,
      );
    case 'EACCES':
    case 'EPERM':
      return new ReaderError(
        'ACCESS_DENIED',
        `The folder ${quoted(path)} may not be entered by this process.`,
        'Give the process the right to enter it, or use another folder.',
        error,
      );
    default:
      return tooManyOpen(error, path) ?? openError(error, path, near);
  }
}

function tooManyOpen(error: unknown, path: string): ReaderError | undefined {
  const code = errnoOf(error);
  if (code !== 'EMFILE' && code !== 'ENFILE') return undefined;
  return new ReaderError(
    'BUSY',
    `${quoted(path)} could not be opened: too many files are open.`,
    'Try again when less is under way.',
    error,
  );
}

/** For what was to be written, moved or removed. */
export function changeError(error: unknown, path: string): ReaderError {
  if (error instanceof ReaderError) return error;
  const code = errnoOf(error);
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new ReaderError(
        'QUOTA_EXCEEDED',
        `${quoted(path)} could not be written: the disk is full or the system's own quota is used up.`,
        'Remove files that are no longer needed, or make room on the disk.',
        error,
      );
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new ReaderError(
        'ACCESS_DENIED',
        `${quoted(path)} may not be changed by this process.`,
        'Use a folder that may be written to.',
        error,
      );
    case 'ENOTDIR':
      return new ReaderError(
        'NOT_A_FILE',
        `${quoted(path)} leads through something that is no folder.`,
        'Use a path whose folders are folders.',
        error,
      );
    case 'EISDIR':
      return new ReaderError(
        'NOT_A_FILE',
        `${quoted(path)} is a directory; expected a regular file.`,
        'Choose another name.',
        error,
      );
    default: {
      const busy = tooManyOpen(error, path);
      if (busy) return busy;
      return code === undefined || code === 'ENOENT' || code === 'ENAMETOOLONG'
        ? openError(error, path, nearOf(error))
        : new ReaderError(
            'INTERNAL',
            `${quoted(path)} could not be changed (${code}).`,
            'Try again; if it stays, report it.',
            error,
          );
    }
  }
}
