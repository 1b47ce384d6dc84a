// Whether the source and the destination of a batch can be used, before work begins.

import type { Blobs } from '../blobs/index.ts';
import { errnoOf, quoted } from '../contract/index.ts';
import { ReaderError } from '../index.ts';
import { LAYOUT } from './layout.ts';
import { type Patience, patiently } from './patience.ts';
import type { BatchSource } from './source.ts';

/** Connecting to a host that does not answer may take much longer than this to fail. */
const NOTICE_MS = 5000;

/** @throws {ReaderError} which names the store that cannot be used */
export async function checkStores(
  options: Patience & { readonly source: BatchSource; readonly destination: Blobs },
): Promise<void> {
  const { source, destination, signal, onWait } = options;
  const notice = setTimeout(() => onWait?.(), NOTICE_MS);
  const write = async (): Promise<void> => {
    await destination.put(LAYOUT.check, Buffer.from(''), { signal });
    await destination.remove(LAYOUT.check);
  };
  try {
    await patiently(
      () => named(`source ${quoted(source.location)}`, 'read', () => source.isEmpty(signal)),
      options,
    );
    await patiently(() => named(`destination ${quoted(destination.name)}`, 'written', write), options);
  } finally {
    clearTimeout(notice);
  }
}

async function named(store: string, use: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ReaderError) || error.code === 'ABORTED') throw error;
    const message = `The ${store} cannot be ${use}`;
    // Of a folder. Its own message is about the file that was tried.
    const system = errnoOf(error.cause);
    throw system === undefined
      ? new ReaderError(error.code, `${message}. ${error.message}`, error.hint, error)
      : new ReaderError(
          error.code,
          `${message} (${system}).`,
          'Check that it is a folder, or can be made one, and its permissions.',
          error,
        );
  }
}
