// Coordinates tools that change files: calls run in order, and a change by someone else is reported so that
// the model can recover.

import { normalize } from 'node:path/posix';
import { named, ReaderError, throwIfAborted, within } from '../contract/index.ts';
import type { Workspace } from '../workspace/index.ts';

/** The last running or waiting call that changes files of a workspace. */
const lasts = new WeakMap<Workspace, Promise<unknown>>();

/**
 * Runs `work` after all earlier calls on the same workspace, however they ended: where a path leads may depend on them.
 * @throws {ReaderError} ABORTED when `signal` is aborted before its turn; errors of `work`
 */
export function inTurn<T>(workspace: Workspace, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const before = lasts.get(workspace) ?? Promise.resolve();
  // A cancelled call leaves at once; later calls still wait for earlier ones.
  const mine = within(() => before, { signal })
    .catch(() => throwIfAborted(signal))
    .then(work);
  lasts.set(
    workspace,
    Promise.allSettled([before, mine]).then(() => undefined),
  );
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
