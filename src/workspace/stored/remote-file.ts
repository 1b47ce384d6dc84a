// A stored file, open for reading: one version, read by ranges.

import type { BlobFacts, Blobs } from '../../blobs/index.ts';
import { type Bytes, quoted, ReaderError, type RemoteFile } from '../../contract/index.ts';
import { gone } from '../paths/folder.ts';
import { pathError } from '../paths/walk.ts';

/** @param name as shown to a model */
export function remoteFile(blobs: Blobs, facts: BlobFacts, name: string): RemoteFile {
  const { key, bytes: size, modified, version } = facts;
  return {
    name,
    remote: {
      size,
      modified,
      version,
      stream: (from, to, signal) => streamOf(blobs, { key, version, name }, from, to, signal),
    },
  };
}

async function* streamOf(
  blobs: Blobs,
  { key, version, name }: { readonly key: string; readonly version: string; readonly name: string },
  from: Bytes,
  to: Bytes,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* blobs.stream(key, { from, to, version, ...(signal && { signal }) });
  } catch (error) {
    throw storedError(error, name);
  }
}

/** An error of the store, with the name that a model knows instead of the key. */
export function storedError(error: unknown, name: string): unknown {
  if (!(error instanceof ReaderError)) return error;
  if (error.code === 'FILE_NOT_FOUND') return pathError(gone(), name, 'open');
  if (error.code !== 'CONFLICT') return error;
  return new ReaderError('CONFLICT', `${quoted(name)} changed since it was opened.`, 'Read it again.', error);
}
