// The result of a restore: a verified original, or an error.

import { quoted, ReaderError } from '../../contract/index.ts';

/** An original. */
export interface Restored {
  readonly kind: 'text' | 'message';
  /** SHA-256 of `text` in hex; verified. */
  readonly sha256: string;
  /** The text, or the message as JSON. */
  readonly text: string;
  /** For a message: its JSON values, from `codec.encode`. */
  readonly message?: unknown;
}

export function notFound(path: string): ReaderError {
  return new ReaderError(
    'FILE_NOT_FOUND',
    `The archived file ${quoted(path)} does not exist.`,
    'Open the archive on the storage it was saved in.',
  );
}

export function corrupt(
  path: string,
  hint: string = 'Restore the file from a backup of the storage.',
): ReaderError {
  return new ReaderError(
    'CORRUPT_FILE',
    `${quoted(path)} changed since it was saved: its SHA-256 differs.`,
    hint,
  );
}
