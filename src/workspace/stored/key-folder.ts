// A folder of a workspace in object storage.

import type { BlobFacts, Blobs } from '../../blobs/index.ts';
import { type RemoteFile, throwIfAborted } from '../../contract/index.ts';
import { isReserved } from '../../disk/index.ts';
import { type Folder, type FolderEntry, gone } from '../paths/folder.ts';
import { shownName } from '../paths/names.ts';
import { pathError } from '../paths/walk.ts';
import { type Child, childrenIn, childrenOf } from './children.ts';
import { remoteFile } from './remote-file.ts';

/** With no more keys than this below a folder, one listing serves it and all folders in it. */
const WHOLE_KEYS = 5000;

/**
 * Lists nothing before its entries are asked for.
 * @param keys all keys below it, if they are known
 */
export function keyFolder(
  blobs: Blobs,
  prefix: string,
  path: string,
  known?: readonly BlobFacts[],
): Folder<RemoteFile> {
  let keys = known;
  const facts = new Map<string, BlobFacts>();
  const below = ({ shown }: FolderEntry): string => (path === '' ? shown : `${path}/${shown}`);
  const factsOf = async (entry: FolderEntry): Promise<BlobFacts> => {
    const name = entry.name.toString('utf8');
    const found = facts.get(name) ?? (await blobs.stat(`${prefix}${name}`));
    if (!found) throw pathError(gone(), below(entry), 'open');
    return found;
  };
  return {
    path,
    async *entries(signal) {
      keys ??= await allKeys(blobs, prefix, signal);
      const children: AsyncIterable<Child> | Iterable<Child> = keys
        ? childrenIn(keys, prefix)
        : childrenOf(blobs, prefix, signal);
      for await (const child of children) {
        if (signal) throwIfAborted(signal);
        const name = Buffer.from(child.name);
        if (isReserved(name)) continue;
        if (child.facts) facts.set(child.name, child.facts);
        yield { name, shown: shownName(name), kind: child.facts ? 'file' : 'directory' };
      }
    },
    openFolder: async (entry) => {
      const inner = `${prefix}${entry.name.toString('utf8')}/`;
      return keyFolder(
        blobs,
        inner,
        below(entry),
        keys?.filter(({ key }) => key.startsWith(inner)),
      );
    },
    openFile: async (entry) => remoteFile(blobs, await factsOf(entry), below(entry)),
    stat: async (entry) => {
      if (entry.kind === 'directory') return NO_FACTS;
      const { bytes, modified } = await factsOf(entry);
      return { size: BigInt(bytes), mtimeMs: BigInt(modified.getTime()) };
    },
    close: () => Promise.resolve(),
  };
}

/** Folders have neither. */
const NO_FACTS = { size: 0n, mtimeMs: undefined };

/** Undefined if there are more than one listing should hold. */
async function allKeys(
  blobs: Blobs,
  prefix: string,
  signal: AbortSignal | undefined,
): Promise<readonly BlobFacts[] | undefined> {
  const keys: BlobFacts[] = [];
  for await (const facts of blobs.list(prefix, signal && { signal })) {
    if (keys.length === WHOLE_KEYS) return undefined;
    keys.push(facts);
  }
  return keys;
}
