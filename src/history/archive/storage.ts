// Where originals go before anything is replaced: the little the archive needs of a store, so that a workspace, a bucket or
// a Map can be one.

/** Files of text by path. Paths are relative, with `/`, of letters, digits, `.`, `_` and `-`. */
export interface HistoryStorage {
  /**
   * Keeps `text` under `path`, whole or not at all. A file already there holds the same text: paths are made of content.
   * Throws what it likes when it cannot: the compactor then replaces nothing.
   */
  write(path: string, text: string): Promise<void>;
  /** What lies under `path`; null when nothing does. */
  read(path: string): Promise<string | null>;
  /** Paths of the files in `folder`, in any order; none when there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  remove(path: string): Promise<void>;
  /** How a model's own tools name `path`: `/workspace/tool_outputs/x.txt`. Absent: the path itself. */
  readonly shownAs?: (path: string) => string;
}

/** For one operation. A storage that needs longer counts as one that fails. */
export const STORAGE_TIMEOUT_MS = 60_000;

/** A storage in memory: it lives as long as the process. */
export function createMemoryStorage(): HistoryStorage {
  const files = new Map<string, string>();
  return {
    write: async (path, text) => {
      files.set(path, text);
    },
    read: async (path) => files.get(path) ?? null,
    list: async (folder) => [...files.keys()].filter((path) => path.startsWith(`${folder}/`)),
    remove: async (path) => {
      files.delete(path);
    },
  };
}
