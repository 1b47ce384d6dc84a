// A workspace as its callers see it: files below one folder, by paths that cannot lead out. What each operation does is
// in the file of its noun.

import type { Bytes, Files, Tokens, WorkspaceLimits } from '../contract/index.ts';
import type { Column, ResultFormat, ResultInput } from './results/result.ts';

/** A stored workspace by who owns it, or a plain folder made one. */
export type WorkspacePlace =
  | {
      /** Holds `workspaces/<user>/<session>/`. Default: LECTERN_DATA_DIR, else `./data`. */
      readonly dataDir?: string;
      readonly user: string;
      readonly session: string;
    }
  | { readonly root: string };

/** Bytes, text, or something that yields bytes. */
export type FileContent =
  | string
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | NodeJS.ReadableStream
  | AsyncIterable<Uint8Array>;

/** A file or folder. */
export interface Entry {
  /** Inside the workspace, without a leading slash; can be passed back as it is. Bytes that are no UTF-8 are `\xNN`. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  /** Of a file. */
  readonly bytes?: Bytes;
  /** ISO 8601 with zone. */
  readonly modified?: string;
  /** Of a link that leads to something inside the workspace: what. */
  readonly leadsTo?: 'file' | 'directory' | 'other';
}

/** Facts about one path, links followed. */
export interface FileFacts extends Entry {
  /** As a sandbox sees it: `/workspace/reports/q3.csv`. */
  readonly mounted: string;
  /** Names of the same file, from its inode. */
  readonly names: number;
}

export interface ListOptions {
  /** Levels below the folder: 1 (default) is what lies in it. */
  readonly depth?: number;
  /** Leave out what `.gitignore` and `.ignore` files name, and `.git`. Default true for `glob` and `search`, false for `list`. */
  readonly ignore?: boolean;
  /** Entries at most. Default and most: limit `maxListedEntries`. */
  readonly limit?: number;
  /** `next` of the answer before. */
  readonly cursor?: string;
  readonly signal?: AbortSignal;
}

export interface Listing {
  /** In order of their paths, as bytes. */
  readonly entries: readonly Entry[];
  /** Entries there are in all; null where the walk ended early. */
  readonly total: number | null;
  /** Goes on after the last entry; null at the end. */
  readonly next: string | null;
  /** Why the answer is not complete, where it is not: folders that may not be entered, limits. */
  readonly notes: readonly string[];
}

export interface SearchOptions {
  /** `query` is a regular expression (RE2 syntax: linear time, no back-references). Default: literal text. */
  readonly regex?: boolean;
  /** Matches may reach over line ends; `.` matches them too. Default false: lines are searched one by one. */
  readonly multiline?: boolean;
  /** Default true. */
  readonly caseSensitive?: boolean;
  /** A folder or file to search in. Default: all. */
  readonly path?: string;
  /** Only files this glob matches. */
  readonly glob?: string;
  /** Not the files this glob matches. */
  readonly exclude?: string;
  /** Lines shown before and after each match. Default 0, at most 20. */
  readonly context?: number;
  /** As for `glob`. */
  readonly ignore?: boolean;
  /** Matches at most. Default and most: limit `maxMatches`. */
  readonly limit?: number;
  /** `next` of the answer before, with the same query. */
  readonly cursor?: string;
  readonly signal?: AbortSignal;
  /** Called at most ten times a second. */
  readonly onProgress?: (progress: { readonly files: number; readonly bytes: Bytes }) => void;
}

/** A line that matches; several matches in it are one. */
export interface Match {
  readonly path: string;
  /** 1-based, in the file or in its converted text. */
  readonly line: number;
  /** 1-based, in UTF-16 units, where the first match in the line starts. */
  readonly column: number;
  /** The line; a long one cut around the match. */
  readonly text: string;
  /** `text` is not the whole line. */
  readonly cut: boolean;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  /** The text is that of a document as it was converted by an earlier read. */
  readonly converted?: true;
}

export interface SearchAnswer {
  readonly matches: readonly Match[];
  /** Files looked into. */
  readonly searched: number;
  /** Files not looked into, and why; at most 20 are named. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly skippedCount: number;
  /** Goes on after the last match; null when everything has been searched. */
  readonly next: string | null;
  readonly notes: readonly string[];
}

