// What changes files of a workspace in a set of tools: calls on one file come one after the other, in the order they
// were made, and what someone else changed meanwhile is said so that a model can go on.

import { normalize } from 'node:path/posix';
import { named, ReaderError, throwIfAborted, within } from '../contract/index.ts';
import type { Workspace } from '../workspace/index.ts';

/** The last call on each path that still runs or waits; a path leaves when its last call is over. */
const lasts = new WeakMap<Workspace, Map<string, Promise<unknown>>>();

/**
 * Runs `work` when all calls made before on the same path of the same workspace are over, however they ended. Paths are
 * compared as text, so that links to one file are not seen as one.
 * @throws {ReaderError} ABORTED when `signal` is aborted before its turn; what `work` throws
 */
export function inTurn<T>(
  workspace: Workspace,
  path: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const waiting = lasts.get(workspace) ?? new Map<string, Promise<unknown>>();
  lasts.set(workspace, waiting);
  const key = keyOf(path, workspace.mount);
  const before = waiting.get(key) ?? Promise.resolve();
  // A call that is cancelled leaves at once; those behind it still wait for those before it.
  const mine = within(() => before, { signal })
    .catch(() => throwIfAborted(signal))
    .then(work);
  const last = Promise.allSettled([before, mine]);
  waiting.set(key, last);
  void last.then(() => {
    if (waiting.get(key) === last) waiting.delete(key);
  });
  return mine;
}

/** `./a`, `x/../a` and `/workspace/a` alike. */
function keyOf(path: string, mount: string): string {
  const plain = normalize(path);
  return plain.startsWith(`${mount}/`) ? plain.slice(mount.length + 1) : plain;
}

/** Whether a write was refused because the file is no longer what was read. */
export function isOverrun(error: unknown): error is ReaderError {
  return error instanceof ReaderError && error.code === 'CONFLICT';
}

/** BUSY for a file that others changed while it was to be; `next` is what to do after reading it again. */
export function overrun(path: string, next: string, cause: unknown): ReaderError {
  return new ReaderError(
    'BUSY',
    `${named(path)} was changed by someone else meanwhile; this call changed nothing.`,
    `Read it again, then ${next}.`,
    cause,
  );
}
