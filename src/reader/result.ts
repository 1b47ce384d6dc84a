// Result types of a read, as callers get them and `--json` prints them. No behaviour.

import type {
  Boxes,
  Encoding,
  ErrorCode,
  Extent,
  FileType,
  MimeType,
  RequestFields,
  Tokens,
  Warning,
} from '../contract/index.ts';

/** A piece of the content, and its location. */
export type ContentPart =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly at: readonly Extent[];
      /** Only on request. */
      readonly boxes?: Boxes;
    }
  /** Precedes a first view that does not hold the whole file; not part of the file. */
  | { readonly kind: 'outline'; readonly text: string; readonly at: readonly [] }
  | {
      readonly kind: 'binary';
      readonly data: Uint8Array;
      readonly mimeType: MimeType;
      readonly at: readonly Extent[];
    };

/** What an answer shows and omits of its file, in the units of the format. */
export interface Truncation {
  readonly shown: readonly Extent[];
  readonly omitted: readonly Extent[];
  /** Number of shown cells whose text is cut. */
  readonly cellsCut?: number;
  /** Tokens of the content shown, without notes. */
  readonly tokens: { readonly shown: Tokens };
  /**
   * How to continue; null at the end of the walk. `request` says the same as plain request fields, if possible. If
   * something is cut inside what is shown, `skip` names what follows it, or most of that.
   */
  readonly next: {
    readonly cursor: string;
    readonly request?: RequestFields;
    readonly skip?: RequestFields;
  } | null;
}

/** Facts about a file. */
export interface Metadata {
  /** Never a host path. */
  readonly name: string;
  readonly bytes?: number;
  /** ISO 8601 with time zone. */
  readonly modified?: string;
  readonly mimeType?: MimeType;
  readonly encoding?: Encoding;
  readonly [fact: string]: unknown;
}

/** A file read completely or in part. */
export interface ReadSuccess {
  readonly success: true;
  readonly fileType: FileType;
  readonly processor: string;
  /** What the model sees: content and notes, within the budget. */
  readonly text: string;
  /** The content, in order. Concatenated over a whole walk, the text parts are the converted file. */
  readonly content: readonly ContentPart[];
  /** Null when everything is shown. */
  readonly truncation: Truncation | null;
  readonly metadata: Metadata;
  readonly warnings: readonly Warning[];
}

/** A failed file or request. */
export interface ReadFailure {
  readonly success: false;
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly hint: string };
  readonly metadata: Metadata;
}

/** The answer for one file; check `success`. */
export type FileExtractionResult = ReadSuccess | ReadFailure;

/** What a file consists of, one entry a line: its headings, tables and comments, its sheets, keys or definitions. */
export interface ContentsPage {
  readonly text: string;
  /** The entries in it, from 1; null if not even one fits. */
  readonly shown: readonly [from: number, to: number] | null;
  readonly of: number;
  /** Null at the end. The cursor continues the list here, and as an outline in `read`. */
  readonly next: { readonly cursor: string } | null;
}

/** Facts about a file without its content. */
export type Inspection =
  | {
      readonly success: true;
      readonly fileType: FileType;
      readonly processor: string;
      readonly metadata: Metadata;
      readonly warnings: readonly Warning[];
      /** With `maxTokens`, if the format has an outline. */
      readonly contents?: ContentsPage;
    }
  | ReadFailure;
