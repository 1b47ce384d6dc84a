// Lists folders and files that match a glob, page by page, in byte order of their paths.

import { isCount, quoted, ReaderError, type WorkspaceLimits } from '../../contract/index.ts';
import type { FileTree } from '../paths/file-tree.ts';
import type { Entry, Listing, ListOptions } from '../workspace.ts';
import { compileGlob, type Glob } from './glob.ts';
import { Tree, type TreeEntry } from './tree.ts';
import { malformedCursor, readTreeCursor, writeTreeCursor } from './tree-cursor.ts';

/**
 * Entries of the folder `path`, `depth` levels down. Links are listed but not entered.
 * @throws {ReaderError} as `FileTree.openFolder`; BAD_INPUT for options out of range, STALE_CURSOR
 */
export async function listFolder(
  root: FileTree,
  path: string,
  options: ListOptions,
  limits: WorkspaceLimits,
): Promise<Listing> {
  const { depth = 1, ignore = false } = options;
  if (!isCount(depth) || depth < 1)
    throw new ReaderError(
      'BAD_INPUT',
      `\`depth\` is ${quoted(String(depth))}; expected an integer of 1 or more.`,
      'Omit it to list one level.',
    );
  return await list(root, path, { ...options, depth, ignore }, limits, undefined);
}

/**
 * Files and links in the whole workspace that match `pattern`.
 * @throws {ReaderError} as `compileGlob`; BAD_INPUT for options out of range, STALE_CURSOR
 */
export async function globFiles(
  root: FileTree,
  pattern: string,
  options: Omit<ListOptions, 'depth'>,
  limits: WorkspaceLimits,
): Promise<Listing> {
  const glob = compileGlob(pattern, root.mount, root.host);
  return await list(root, '', { ...options, ignore: options.ignore ?? true }, limits, { pattern, glob });
}

/** Where a page ended. */
interface Kept {
  readonly after: string;
  /** The total counted by the first page. */
  readonly total: number | null;
}

function keptIn(cursor: string, question: readonly unknown[]): Kept {
  const [after, total, ...more] = readTreeCursor(cursor, question);
  if (typeof after !== 'string' || typeof total === 'string' || total === undefined || more.length > 0)
    throw malformedCursor(cursor);
  return { after, total };
}

async function list(
  root: FileTree,
  path: string,
  options: ListOptions & { readonly ignore: boolean },
  limits: WorkspaceLimits,
  wanted: { readonly pattern: string; readonly glob: Glob } | undefined,
): Promise<Listing> {
  const most = resultsAtMost(options.limit, limits.maxListedEntries);
  const start = await root.openFolder(path);
  try {
    const { depth, ignore, cursor } = options;
    const question = [wanted?.pattern ?? null, start.path, depth ?? null, ignore];
    const kept = cursor === undefined ? undefined : keptIn(cursor, question);
    const tree = new Tree(root, start, {
      ...(depth !== undefined && { depth }),
      ...(wanted && { mayEnter: (folder: string) => wanted.glob.mayEnter(folder) }),
      ...(kept && { after: kept.after }),
      ignore,
      limits,
      signal: options.signal ?? new AbortController().signal,
    });
    const entries: Entry[] = [];
    let count = 0;
    let after = kept?.after ?? '';
    for await (const found of tree) {
      const { kind } = found.entry;
      if (wanted && (kind === 'directory' || kind === 'other' || !wanted.glob.matches(found.plain))) continue;
      count += 1;
      // Later pages reuse the total of the first one, which walked everything.
      if (entries.length >= most && kept) break;
      if (entries.length >= most) continue;
      entries.push(await entryOf(root, found));
      after = found.key;
    }
    const more = count > entries.length;
    const total = kept ? kept.total : tree.stopped ? null : count;
    return {
      entries,
      total,
      next: more
        ? writeTreeCursor(question, [after, total])
        : tree.stopped && tree.place > (kept?.after ?? '')
          ? writeTreeCursor(question, [tree.place, total])
          : null,
      notes: tree.end === undefined ? tree.notes : [...tree.notes, tree.end],
    };
  } finally {
    await start.close();
  }
}

/** Number of results per answer. @throws {ReaderError} BAD_INPUT */
export function resultsAtMost(limit: number | undefined, most: number): number {
  if (limit === undefined) return Math.max(1, most);
  if (!isCount(limit) || limit < 1)
    throw new ReaderError(
      'BAD_INPUT',
      `\`limit\` is ${quoted(String(limit))}; expected an integer of 1 or more.`,
      'Omit it for the maximum.',
    );
  return Math.min(limit, Math.max(1, most));
}

async function entryOf(root: FileTree, { path, entry, folder }: TreeEntry): Promise<Entry> {
  const { kind } = entry;
  try {
    const stats = await folder.stat(entry);
    const modified = new Date(Number(stats.mtimeMs)).toISOString();
    if (kind === 'file') return { path, kind, bytes: Number(stats.size), modified };
    const leadsTo = kind === 'link' ? await targetKind(root, path) : undefined;
    return { path, kind, modified, ...(leadsTo && { leadsTo }) };
  } catch (error) {
    if (error instanceof ReaderError || error instanceof RangeError) return { path, kind }; // gone, or its date is out of range
    throw error;
  }
}

async function targetKind(root: FileTree, path: string): Promise<Entry['leadsTo'] | undefined> {
  try {
    const { stats } = await root.stat(path);
    return stats?.isFile() ? 'file' : stats?.isDirectory() ? 'directory' : 'other';
  } catch (error) {
    if (error instanceof ReaderError) return undefined; // a broken link, or one that leads outside
    throw error;
  }
}
