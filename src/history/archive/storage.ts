// The storage interface for originals, small enough to implement with a workspace, a bucket or a Map.

/** Text files by path. Paths are relative, with `/`, and contain letters, digits, `.`, `_` and `-`. */
export interface HistoryStorage {
  /**
   * Stores `text` at `path`, atomically. An existing file has the same text, because paths contain a content hash. May
   * throw anything on failure; the compactor then replaces nothing.
   */
  write(path: string, text: string): Promise<void>;
  /** The text at `path`; null if there is none. */
  read(path: string): Promise<string | null>;
  /**
   * `path` as the model's tools see it: with another start, such as `/workspace/tool_outputs/x.txt`. Default: the path
   * itself.
   */
  readonly shownAs?: (path: string) => string;
}

/** Timeout of one operation; a slower storage counts as failed. */
export const STORAGE_TIMEOUT_MS = 60_000;

/** An in-memory storage, which lasts as long as the process. */
export function createMemoryStorage(): HistoryStorage {
  const files = new Map<string, string>();
  return {
    write: async (path, text) => {
      files.set(path, text);
    },
    read: async (path) => files.get(path) ?? null,
  };
}
