// The documents of a source as files of a reader: each in the version that was listed, without asking the store again.

import { type Files, quoted, ReaderError, type RemoteBytes } from '../contract/index.ts';
import { type BatchDocument, MISSING } from './document.ts';
import { type BatchSource, LIST, refuseMissing } from './source.ts';

/** Files of a shard, and the error of the store that ended a read, if one did. */
export interface SourceFiles extends Files {
  /** Taken once. Undefined if the document alone is to blame for the failed read. @throws {ReaderError} of the store */
  takeFailure(key: string, signal: AbortSignal): Promise<ReaderError | undefined>;
}

/** Errors that another attempt may not have, or that may concern every document. */
const OF_STORE = new Set(['TIMED_OUT', 'ACCESS_DENIED', 'FILE_NOT_FOUND', 'INTERNAL', 'BUSY']);
/** Other documents that are tried when one is refused, and errors that let the next one be tried. */
const PROBES = 5;
const OF_DOCUMENT = new Set(['ACCESS_DENIED', 'FILE_NOT_FOUND', 'CONFLICT']);

export function sourceFiles(
  source: Pick<BatchSource, 'stream' | 'isEmpty' | 'location'>,
  documents: readonly BatchDocument[],
): SourceFiles {
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
  /** Whether the store lets another document be read: then its credentials are not the reason. */
  const opensOther = async (denied: string, signal: AbortSignal): Promise<boolean> => {
    const others = documents.filter(({ key, bytes }) => key !== denied && bytes > 0);
    const step = Math.max(1, Math.ceil(others.length / PROBES));
    for (let at = 0; at < others.length; at += step) {
      const key = others[at]?.key ?? '';
      try {
        for await (const piece of source.stream(key, { from: 0, to: 1, signal })) return piece.length > 0;
      } catch (error) {
        if (!(error instanceof ReaderError) || !OF_DOCUMENT.has(error.code)) throw error;
      }
    }
    return false;
  };
  return {
    open: async (key) => {
      const document = known.get(key);
      if (!document)
        throw new ReaderError('FILE_NOT_FOUND', 'The document is not in the shard.', 'Check the manifest.');
      if (document.version === MISSING) return await refuseMissing(key);
      const remote = remoteOf(document);
      // Nothing would be read of an empty document, not even its version.
      if (document.bytes === 0) for await (const _piece of remote.stream(0, 1)) break;
      return { name: key, remote };
    },
    kind: (key) => Promise.resolve(known.has(key) ? 'file' : undefined),
    takeFailure: async (key, signal) => {
      const failure = failures.get(key);
      failures.delete(key);
      if (failure?.code === 'ACCESS_DENIED') return (await opensOther(key, signal)) ? undefined : failure;
      if (failure?.code !== 'FILE_NOT_FOUND') return failure;
      return (await source.isEmpty(signal, key)) ? noSource(source.location, failure) : undefined;
    },
  };
}

/** A folder that is empty now is usually one that is not mounted. */
const noSource = (location: string, cause: ReaderError): ReaderError =>
  new ReaderError(
    'FILE_NOT_FOUND',
    `${location === LIST ? 'A folder of the list' : `The source ${quoted(location)}`} is missing or empty, but had documents when it was listed.`,
    'Check that it is mounted here, then run the batch again.',
    cause,
  );
