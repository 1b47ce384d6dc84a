// Errors that every store reports in the same words.

import { quoted, ReaderError } from '../contract/index.ts';

export function noBlob(key: string): ReaderError {
  return new ReaderError('FILE_NOT_FOUND', `Nothing is stored as ${quoted(key)}.`, 'Check the name.');
}

export function keyTaken(key: string): ReaderError {
  return new ReaderError('ALREADY_EXISTS', `${quoted(key)} already exists.`, 'Choose another name.');
}

export function blobChanged(key: string): ReaderError {
  return new ReaderError('CONFLICT', `${quoted(key)} changed since it was read.`, 'Read it again.');
}

/** @throws {ReaderError} ABORTED */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled(signal);
}

export function cancelled(signal: AbortSignal): ReaderError {
  return new ReaderError('ABORTED', 'The transfer was cancelled.', 'Call again to repeat it.', signal.reason);
}
