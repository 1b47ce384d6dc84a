// Complete writes.

import type { FileHandle } from 'node:fs/promises';

/** Writes all of `bytes` at the current position: one call of the system may write less. Throws system errors. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at);
    at += bytesWritten;
  }
}
