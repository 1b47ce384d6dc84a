// What every way of writing a file shares: its steps, bytes in chunks, turns of writers, cancellation.

import type { FileHandle } from 'node:fs/promises';
import { type Bytes, ReaderError } from '../../contract/index.ts';
import type { Directory } from '../paths/directory.ts';
import type { Written } from '../workspace.ts';
import { inodeOf } from './made-folders.ts';

const busy = new Map<string, Promise<unknown>>();

/** Bytes hashed or copied at a time. */
const CHUNK_BYTES = 256 * 1024;

/** Appears on `commit` or not at all. One call at a time. */
export interface AtomicFile {
  /** Bytes so far. */
  readonly bytes: Bytes;
  /** @throws {ReaderError} QUOTA_EXCEEDED, ACCESS_DENIED, ABORTED; the file is discarded then */
  write(bytes: Uint8Array): Promise<void>;
  /** Fills `target` with what was written, from `position`; how many bytes came. */
  readBack(target: Uint8Array, position: Bytes): Promise<number>;
  /**
   * Makes the file appear, at `path` if given. After ALREADY_EXISTS it can be committed to another path.
   * @throws {ReaderError} also BAD_INPUT, CONFLICT; every error but ALREADY_EXISTS discards the file
   */
  commit(path?: string): Promise<Written>;
  /** After `commit` or a second time nothing more. Never throws. */
  discard(): Promise<void>;
}

/** Where files are written; undefined for beside their place. */
export interface Staging {
  open(): Promise<Directory | undefined>;
}

export async function* chunksOf(
  handle: FileHandle,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ; ) {
    throwIfCancelled(signal);
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return;
    yield chunk.subarray(0, bytesRead);
    position += bytesRead;
  }
}

export async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at);
    at += bytesWritten;
  }
}

/** ABORTED when the caller has given up a write. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new ReaderError(
      'ABORTED',
      'The write was cancelled.',
      'Call again to write the file.',
      signal.reason,
    );
}

/** Changes of one name are made one after the other, so that a comparison holds until the file is replaced or removed. */
export async function inTurn<T>(directory: Directory, name: Buffer, work: () => Promise<T>): Promise<T> {
  const key = `${inodeOf(await directory.ownStats())}/${name.toString('hex')}`;
  const before = busy.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  busy.set(key, mine);
  try {
    return await mine;
  } finally {
    if (busy.get(key) === mine) busy.delete(key);
  }
}
