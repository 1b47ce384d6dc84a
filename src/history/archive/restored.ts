// What a restore gives: an original, checked; or why it cannot.

import { quoted, ReaderError } from '../../contract/index.ts';

/** An original. */
export interface Restored {
  readonly kind: 'text' | 'message';
  /** Of `text`, in hex; checked. */
  readonly sha256: string;
  /** The text, or the message as JSON. */
  readonly text: string;
  /** Of a message: its JSON values, as `codec.encode` gave them. */
  readonly message?: unknown;
}

export function notFound(path: string): ReaderError {
  return new ReaderError(
    'FILE_NOT_FOUND',
    `There is no archived file ${quoted(path)}.`,
    'Open the archive over the storage it was saved in.',
  );
}

export function corrupt(
  path: string,
  hint: string = 'Take the file back from a backup of the storage.',
): ReaderError {
  return new ReaderError('CORRUPT_FILE', `${quoted(path)} is not what was saved: its SHA-256 differs.`, hint);
}
