// Asks a summarizer, and what of its errors is told.

import { ReaderError } from '../../../src/contract/index.ts';
import type { Summarizer, SummaryAnswer } from '../../../src/history/summary/summarizer.ts';

/** A secret that no error may contain. */
export const KEY = 'sk-very-secret-key';

export const ask = (
  summarizer: Summarizer,
  signal: AbortSignal = new AbortController().signal,
): Promise<SummaryAnswer> =>
  summarizer({ instructions: 'Condense it.', transcript: 'TRANSCRIPT $& of it', maxTokens: 100, signal });

/** The error that `promise` rejects with. */
export async function failure(promise: Promise<unknown>): Promise<ReaderError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ReaderError) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}

/** Everything of an error that may be logged. */
export function logged(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return [
    error.message,
    error.stack,
    error instanceof ReaderError ? error.hint : '',
    logged(error.cause ?? ''),
  ].join('\n');
}
