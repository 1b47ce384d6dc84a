// Renames or moves a file or folder within the workspace. Moves a link itself, not its target.

import type { BigIntStats } from 'node:fs';
import { bytesOfFile, errnoOf, quoted, ReaderError } from '../../contract/index.ts';
import type { Directory } from '../../disk/index.ts';
import type { Root } from '../paths/root.ts';
import { type Place, pathError } from '../paths/walk.ts';
import { inodeOf, MadeFolders } from './made-folders.ts';
import { add, replace, taken } from './publish.ts';

export interface MoveOptions {
  /** Replace an existing file or link; a folder is never replaced. Default false. */
  readonly overwrite?: boolean;
}

/**
 * Moves `from` to `to`, the new path (not the folder to move it into). Creates missing parent folders.
 * @throws {ReaderError} as `Root.openFile`; BAD_INPUT when `to` is inside the moved folder, ALREADY_EXISTS
 */
export async function move(
  root: Root,
  from: string,
  to: string,
  { overwrite = false }: MoveOptions,
): Promise<void> {
  const [fromNames, toNames] = [root.parse(from), root.parse(to)];
  const [fromShown, toShown] = [root.shownPath(fromNames), root.shownPath(toNames)];
  if (fromNames.length === 0 || toNames.length === 0) throw rootMoved();
  let source: Place | undefined;
  let target: Place | undefined;
  const claim = root.quota?.claim(toShown);
  const made = new MadeFolders();
  try {
    source = await root.walk(fromNames, { end: 'entry', spelling: 'near' });
    try {
      const files = claim ? await missingFolders(root, toNames) : 0;
      await claim?.take({ bytes: 0, files });
      target = await root.walk(toNames, { end: 'entry', create: true, onMade: made.onMade });
      await moveEntry(root, named(source), named(target), to, overwrite);
      await claim?.settle({ bytes: 0, files });
      if (target.stats) root.quota?.shrunk();
    } catch (error) {
      await made.remove(root);
      const code = errnoOf(error);
      if (code === 'EINVAL') throw intoItself(fromShown, toShown);
      // With the target in place, only the source can be missing.
      throw pathError(error, code === 'ENOENT' && target ? fromShown : toShown, 'change');
    }
    await target.directory.sync();
    await source.directory.sync();
  } catch (error) {
    throw pathError(error, fromShown, 'change');
  } finally {
    await claim?.release();
    source?.directory.close();
    target?.directory.close();
  }
}

interface Named {
  readonly directory: Directory;
  readonly name: Buffer;
  readonly stats: BigIntStats | undefined;
}

/** The path must name an entry of a folder, not the folder a link resolved to. */
function named({ directory, name, stats }: Place): Named {
  if (!name) throw Object.assign(new Error('the root'), { code: 'EISDIR' });
  return { directory, name, stats };
}

/** Number of folders to create for the target. */
async function missingFolders(root: Root, names: readonly string[]): Promise<number> {
  try {
    const place = await root.walk(names, { end: 'entry', spelling: 'exact', partial: true });
    place.directory.close();
    return Math.max(0, place.missing - 1);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

async function moveEntry(
  root: Root,
  from: Named,
  to: Named,
  path: string,
  overwrite: boolean,
): Promise<void> {
  const { stats } = to;
  if (stats && !(overwrite && (stats.isFile() || stats.isSymbolicLink()))) throw takenBy(stats, path);
  if (stats && from.stats?.isDirectory()) throw takenByFile(path);
  if (stats && from.stats && inodeOf(stats) === inodeOf(from.stats)) return oneName(from, to);
  const put = overwrite || from.stats?.isDirectory() === true ? replace : add;
  try {
    await put(from.directory, from.name, to.directory, to.name);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw taken(path);
    if (errnoOf(error) !== 'EXDEV') throw error;
    await copy(root, from, path, overwrite);
  }
}

/**
 * rename(2) does nothing when both names are hard links to one file, so remove the old name. Moving a name to itself
 * keeps it.
 */
async function oneName(from: Named, to: Named): Promise<void> {
  const folders = [await from.directory.ownStats(), await to.directory.ownStats()].map(inodeOf);
  if (folders[0] === folders[1] && from.name.equals(to.name)) return;
  await from.directory.unlink(from.name);
}

function takenBy(stats: BigIntStats, path: string): ReaderError {
  return stats.isDirectory() ? takenByFolder(path) : taken(path);
}

export function rootMoved(): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    'The root of the workspace cannot be moved or replaced.',
    'Name a file or folder inside the workspace.',
  );
}

export function takenByFolder(path: string): ReaderError {
  return new ReaderError(
    'ALREADY_EXISTS',
    `${quoted(path)} already exists and is a folder.`,
    'Pass the full new path, including the name inside that folder.',
  );
}

/** For a folder that is moved. */
export function takenByFile(path: string): ReaderError {
  return new ReaderError(
    'ALREADY_EXISTS',
    `${quoted(path)} already exists and is not a folder; a folder can only be moved to an unused path.`,
    'Choose another name, or remove the existing file first.',
  );
}

export function intoItself(from: string, to: string): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `${quoted(to)} is inside ${quoted(from)}.`,
    'Choose a target outside the moved folder.',
  );
}

/** Moves to a workspace folder on another file system by copying. */
async function copy(root: Root, from: Named, path: string, overwrite: boolean): Promise<void> {
  const { handle } = await from.directory.find(from.name);
  if (!handle)
    throw new ReaderError(
      'NOT_A_FILE',
      `${quoted(path)} is on another file system, where only regular files can be moved.`,
      'Move the files one by one.',
    );
  const file = await root.createFile(path, { overwrite });
  try {
    for await (const chunk of bytesOfFile({ handle })) await file.write(chunk);
    await file.commit();
    await from.directory.unlink(from.name);
    root.quota?.shrunk();
  } finally {
    await file.discard();
    await handle.close();
  }
}
