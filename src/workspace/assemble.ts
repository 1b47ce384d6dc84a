// Assembles a workspace from its store and its operations. Operations are loaded on first use.

import type { Tokens, WorkspaceLimits } from '../contract/index.ts';
import { piecesOf } from './files/content.ts';
import type { SearchMeans } from './find/file-search.ts';
import { checkBytes, optionsOf } from './option-names.ts';
import { Remarks } from './results/encodable.ts';
import type { Store } from './store.ts';
import type { FileContent, Workspace, WriteOptions, Written } from './workspace.ts';

/** What the operations of a workspace need of a reader. All are optional. */
export interface ReaderMeans extends Omit<SearchMeans, 'limits'> {
  /** Returns what a read of the file shows within this many tokens. Without it, saved results have no preview. */
  readonly preview?: (workspace: Workspace, path: string, tokens: Tokens) => Promise<string>;
  /**
   * Called before any operation that may need `preview` or `searchable`. If it throws, the operation fails with that error
   * and does nothing.
   */
  readonly ready?: () => void;
}

export function workspaceOver(
  store: Store,
  limits: WorkspaceLimits,
  { preview, ready, ...means }: ReaderMeans,
): Workspace {
  const workspace: Workspace = {
    mount: store.mount,
    raceSafe: store.raceSafe,
    limits,
    open: (path) => store.openFile(path),
    kind: (path) => store.kind(path),
    stat: (path) => store.facts(path),
    list: async (path = '', given) =>
      (await import('./find/listing.ts')).listFolder(store, path, optionsOf('list', given), limits),
    glob: async (pattern, given) =>
      (await import('./find/listing.ts')).globFiles(store, pattern, optionsOf('glob', given), limits),
    search: async (query, given) => {
      const searchOptions = optionsOf('search', given);
      ready?.();
      const { searchFiles } = await import('./find/search.ts');
      return searchFiles(store, query, searchOptions, { ...means, limits });
    },
    write: async (path, content, given) => write(store, path, content, optionsOf('write', given)),
    remove: async (path, given) => store.remove(path, optionsOf('remove', given), limits.maxWalkedEntries),
    move: async (from, to, given) => store.move(from, to, optionsOf('move', given), limits.maxWalkedEntries),
    saveResult: async (input, given) => {
      const saveOptions = optionsOf('saveResult', given);
      ready?.();
      const { saveResult } = await import('./results/save/save.ts');
      return saveResult(store, input, saveOptions, {
        limits,
        preview: (path, tokens) => preview?.(workspace, path, tokens) ?? Promise.resolve(''),
      });
    },
    usage: (signal) => store.usage(signal),
    prune: () => store.prune(limits),
  };
  return workspace;
}

async function write(
  store: Store,
  path: string,
  content: FileContent,
  options: WriteOptions,
): Promise<Written> {
  checkBytes(options.bytes);
  const file = await store.createFile(path, options);
  try {
    const remarks = new Remarks();
    for await (const piece of piecesOf(content, remarks, options.signal)) await file.write(piece);
    const written = await file.commit();
    const notes = remarks.notes();
    return notes.length > 0 ? { ...written, notes } : written;
  } finally {
    await file.discard();
  }
}
