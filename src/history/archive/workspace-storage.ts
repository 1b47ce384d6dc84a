// A workspace as the place where originals go: an agent's own file tools then read what placeholders point to. Knows a
// workspace only by the few operations it needs.

import { type Bytes, type Files, quoted, ReaderError } from '../../contract/index.ts';
import type { HistoryStorage } from './storage.ts';

/** What is needed of a workspace; what `createWorkspace` gives has all of it. */
export interface HistoryWorkspace extends Pick<Files, 'open'> {
  /** Where tools and sandboxes see it: `/workspace`. */
  readonly mount: string;
  /** Replaces with `overwrite`; whole or not at all, durably. */
  write(path: string, text: string, options: { readonly overwrite: boolean }): Promise<unknown>;
  /** What lies in a folder, page by page. */
  list(
    path: string,
    options: { readonly cursor?: string },
  ): Promise<{
    readonly entries: readonly { readonly path: string; readonly kind: string }[];
    readonly next: string | null;
  }>;
  remove(path: string): Promise<void>;
}

/** A file that is kept or read at most: well below the longest string there can be, whatever is in it. */
const MOST_BYTES: Bytes = 256 * 1024 * 1024;

/**
 * Originals as files of `workspace`: in `tool_outputs/` and `conversation_history/`, counted by its quota as any file, and
 * gone with the workspace. Placeholders name them by its mount. What it does throws the workspace's own errors: QUOTA_EXCEEDED (also of a full disk),
 * ACCESS_DENIED, PATH_ESCAPES_WORKSPACE; LIMIT_EXCEEDED for a text over 256 MiB.
 */
export function workspaceStorage(workspace: HistoryWorkspace): HistoryStorage {
  const mount = workspace.mount.replace(/\/+$/, '');
  return {
    write: async (path, text) => {
      refuseLonger(path, Buffer.byteLength(text));
      await workspace.write(path, text, { overwrite: true });
    },
    read: (path) => orMissing(textOf(workspace, path), null),
    list: (folder) => orMissing(filesIn(workspace, folder), []),
    remove: (path) => orMissing(workspace.remove(path), undefined),
    shownAs: (path) => `${mount}/${path}`,
  };
}

async function orMissing<T>(work: Promise<T>, missing: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ReaderError && error.code === 'FILE_NOT_FOUND') return missing;
    throw error;
  }
}

/** All of it as UTF-8, a byte order mark included: what was written is what comes back. */
async function textOf(workspace: HistoryWorkspace, path: string): Promise<string> {
  const { handle, stats } = await workspace.open(path);
  try {
    const size = Number(stats.size);
    refuseLonger(path, size);
    const bytes = Buffer.allocUnsafe(size);
    let filled = 0;
    while (filled < size) {
      const { bytesRead } = await handle.read(bytes, filled, size - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.toString('utf8', 0, filled);
  } finally {
    await handle.close();
  }
}

async function filesIn(workspace: HistoryWorkspace, folder: string): Promise<string[]> {
  const paths: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<HistoryWorkspace['list']>> = await workspace.list(
      folder,
      cursor === null ? {} : { cursor },
    );
    for (const { path, kind } of page.entries) if (kind === 'file') paths.push(path);
    cursor = page.next;
  } while (cursor !== null);
  return paths;
}

function refuseLonger(path: string, bytes: Bytes): void {
  if (bytes <= MOST_BYTES) return;
  throw new ReaderError(
    'LIMIT_EXCEEDED',
    `${quoted(path)} is ${bytes} bytes; a history keeps files of at most ${MOST_BYTES} bytes.`,
    'Give large data to the conversation as files.',
  );
}
