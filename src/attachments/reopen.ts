// Makes an input readable more than once: a path is opened again, a stream is kept while it is read.

import { type Bytes, type Source, throwIfAborted } from '../contract/index.ts';
import type { Input, Opened } from '../reader/index.ts';

/** A stream up to this size is passed to the reader as bytes. */
const HELD_BYTES: Bytes = 32 * 1024 * 1024;

/** What keeping a stream needs. */
interface Keeping {
  readonly signal: AbortSignal;
  /** Called after the last use of the files. */
  readonly closers: (() => Promise<void>)[];
}

/** A stream can only be read once: its bytes are kept in memory or in the opener's temporary file. */
export async function reopenable(
  { source, close }: Opened,
  input: Input,
  { closers, signal }: Keeping,
): Promise<() => Input> {
  if (!isStream(input)) return () => input;
  closers.push(close);
  const { name } = source;
  const mimeType = source.mimeType;
  const declared = mimeType === undefined ? {} : { mimeType };
  if (source.size <= HELD_BYTES) {
    const bytes = await source.bytes();
    return () => ({ name, ...declared, bytes });
  }
  return () => ({ name, ...declared, stream: copies(source, signal) });
}

/** Copies each chunk, because a source's chunk is only valid until the next one. */
async function* copies(source: Source, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const piece of source.chunks()) {
    throwIfAborted(signal);
    yield piece.slice();
  }
}

/** True if it can be read only once. */
export function isStream(input: Input): boolean {
  if (typeof input !== 'object' || input === null || input instanceof Uint8Array || input instanceof Blob)
    return false;
  return (
    input instanceof ReadableStream ||
    Symbol.asyncIterator in input ||
    ('stream' in input && input.stream !== undefined)
  );
}