export interface WriteOptions {
  /** Replace a file that is there. Default false. */
  readonly overwrite?: boolean;
  /** Replace the file only if its content still has this sha256 (hex): CONFLICT otherwise. Implies `overwrite`. */
  readonly ifSha256?: string;
  readonly signal?: AbortSignal;
}

export interface RemoveOptions {
  /** Also a folder with all below it. */
  readonly recursive?: boolean;
  /** Remove the file only if its content still has this sha256 (hex): CONFLICT otherwise. */
  readonly ifSha256?: string;
}

export interface Written {
  readonly path: string;
  readonly mounted: string;
  readonly bytes: Bytes;
  /** Hex. */
  readonly sha256: string;
  readonly replaced: boolean;
  /** What could not be written as it was given; absent where all was. */
  readonly notes?: readonly string[];
}

export interface SaveOptions {
  /** File name, with or without folders and ending. Default `result`; put into `results/` unless it names a folder. */
  readonly name?: string;
  /** Default: by the ending of `name`, else by what is given (rows: csv; a string: text; other JSON: json). */
  readonly format?: ResultFormat;
  /** Names of the columns in order: of rows that are arrays, and first where rows are objects. Default: as they appear, or `column_1`... */
  readonly columns?: readonly string[];
  /** Replace a result of this name. Default false: a number is added to the name, so that nothing is lost. */
  readonly overwrite?: boolean;
  /** Budget of the preview. Default: limit `previewTokens`; 0 for none. */
  readonly previewTokens?: Tokens;
  readonly signal?: AbortSignal;
  /** Called at most ten times a second. */
  readonly onProgress?: (progress: { readonly rows: number; readonly bytes: Bytes }) => void;
}

/** A result that was saved. */
export interface SavedResult extends Written {
  readonly format: ResultFormat;
  /** Rows, or items of a JSON array; null for text and other JSON. */
  readonly rows: number | null;
  /** Columns in order; null where there are no rows. */
  readonly columns: readonly Column[] | null;
  /** What a read of it shows within the preview's budget, notes included. */
  readonly preview: string;
  /** What its reader should know: values a format has no form for, rows that go on in a further sheet, no rows. */
  readonly notes: readonly string[];
}

export interface Usage {
  readonly bytes: Bytes;
  readonly files: number;
}

/** Files below one folder. Every operation opens by descriptor, component by component. */
export interface Workspace extends Files {
  /** Where sandboxes see it. `/workspace`. */
  readonly mount: string;
  readonly limits: WorkspaceLimits;
  /** False where the system cannot open relative to a descriptor: links are refused then. */
  readonly raceSafe: boolean;
  /** @throws {ReaderError} as `open` does */
  stat(path: string): Promise<FileFacts>;
  /** What lies in a folder. @throws {ReaderError} also NOT_A_FILE for a file */
  list(path?: string, options?: ListOptions): Promise<Listing>;
  /** Files whose path matches (`**`, `*`, `?`, `[a-z]`, `{a,b}`); without a slash, whose name does, anywhere. */
  glob(pattern: string, options?: Omit<ListOptions, 'depth'>): Promise<Listing>;
  search(query: string, options?: SearchOptions): Promise<SearchAnswer>;
  /**
   * Writes a file whole or not at all, durably, with the folders it needs.
   * @throws {ReaderError} also QUOTA_EXCEEDED, BAD_INPUT when it exists and `overwrite` is not set
   */
  write(path: string, content: FileContent, options?: WriteOptions): Promise<Written>;
  /** Removes a file, a link (not what it leads to), or with `recursive` a folder. */
  remove(path: string, options?: RemoveOptions): Promise<void>;
  move(from: string, to: string, options?: { readonly overwrite?: boolean }): Promise<void>;
  /** Streams rows, JSON, text or bytes to a file; see `SaveOptions`. What it was given is never lost silently. */
  saveResult(input: ResultInput, options?: SaveOptions): Promise<SavedResult>;
  usage(signal?: AbortSignal): Promise<Usage>;
  /** Removes saved results older than limit `resultDays`, and what interrupted writes left behind. */
  prune(): Promise<{ readonly removed: readonly string[] }>;
}
