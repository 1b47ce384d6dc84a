// Caches finished and running scans by the identity of their source, so that a second request needs no second pass.

import { createContentMap, type Source, throwIfAborted } from '../contract/index.ts';
import { PIECE_BYTES, type SparseIndex } from './sparse-index.ts';

const MAX_KEPT = 64;
const kept = createContentMap<Promise<unknown>>({ most: MAX_KEPT });

/**
 * The cached or running scan of `question` for this content, else a new one. Failed and very short scans are not kept;
 * a caller waiting for another's failed scan runs its own.
 * @throws {ReaderError} ABORTED as soon as `signal` is aborted, even if another caller's scan continues
 */
export async function keep<T extends SparseIndex>(
  source: Source,
  question: string,
  signal: AbortSignal,
  scan: () => Promise<T>,
): Promise<T> {
  throwIfAborted(signal);
  // Finding out what its content is takes longer than the scan.
  if (source.size <= PIECE_BYTES) return scan();
  const encoding = 'encoding' in source ? JSON.stringify(source.encoding) : '';
  const key = `${await source.identity()} ${source.size} ${encoding} ${question}`;
  const found = kept.get(key);
  if (found) {
    try {
      // Each question has one type of result, so the key determines the type.
      return await unlessAborted(found as Promise<T>, signal);
    } catch {
      throwIfAborted(signal);
    }
  }
  const running = scan();
  kept.set(key, running);
  let worthKeeping = false;
  try {
    const index = await running;
    worthKeeping = index.size - index.checkpoints.start > PIECE_BYTES && !index.changed;
    return index;
  } finally {
    if (!worthKeeping && kept.get(key) === running) kept.delete(key);
  }
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  throwIfAborted(signal);
  let stop = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([promise, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
  throwIfAborted(signal);
  return promise;
}
