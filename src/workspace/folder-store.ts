// The store of a workspace in a folder of this host. Its operations are loaded on first use.

import { kindOf } from '../disk/index.ts';
import type { Root } from './paths/root.ts';
import { pathError } from './paths/walk.ts';
import { countBelow } from './quota.ts';
import type { Store } from './store.ts';
import type { FileFacts } from './workspace.ts';

export function folderStore(root: Root): Store {
  return {
    mount: root.mount,
    host: root.host,
    raceSafe: root.raceSafe,
    openFile: (path) => root.openFile(path),
    openFolder: (path) => root.openFolder(path),
    stat: (path) => root.stat(path),
    facts: (path) => statOf(root, path),
    createFile: (path, options) => root.createFile(path, options),
    kind: async (path) => {
      try {
        const { stats } = await root.stat(path);
        const kind = stats ? kindOf(stats) : 'directory';
        return kind === 'link' ? 'other' : kind;
      } catch {
        return undefined; // opening it reports the reason
      }
    },
    remove: async (path, options, most) =>
      (await import('./files/remove.ts')).remove(root, path, options, most),
    move: async (from, to, options) => (await import('./files/move.ts')).move(root, from, to, options),
    usage: async (signal) => {
      const directory = await root.open();
      if (!directory) return { bytes: 0, files: 0 };
      try {
        return await countBelow(directory, Number.POSITIVE_INFINITY, signal);
      } catch (error) {
        throw pathError(error, root.mount, 'enter');
      }
    },
    prune: async (limits) => (await import('./retention.ts')).pruneResults(root, limits),
  };
}

async function statOf(root: Root, path: string): Promise<FileFacts> {
  const { stats, shown } = await root.stat(path);
  const place = { path: shown.join('/'), mounted: root.mounted(shown) };
  // Report it as the empty folder that a listing shows.
  if (!stats) return { ...place, kind: 'directory', names: 1 };
  const kind = kindOf(stats) ?? 'other';
  return {
    ...place,
    kind,
    ...(kind === 'file' && { bytes: Number(stats.size) }),
    ...isoDate(stats.mtimeMs),
    names: Number(stats.nlink),
  };
}

/** Omits a date outside the calendar's range. */
function isoDate(milliseconds: bigint): { readonly modified?: string } {
  const date = new Date(Number(milliseconds));
  return Number.isNaN(date.getTime()) ? {} : { modified: date.toISOString() };
}
