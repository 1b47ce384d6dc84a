// The workspace interface: files below one folder, addressed by paths that cannot lead outside. Each operation is
// implemented in its own file.

import type { Blobs } from '../blobs/index.ts';
import type { Bytes, Extent, Files, Tokens, WorkspaceLimits } from '../contract/index.ts';
import type { Redactor } from '../redact/index.ts';
import type { Column, ResultFormat, ResultInput } from './results/result.ts';

/** A stored workspace, identified by its owner, in a folder or in object storage, or a plain folder used as one. */
export type WorkspacePlace =
  | {
      /** Holds `workspaces/<user>/<session>/`. Default: LECTERN_DATA_DIR, else `./data`. */
      readonly dataDir?: string;
      readonly user: string;
      readonly session: string;
    }
  | {
      /** Holds `workspaces/<user>/<session>/`. Whoever opened it closes it. */
      readonly storage: Blobs;
      readonly user: string;
      readonly session: string;
    }
  | { readonly root: string };

/** Bytes, text, or a source that yields bytes. */
export type FileContent =
  | string
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | NodeJS.ReadableStream
  | AsyncIterable<Uint8Array>;

/** A file or folder. */
export interface Entry {
  /**
   * Relative to the workspace, without a leading slash; can be passed back unchanged. Non-UTF-8 bytes appear as `\xNN`.
   */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  /** Only for a file. */
  readonly bytes?: Bytes;
  /** ISO 8601 with time zone. */
  readonly modified?: string;
  /** Kind of a link's target, if it is inside the workspace. */
  readonly leadsTo?: 'file' | 'directory' | 'other';
}

/** Facts about one path, following links. */
export interface FileFacts extends Entry {
  /** Path in a sandbox, such as `/workspace/reports/q3.csv`. */
  readonly mounted: string;
  /** Number of hard links. */
  readonly names: number;
}

export interface ListOptions {
  /** Levels below the folder; 1 (default) lists its direct entries. */
  readonly depth?: number;
  /**
   * Leave out what `.gitignore` and `.ignore` files exclude, and `.git`. Default true for `glob` and `search`, false
   * for `list`.
   */
  readonly ignore?: boolean;
  /** Maximum number of entries. Default and maximum: limit `maxListedEntries`. */
  readonly limit?: number;
  /** `next` of the previous answer. */
  readonly cursor?: string;
  readonly signal?: AbortSignal;
}

export interface Listing {
  /** Sorted by path, as bytes. */
  readonly entries: readonly Entry[];
  /** Total number of entries; null if the walk ended early. */
  readonly total: number | null;
  /** Cursor for the entries after the last one; null at the end. */
  readonly next: string | null;
  /** Why the answer is incomplete, if it is: inaccessible folders, limits. */
  readonly notes: readonly string[];
}

export interface SearchOptions {
  /** Treat `query` as a regular expression (RE2 syntax: linear time, no backreferences). Default: literal text. */
  readonly regex?: boolean;
  /** Matches may span lines, and `.` matches line ends. Default false: lines are searched one by one. */
  readonly multiline?: boolean;
  /** Default true. */
  readonly caseSensitive?: boolean;
  /** Search the formulas of cells too; a hit shows them behind the value: `1167.6 (=D2*E2)`. Default false. */
  readonly formulas?: boolean;
  /** The folder, file or address to search, such as `a.zip!/b.csv`. Default: the whole workspace. */
  readonly path?: string;
  /** Only search files that match this glob. */
  readonly glob?: string;
  /** Skip files that match this glob. */
  readonly exclude?: string;
  /** Lines shown before and after each match. Default 0, at most 20. */
  readonly context?: number;
  /** Only count: matching lines by file, or matches by their text. Default: return matches. */
  readonly count?: 'files' | 'groups';
  /** As in `glob`. */
  readonly ignore?: boolean;
  /** Maximum number of matches. Default and maximum: limit `maxMatches`. */
  readonly limit?: number;
  /** `redactor` of a reader: its placeholders are searched in place of secrets. Default: that of the workspace's reader. */
  readonly redactor?: Redactor | undefined;
  /** `next` of the previous answer for the same query. */
  readonly cursor?: string;
  readonly signal?: AbortSignal;
  /** Called at most ten times a second. */
  readonly onProgress?: (progress: { readonly files: number; readonly bytes: Bytes }) => void;
}

/** A matching line; several matches in one line count once. */
export interface Match {
  /** Of the file, or of one inside it: `a.zip!/b.csv`. */
  readonly path: string;
  /** `path` with the place: `report.pdf#page=12`, `book.xlsx#Orders!C9`, `server.py#L7`. Reading it shows the match. */
  readonly address: string;
  /** The section or slide around a place in a document, or the name of the column and the first field of the row. */
  readonly label?: string;
  /** 1-based, in the file or its converted text. */
  readonly line: number;
  /** 1-based start of the first match in the line, in UTF-16 units. */
  readonly column: number;
  /** The line; a long one is cut around the match. */
  readonly text: string;
  /** True if `text` is not the whole line. */
  readonly cut: boolean;
  /** What matched in `text`, in UTF-16 units. */
  readonly spans: readonly (readonly [start: number, end: number])[];
  /** Further matches of a long line that `text` does not show. */
  readonly also?: readonly { readonly column: number; readonly text: string }[];
  /** How many more there are. */
  readonly more?: number;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  /** How many lines of `after` a match across lines continues on. */
  readonly continued?: number;
  /** The match is in the text that a file was converted to. */
  readonly converted?: true;
}

