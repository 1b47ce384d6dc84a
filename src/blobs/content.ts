// Content to store, as chunks.

import { ReaderError, throwIfAborted } from '../contract/index.ts';

/** The chunks of `content`; checks for an abort before each. */
export async function* chunksOf(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (signal) throwIfAborted(signal);
  if (content instanceof Uint8Array) {
    yield content;
    return;
  }
  for await (const chunk of content) {
    if (signal) throwIfAborted(signal);
    yield chunk;
  }
}

export const missing = (key: string, cause?: unknown): ReaderError =>
  new ReaderError('FILE_NOT_FOUND', `Nothing is stored under \`${key}\`.`, 'Check the key.', cause);

export const taken = (key: string, cause?: unknown): ReaderError =>
  new ReaderError(
    'ALREADY_EXISTS',
    `Something is already stored under \`${key}\`.`,
    'Choose another key, or replace it.',
    cause,
  );

export const changed = (key: string, cause?: unknown): ReaderError =>
  new ReaderError('CONFLICT', `What is stored under \`${key}\` changed.`, 'Look at it again.', cause);
