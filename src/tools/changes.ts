// Coordinates tools that change files: calls on one file run in order, and a change by someone else is reported so that
// the model can recover.

import { normalize } from 'node:path/posix';
import { named, ReaderError, throwIfAborted, within } from '../contract/index.ts';
import type { Workspace } from '../workspace/index.ts';

/** The last running or waiting call on each path; a path is removed when its last call ends. */
const lasts = new WeakMap<Workspace, Map<string, Promise<unknown>>>();

/**
 * Runs `work` after all earlier calls on the same path of the same workspace, however they ended. Compares paths as
 * text, so two links to one file are not recognised.
 * @throws {ReaderError} ABORTED when `signal` is aborted before its turn; errors of `work`
 */
export function inTurn<T>(
  workspace: Workspace,
  path: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const waiting = lasts.get(workspace) ?? new Map<string, Promise<unknown>>();
  lasts.set(workspace, waiting);
  const key = pathKey(path, workspace.mount);
  const before = waiting.get(key) ?? Promise.resolve();
  // A cancelled call leaves at once; later calls still wait for earlier ones.
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

/** The same key for `./a`, `x/../a` and `/workspace/a`. */
export function pathKey(path: string, mount: string): string {
  const plain = normalize(path);
  return plain.startsWith(`${mount}/`) ? plain.slice(mount.length + 1) : plain;
}

/** True if a write was rejected because the file changed since it was read. */
export function isOverrun(error: unknown): error is ReaderError {
  return error instanceof ReaderError && error.code === 'CONFLICT';
}

/** BUSY for a file that others changed during the call; `next` says what to do after reading it again. */
export function overrun(path: string, next: string, cause: unknown): ReaderError {
  return new ReaderError(
    'BUSY',
    `${named(path)} was changed by someone else during the call; this call changed nothing.`,
    `Read it again, then ${next}.`,
    cause,
  );
}
