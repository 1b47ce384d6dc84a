// Everything below a directory, however deep, with two descriptors: what counts, prunes and removes walks by it. In no
// order a reader would want, and never through a link; what is shown to one is walked by `tree.ts`.

import { errnoOf } from '../../contract/index.ts';
import type { Directory, DirectoryEntry } from '../paths/directory.ts';

const UP = Buffer.from('..');

/** Entries told of at a time. */
const BATCH = 256;

/** Entries of one directory that are no directories, or one directory whose content has been told of. */
export interface Stop {
  /** Where they lie; open until the tour goes on. */
  readonly directory: Directory;
  readonly entries: readonly DirectoryEntry[];
  /** What leads from the start to `directory`. */
  readonly names: readonly Buffer[];
  /** What `names` lead to may not be entered or listed; there are no entries then. */
  readonly closed?: true;
}

interface Level {
  readonly name: Buffer;
  /** Of the directory above, to know it again. */
  readonly above: string;
  readonly folders: Buffer[];
}

/** What vanishes or turns into something else meanwhile is passed over. `start` stays open. @throws what the system throws */
export async function* tour(start: Directory): AsyncGenerator<Stop> {
  let current = start;
  const levels: Level[] = [];
  const names: Buffer[] = [];
  let folders: Buffer[] = [];
  try {
    yield* told(current, names, folders);
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
        yield* told(current, names, folders);
        continue;
      }
      const level = levels.pop();
      if (!level) return;
      const above = levels.length === 0 ? start : await current.enter(UP);
      if (current !== start) current.close();
      current = above;
      // A directory that was moved meanwhile lies below another one: what is left is not what was asked for.
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

async function* told(
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
