// The answer for an item that has no answer of the reader, in the shape of one.

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
  message: 'The worker ended while it read this file, every time it was tried.',
  hint: 'Retry the dead letters of the job, or read the file with a smaller selection.',
};
