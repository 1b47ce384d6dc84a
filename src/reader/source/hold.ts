// Bytes that can be read only once, held so that they can be read anywhere: in memory, or in a temporary file without a
// name.

import { constants } from 'node:fs';
import { type FileHandle, mkdtemp, open as openFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  type Bytes,
  errnoOf,
  type Limits,
  piecesWithin,
  plural,
  quoted,
  ReaderError,
  type Source,
  systemError,
  throwIfAborted,
} from '../../contract/index.ts';
import { FileSource } from './file.ts';
import { type ByteStream, badInput } from './input.ts';
import { MemorySource } from './memory.ts';
import type { Label } from './random-access.ts';

/** A stream up to here is held in memory, a longer one in a temporary file that has no name. */
const STREAM_MEMORY_BYTES = 32 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** Held bytes. `close` may be called more than once. */
export interface Held {
  readonly source: Source;
  close(): Promise<void>;
}

/** The bytes of a file that does not tell its size. What a kernel makes as it is read may have no end (/proc/self/pagemap). */
export async function* toItsEnd(
  handle: FileHandle,
  name: string,
  { maxBytesInMemory }: Limits,
): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let bytesRead: number;
    try {
      ({ bytesRead } = await handle.read(chunk, 0, chunk.length, position));
    } catch (error) {
      // Opened without waiting: there is no more now, as in a kernel log.
      if (errnoOf(error) === 'EAGAIN') return;
      throw systemError(error, name, 'read');
    }
    if (bytesRead === 0) return;
    position += bytesRead;
    if (position > maxBytesInMemory)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `${quoted(name)} does not tell its size and has more than ${maxBytesInMemory} bytes (limit \`maxBytesInMemory\`).`,
        'Copy the part that is needed to a file, and read that.',
      );
    yield chunk.subarray(0, bytesRead);
  }
}

/** The bytes of the caller's stream; its error is the caller's. Does not wait for one that hangs when cancelled. */
export async function* piecesOf(
  stream: ByteStream,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    const iterable: AsyncIterable<unknown> = stream instanceof ReadableStream ? stream.values() : stream;
    for await (const value of piecesWithin(iterable, signal)) {
      const bytes = typeof value === 'string' ? Buffer.from(value) : value;
      if (!(bytes instanceof Uint8Array)) throw badInput('a stream of something other than bytes');
      size += bytes.length;
      yield bytes;
    }
  } catch (error) {
    throwIfAborted(signal);
    throw error instanceof ReaderError ? error : streamError(error, name, size);
  } finally {
    if (signal.aborted && stream instanceof Readable) stream.destroy();
  }
}

/** What a stream says of its end may hold a path or a secret: it is the cause, and not part of the message. */
function streamError(error: unknown, name: string, size: Bytes): ReaderError {
  const code = /^[A-Z][A-Z0-9_]{1,40}$/.exec(errnoOf(error) ?? '')?.[0];
  if (error instanceof Error && error.name === 'AbortError')
    return new ReaderError(
      'ABORTED',
      `The stream ${quoted(name)} was aborted after ${plural(size, 'byte')}.`,
      'Pass a new stream to read it.',
      error,
    );
  return new ReaderError(
    'BAD_INPUT',
    `The stream ${quoted(name)} failed after ${plural(size, 'byte')}${code === undefined ? '' : ` (${code})`}.`,
    'Pass a new stream that can be read to its end.',
    error,
  );
}

/** All of `pieces`, in memory or in an unnamed file. @throws {ReaderError} LIMIT_EXCEEDED, and what `pieces` throw */
export async function holdAll(
  pieces: AsyncIterable<Uint8Array>,
  label: Label,
  limits: Limits,
  signal: AbortSignal,
): Promise<Held> {
  let held: Uint8Array[] = [];
  let size = 0;
  let file: FileHandle | undefined;
  try {
    for await (const bytes of pieces) {
      throwIfAborted(signal);
      size += bytes.length;
      if (size > limits.maxStreamBytes)
        throw new ReaderError(
          'LIMIT_EXCEEDED',
          `The stream gave more than ${limits.maxStreamBytes} bytes.`,
          'Raise the limit `maxStreamBytes` (LECTERN_MAX_STREAM_BYTES), or save it to a file and pass the path.',
        );
      if (!file) {
        held.push(bytes);
        if (size <= STREAM_MEMORY_BYTES) continue;
        file = await unnamedFile();
        for (const earlier of held) await file.appendFile(earlier);
        held = [];
      } else await file.appendFile(bytes);
    }
  } catch (error) {
    await file?.close();
    throwIfAborted(signal);
    throw error;
  }
  if (!file) return { source: new MemorySource(label, Buffer.concat(held)), close: () => Promise.resolve() };
  const source = new FileSource(label, file, await file.stat({ bigint: true }));
  return { source, close: closeOnce(file) };
}

/** Closes `file` at the first call. */
export function closeOnce(file: FileHandle): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= file.close();
    return closing;
  };
}

/** A temporary file that is gone from its directory as soon as it is open, so that nothing can be left behind. */
async function unnamedFile(): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-'));
  try {
    return await openFile(
      join(directory, 'stream'),
      constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
      0o600,
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
