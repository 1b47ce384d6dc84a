// Uses a workspace as a storage, so that the agent's own file tools can read what placeholders point to. Depends only
// on the few workspace operations it needs.

import {
  type Bytes,
  bytesOfFile,
  closeFile,
  type Files,
  quoted,
  ReaderError,
  sizeOfFile,
  withoutEnd,
} from '../../contract/index.ts';
import type { HistoryStorage } from './storage.ts';

/** The required part of a workspace; `createWorkspace` returns all of it. */
export interface HistoryWorkspace extends Pick<Files, 'open'> {
  /** Path at which tools and sandboxes see it: `/workspace`. */
  readonly mount: string;
  /** Atomic and durable; replaces an existing file with `overwrite`. */
  write(path: string, text: string, options: { readonly overwrite: boolean }): Promise<unknown>;
}

/** Maximum size of a file written or read: well below the maximum string length for any content. */
const MOST_BYTES: Bytes = 256 * 1024 * 1024;

/**
 * Stores originals as files of `workspace` in `tool_outputs/` and `conversation_history/`. They count towards its quota
 * and are removed with it. Placeholders show them under its mount. Operations throw the workspace's own errors:
 * QUOTA_EXCEEDED (also for a full disk), ACCESS_DENIED, PATH_ESCAPES_WORKSPACE, and LIMIT_EXCEEDED for a text over 256
 * MiB.
 */
export function workspaceStorage(workspace: HistoryWorkspace): HistoryStorage {
  const mount = withoutEnd(workspace.mount, '/');
  return {
    write: async (path, text) => {
      refuseLonger(path, Buffer.byteLength(text));
      await workspace.write(path, text, { overwrite: true });
    },
    read: async (path) => {
      try {
        return await textOf(workspace, path);
      } catch (error) {
        if (error instanceof ReaderError && error.code === 'FILE_NOT_FOUND') return null;
        throw error;
      }
    },
    shownAs: (path) => `${mount}/${path}`,
  };
}

/** The whole file as UTF-8, including a byte order mark, so that it equals what was written. */
async function textOf(workspace: HistoryWorkspace, path: string): Promise<string> {
  const file = await workspace.open(path);
  try {
    const size = sizeOfFile(file);
    refuseLonger(path, size);
    const pieces: Uint8Array[] = [];
    for await (const piece of bytesOfFile(file, { to: size })) pieces.push(piece);
    return Buffer.concat(pieces).toString('utf8');
  } finally {
    await closeFile(file);
  }
}

function refuseLonger(path: string, bytes: Bytes): void {
  if (bytes <= MOST_BYTES) return;
  throw new ReaderError(
    'LIMIT_EXCEEDED',
    `${quoted(path)} has ${bytes} bytes; the history storage accepts at most ${MOST_BYTES} bytes per file.`,
    'Pass large data to the conversation as files.',
  );
}