export interface SearchAnswer {
  readonly matches: readonly Match[];
  /** All matching lines from the start of this answer on, those that `limit` leaves out included. */
  readonly total: { readonly matches: number; readonly files: number; readonly isExact: boolean };
  /** Of `count: 'groups'`: each text that matched, or that the first group did, with its count; most frequent first. */
  readonly groups?: readonly { readonly text: string; readonly count: number }[];
  /** Files with matches and their counts, in order; at most 10 000. */
  readonly files: readonly { readonly path: string; readonly matches: number }[];
  /** Number of files searched, those inside others included. */
  readonly searched: number;
  /** How far the only file was searched, if it was converted: `{ unit: 'page', from: 1, to: 8, of: 52 }`. */
  readonly covered?: Extent;
  /** Files not searched, and why; at most 20 are named. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly skippedCount: number;
  /** Cursor for the matches after the last one; null when everything has been searched. */
  readonly next: string | null;
  /** Cursor for the matches after the first `count` of `matches`. */
  cursorAfter(count: number): string | null;
  /** Cursor for what follows from the file at this index of `files` on. */
  cursorAtFile(index: number): string | null;
  readonly notes: readonly string[];
}

export interface WriteOptions {
  /** Replace an existing file. Default false. */
  readonly overwrite?: boolean;
  /** Replace the file only if its content has this SHA-256 (hex), else fail with CONFLICT. Implies `overwrite`. */
  readonly ifSha256?: string;
  /**
   * Length of the content, where it is known. Room for it is reserved at once, so that of many writes that a quota cannot
   * hold together, some succeed.
   */
  readonly bytes?: Bytes;
  readonly signal?: AbortSignal;
}

export interface RemoveOptions {
  /** Remove folders too, with everything below them. */
  readonly recursive?: boolean;
  /** Remove the file only if its content has this SHA-256 (hex), else fail with CONFLICT. */
  readonly ifSha256?: string;
}

export interface Written {
  readonly path: string;
  readonly mounted: string;
  readonly bytes: Bytes;
  /** Hex. */
  readonly sha256: string;
  readonly replaced: boolean;
  /** Content that had to be changed to be written; absent if none. */
  readonly notes?: readonly string[];
}

export interface SaveOptions {
  /** File name, with optional folders and extension. Default `result`; saved in `results/` unless it names a folder. */
  readonly name?: string;
  /** Default: by the extension of `name`, else by the input (rows: csv; a string: text; other JSON: json). */
  readonly format?: ResultFormat;
  /**
   * Column names in order: for rows given as arrays, or as the first columns for rows given as objects. Default: in
   * order of appearance, or `column_1`...
   */
  readonly columns?: readonly string[];
  /** Replace an existing result of this name. Default false: append a number to the name. */
  readonly overwrite?: boolean;
  /** Token budget of the preview. Default: limit `previewTokens`; 0: no preview. */
  readonly previewTokens?: Tokens;
  readonly signal?: AbortSignal;
  /** Called at most ten times a second. */
  readonly onProgress?: (progress: { readonly rows: number; readonly bytes: Bytes }) => void;
}

/** A saved result. */
export interface SavedResult extends Written {
  readonly format: ResultFormat;
  /** Number of rows, or of items in a JSON array; null for text and other JSON. */
  readonly rows: number | null;
  /** Columns in order; null if the result has no rows. */
  readonly columns: readonly Column[] | null;
  /** What a read of the result shows within the preview budget, notes included. */
  readonly preview: string;
  /** Remarks for the reader: values the format cannot represent, rows continued on another sheet, no rows. */
  readonly notes: readonly string[];
}

export interface Usage {
  readonly bytes: Bytes;
  readonly files: number;
}

/**
 * Files below one folder. On a disk, every operation opens files by descriptor, component by component. In object
 * storage names are keys: there are no links, and a folder exists while it holds a file.
 */
export interface Workspace extends Files {
  /** The path at which sandboxes see it: `/workspace`. */
  readonly mount: string;
  readonly limits: WorkspaceLimits;
  /** False where the system cannot open files relative to a descriptor; links are then refused. */
  readonly raceSafe: boolean;
  /** @throws {ReaderError} as `open` does */
  stat(path: string): Promise<FileFacts>;
  /** Entries of a folder. @throws {ReaderError} also NOT_A_FILE for a file */
  list(path?: string, options?: ListOptions): Promise<Listing>;
  /**
   * Files whose path matches (`**`, `*`, `?`, `[a-z]`, `{a,b}`). A pattern without a slash matches names at any depth.
   */
  glob(pattern: string, options?: Omit<ListOptions, 'depth'>): Promise<Listing>;
  search(query: string, options?: SearchOptions): Promise<SearchAnswer>;
  /**
   * Writes a file atomically and durably, creating missing parent folders.
   * @throws {ReaderError} also QUOTA_EXCEEDED, BAD_INPUT when it exists and `overwrite` is not set
   */
  write(path: string, content: FileContent, options?: WriteOptions): Promise<Written>;
  /** Removes a file, a link (not its target), or with `recursive` a folder. */
  remove(path: string, options?: RemoveOptions): Promise<void>;
  move(from: string, to: string, options?: { readonly overwrite?: boolean }): Promise<void>;
  /** Streams rows, JSON, text or bytes to a file; see `SaveOptions`. Never drops input silently. */
  saveResult(input: ResultInput, options?: SaveOptions): Promise<SavedResult>;
  usage(signal?: AbortSignal): Promise<Usage>;
  /** Removes saved results older than limit `resultDays`, and leftovers of interrupted writes. */
  prune(): Promise<{ readonly removed: readonly string[] }>;
}
