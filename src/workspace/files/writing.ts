// Shared by all file writes: the atomic file interface, per-name locks and cancellation.

import { type Bytes, ReaderError } from '../../contract/index.ts';
import type { Directory } from '../../disk/index.ts';
import type { Written } from '../workspace.ts';
import { inodeOf } from './made-folders.ts';

const busy = new Map<string, Promise<unknown>>();

/** Appears on `commit` or not at all. Do not make concurrent calls. */
export interface AtomicFile {
  /** Bytes written so far. */
  readonly bytes: Bytes;
  /** @throws {ReaderError} QUOTA_EXCEEDED, ACCESS_DENIED, ABORTED; the file is then discarded */
  write(bytes: Uint8Array): Promise<void>;
  /** Reads written bytes from `position` into `target`. Returns the number of bytes read. */
  readBack(target: Uint8Array, position: Bytes): Promise<number>;
  /**
   * Makes the file appear, at `path` if given. After ALREADY_EXISTS it can be committed to another path.
   * @throws {ReaderError} also BAD_INPUT, CONFLICT; every error except ALREADY_EXISTS discards the file
   */
  commit(path?: string): Promise<Written>;
  /** Does nothing after `commit` or a previous `discard`. Never throws. */
  discard(): Promise<void>;
}

/** Where files are staged; undefined: beside their target. */
export interface Staging {
  open(): Promise<Directory | undefined>;
}

/** Throws ABORTED when the caller cancelled the write. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new ReaderError(
      'ABORTED',
      'The write was cancelled.',
      'Call again to write the file.',
      signal.reason,
    );
}

/** Serialises changes to one name, so that a comparison still holds when the file is replaced or removed. */
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
