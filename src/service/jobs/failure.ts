// The answer for an item without an answer of the reader, in the same shape.

import type { ItemError } from './queue.ts';

/** JSON of a `ReadFailure`. */
export const failureJson = (name: string, error: ItemError): string =>
  JSON.stringify({ success: false, error, metadata: { name } });

export const CANCELLED: ItemError = {
  code: 'ABORTED',
  message: 'The job was cancelled before this file was read.',
  hint: 'Submit the file again to read it.',
};

export const WORKER_LOST: ItemError = {
  code: 'CRASHED',
  message: 'The worker died while reading this file, on every attempt.',
  hint: 'Retry the dead letters of the job, or read the file with a smaller selection.',
};
