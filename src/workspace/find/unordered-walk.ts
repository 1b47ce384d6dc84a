// Walks everything below a directory, at any depth, with two descriptors; used to count, prune and remove. Unordered,
// and never follows links. `tree.ts` is the ordered walk for output.

import { errnoOf } from '../../contract/index.ts';
import type { Directory, DirectoryEntry } from '../../disk/index.ts';

const UP = Buffer.from('..');

/** Maximum entries per batch. */
const BATCH = 256;

/** Non-directory entries of one directory, or one directory whose contents have been visited. */
export interface Stop {
  /** Parent of the entries; open until the walk continues. */
  readonly directory: Directory;
  readonly entries: readonly DirectoryEntry[];
  /** Names from the start to `directory`. */
  readonly names: readonly Buffer[];
  /** The directory at `names` cannot be entered or listed; `entries` is empty. */
  readonly closed?: true;
}

interface Level {
  readonly name: Buffer;
  /** Identity of the directory above, to recognise it again. */
  readonly above: string;
  readonly folders: Buffer[];
}

/** Skips entries that vanish or change during the walk. `start` stays open. @throws system errors */
export async function* tour(start: Directory): AsyncGenerator<Stop> {
  let current = start;
  const levels: Level[] = [];
  const names: Buffer[] = [];
  let folders: Buffer[] = [];
  try {
    yield* entriesOf(current, names, folders);
    for (;;) {
      const name = folders.pop();
      if (name !== undefined) {
        const entered = await enter(current, name);
        if (entered === 'closed') {
          yield { directory: current, entries: [], names: [...names, name], closed: true };
          yield { directory: current, entries: [{ name, kind: 'directory' }], names };
        }
        if (!entered || entered === 'closed') continue;
        levels.push({ name, above: await identityOf(current), folders });
        if (current !== start) current.close();
        current = entered;
        folders = [];
        names.push(name);
        yield* entriesOf(current, names, folders);
        continue;
      }
      const level = levels.pop();
      if (!level) return;
      const above = levels.length === 0 ? start : await current.enter(UP);
      if (current !== start) current.close();
      current = above;
      // The directory was moved, so `..` is another directory: stop.
      if ((await identityOf(current)) !== level.above) return;
      folders = level.folders;
      names.pop();
      yield { directory: current, entries: [{ name: level.name, kind: 'directory' }], names };
    }
  } finally {
    if (current !== start) current.close();
  }
}

async function identityOf(directory: Directory): Promise<string> {
  const { dev, ino } = await directory.ownStats();
  return `${dev}:${ino}`;
}

async function* entriesOf(
  directory: Directory,
  names: readonly Buffer[],
  folders: Buffer[],
): AsyncGenerator<Stop> {
  let entries: DirectoryEntry[] = [];
  try {
    for await (const entry of directory.entries()) {
      if (entry.kind === 'directory') folders.push(entry.name);
      else entries.push(entry);
      if (entries.length < BATCH) continue;
      yield { directory, entries, names };
      entries = [];
    }
  } catch (error) {
    if (!isDenied(error)) throw error;
    yield { directory, entries: [], names, closed: true };
  }
  if (entries.length > 0) yield { directory, entries, names };
}

function isDenied(error: unknown): boolean {
  const code = errnoOf(error);
  return code === 'EACCES' || code === 'EPERM';
}

async function enter(directory: Directory, name: Buffer): Promise<Directory | 'closed' | undefined> {
  try {
    return await directory.enter(name);
  } catch (error) {
    if (isDenied(error)) return 'closed';
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}
