// Checks whether a stored file may be replaced or removed.

import { createHash } from 'node:crypto';
import type { BlobFacts } from '../../blobs/index.ts';
import { changedSince } from '../files/replacing.ts';
import type { BlobStore } from './blob-store.ts';
import { storedError } from './remote-file.ts';

/** @throws {ReaderError} CONFLICT unless the content of `facts` has this hash */
export async function refuseOtherHash(
  { blobs }: BlobStore,
  facts: BlobFacts | undefined,
  sha256: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!facts) throw changedSince(path, false);
  const hash = createHash('sha256');
  try {
    for await (const piece of blobs.stream(facts.key, { version: facts.version, ...(signal && { signal }) }))
      hash.update(piece);
  } catch (error) {
    throw storedError(error, path);
  }
  if (hash.digest('hex') !== sha256.toLowerCase()) throw changedSince(path, true);
}
