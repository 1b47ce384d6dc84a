// Where the files of a session are in object storage: under the same names as in a data directory.

import type { Blobs } from '../../blobs/index.ts';
import { throwIfAborted } from '../../contract/index.ts';
import type { Usage } from '../workspace.ts';

export const WORKSPACES_PREFIX = 'workspaces/';

export const userPrefix = (user: string): string => `${WORKSPACES_PREFIX}${user}/`;

export const sessionPrefix = (user: string, session: string): string => `${userPrefix(user)}${session}/`;

/** Counts what is stored under `prefix`, looking at no more than `most` keys. */
export function countKeys(
  blobs: Blobs,
  prefix: string,
  signal?: AbortSignal,
): (most: number) => Promise<Usage> {
  return async (most) => {
    let bytes = 0;
    let files = 0;
    for await (const blob of blobs.list(prefix, signal && { signal })) {
      if (signal) throwIfAborted(signal);
      bytes += blob.bytes;
      files += 1;
      if (files >= most) break;
    }
    return { bytes, files };
  };
}
