// The file of a start command, opened in the child: from the bytes sent with it, by its path if that leads to the same
// file the reader holds open, or piece by piece from the reader.

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ReaderError, type Source } from '../../contract/index.ts';
import { FileSource } from '../source/file.ts';
import { extensionOf } from '../source/input.ts';
import type { Opened } from '../source/open.ts';
import type { Label } from '../source/random-access.ts';
import { RemoteSource, SentSource } from '../source/remote.ts';
import type { Line } from './line.ts';
import type { StartCommand } from './messages.ts';

/** The caller must call its `close`. */
export async function openedFrom(
  line: Line,
  { file, limits }: StartCommand,
  body: Uint8Array,
): Promise<Opened> {
  const label = {
    name: file.name,
    extension: extensionOf(file.name),
    // Cleaned by the reader when it opened the file.
    mimeType: file.mimeType as Source['mimeType'],
    maxBytesInMemory: limits.maxBytesInMemory,
  };
  const far = {
    read: async (position: number, length: number) => {
      const { reply, body: bytes } = await line.ask({ kind: 'read', position, length });
      if (!reply.found) throw gone();
      return bytes;
    },
    identity: async () => {
      const { reply } = await line.ask({ kind: 'identity' });
      if (reply.identity === undefined) throw gone();
      return reply.identity;
    },
  };
  const same = await openSame(label, file);
  const sent = body.length === file.size ? new SentSource(label, body, far.identity) : undefined;
  return {
    source: sent ?? same?.source ?? new RemoteSource(label, file.size, far, file.remote === true),
    modified: file.modified === undefined ? undefined : new Date(file.modified),
    ...(file.entry !== undefined && { entry: file.entry }),
    ...(file.fragment !== undefined && { fragment: file.fragment }),
    changed: () => Promise.resolve(false),
    close: async () => {
      await same?.close();
    },
  };
}

/** Opens the reader's file again; undefined if its path now leads to another file. */
async function openSame(
  label: Label,
  { held }: StartCommand['file'],
): Promise<{ readonly source: Source; close(): Promise<void> } | undefined> {
  if (!held) return undefined;
  let handle: FileHandle | undefined;
  try {
    // O_NONBLOCK: a pipe put in its place would block.
    handle = await open(held.path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const source = new FileSource(label, handle, await handle.stat({ bigint: true }));
    if ((await source.identity()) === held.identity)
      return { source, close: () => handle?.close() ?? NOTHING };
  } catch {
    // Moved, or unreadable from this process's namespace: ask the reader for the bytes.
  }
  await handle?.close();
  return undefined;
}

const NOTHING = Promise.resolve();

/** The reader fails with its own error and never sees this one. */
const gone = (): ReaderError =>
  new ReaderError('ABORTED', 'The file can no longer be read.', 'Call again to read the file.');
