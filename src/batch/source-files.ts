// The documents of a source as files of a reader: each in the version that was listed, without asking the store again.

import type { Blobs } from '../blobs/index.ts';
import { type Files, ReaderError, type RemoteBytes } from '../contract/index.ts';
import type { BatchDocument } from './document.ts';

/** Files of a shard, and the error of the store that ended a read, if one did. */
export interface SourceFiles extends Files {
  /** Taken once. The failed read is not the fault of the document. */
  takeFailure(key: string): ReaderError | undefined;
}

/** Errors that another attempt may not have, or that concern every document. */
const OF_STORE = new Set(['TIMED_OUT', 'ACCESS_DENIED', 'INTERNAL', 'BUSY']);

export function sourceFiles(source: Blobs, documents: readonly BatchDocument[]): SourceFiles {
  const known = new Map(documents.map((document) => [document.key, document]));
  const failures = new Map<string, ReaderError>();
  const remoteOf = ({ key, bytes, version }: BatchDocument): RemoteBytes => ({
    size: bytes,
    modified: new Date(0),
    version,
    async *stream(from, to, signal) {
      try {
        yield* source.stream(key, { from, to, version, ...(signal && { signal }) });
      } catch (error) {
        if (error instanceof ReaderError && OF_STORE.has(error.code)) failures.set(key, error);
        throw error;
      }
    },
  });
  return {
    open: (key) => {
      const document = known.get(key);
      if (document) return Promise.resolve({ name: key, remote: remoteOf(document) });
      return Promise.reject(
        new ReaderError('FILE_NOT_FOUND', 'The document is not in the shard.', 'Check the manifest.'),
      );
    },
    kind: (key) => Promise.resolve(known.has(key) ? 'file' : undefined),
    takeFailure: (key) => {
      const failure = failures.get(key);
      failures.delete(key);
      return failure;
    },
  };
}
