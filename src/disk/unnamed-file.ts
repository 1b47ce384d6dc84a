// A temporary file without a name, for bytes that are held as long as it is open.

import { constants } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary file unlinked as soon as it is open, so that nothing can be left behind. */
export async function unnamedFile(): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-'));
  try {
    return await open(
      join(directory, 'held'),
      constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
      0o600,
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
