// Lists the files below a folder in the order of their keys.

import { isUtf8 } from 'node:buffer';
import { errnoOf } from '../../contract/index.ts';
import { type Directory, isReserved } from '../../disk/index.ts';
import type { BlobFacts, ListBlobs } from '../blobs.ts';
import { throwIfCancelled } from '../failure.ts';
import { compareKeys, isKey } from '../keys.ts';
import { versionOf } from './version.ts';

/** Holds the names of one folder per level. Links are left out. */
export async function* listFolder(
  root: Directory,
  prefix: string,
  options: ListBlobs,
): AsyncGenerator<BlobFacts> {
  yield* below(root, '', prefix, options);
}

async function* below(
  directory: Directory,
  path: string,
  prefix: string,
  options: ListBlobs,
): AsyncGenerator<BlobFacts> {
  const { onSkipped, signal } = options;
  throwIfCancelled(signal);
  for (const { name, key, isFolder } of await entriesOf(directory, path, prefix, options)) {
    throwIfCancelled(signal);
    try {
      if (isFolder) {
        const inner = await directory.enter(name);
        try {
          yield* below(inner, key, prefix, options);
        } finally {
          inner.close();
        }
        continue;
      }
      const stats = await directory.stat(name);
      if (stats.isFile())
        yield { key, bytes: Number(stats.size), modified: stats.mtime, version: versionOf(stats) };
    } catch (error) {
      const code = errnoOf(error);
      if (code === 'ENOENT') continue; // removed since it was listed
      // Errors of inner folders end here too, each at its own folder.
      if (!onSkipped || !isFolder || (code !== 'EACCES' && code !== 'EPERM')) throw error;
      onSkipped(key, 'access');
    }
  }
}

interface Listed {
  readonly name: Buffer;
  /** Ends with `/` for a folder. */
  readonly key: string;
  readonly isFolder: boolean;
}

async function entriesOf(
  directory: Directory,
  path: string,
  prefix: string,
  { after = '', onSkipped }: ListBlobs,
): Promise<readonly Listed[]> {
  const found: Listed[] = [];
  for await (const { name, kind } of directory.entries()) {
    if ((kind !== 'file' && kind !== 'directory') || isReserved(name)) continue;
    const isFolder = kind === 'directory';
    const bare = `${path}${name.toString('utf8')}`;
    const key = isFolder ? `${bare}/` : bare;
    if (!key.startsWith(prefix) && !(isFolder && prefix.startsWith(key))) continue;
    // A folder has keys after `after` if it sorts after it, or if `after` is inside.
    if (compareKeys(key, after) <= 0 && !(isFolder && after.startsWith(key))) continue;
    if (!isUtf8(name) || !isKey(bare)) {
      onSkipped?.(key, 'name');
      continue;
    }
    found.push({ name, key, isFolder });
  }
  return found.sort((a, b) => compareKeys(a.key, b.key));
}
