// What a read answers: the shapes callers see and `--json` prints. No behaviour.

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

/** A piece of the content, and where it lies. */
export type ContentPart =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly at: readonly Extent[];
      /** On request. */
      readonly boxes?: Boxes;
    }
  /** Stands before a first view that does not hold all of a file; no part of the file. */
  | { readonly kind: 'outline'; readonly text: string; readonly at: readonly [] }
  | {
      readonly kind: 'binary';
      readonly data: Uint8Array;
      readonly mimeType: MimeType;
      readonly at: readonly Extent[];
    };

/** What an answer shows and leaves out of its file, in the units of the format. */
export interface Truncation {
  readonly shown: readonly Extent[];
  readonly omitted: readonly Extent[];
  /** Cells, of those shown, whose text is cut. */
  readonly cellsCut?: number;
  /** Of the content shown, without notes. */
  readonly tokens: { readonly shown: Tokens };
  /**
   * How to go on; null when the walk is at its end. `request` says the same in plain words, where it can. Where something
   * is cut inside what is shown, `skip` names what follows it, or most of that.
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
  /** ISO 8601 with zone. */
  readonly modified?: string;
  readonly mimeType?: MimeType;
  readonly encoding?: Encoding;
  readonly [fact: string]: unknown;
}

/** A file that was read, whole or in part. */
export interface ReadSuccess {
  readonly success: true;
  readonly fileType: FileType;
  readonly processor: string;
  /** What the model sees: content and notes. At most the budget. */
  readonly text: string;
  /** The content, in order. The text parts of a whole walk, concatenated, are the converted file. */
  readonly content: readonly ContentPart[];
  /** Null when everything is shown. */
  readonly truncation: Truncation | null;
  readonly metadata: Metadata;
  readonly warnings: readonly Warning[];
}

/** A file or request that could not be answered. */
export interface ReadFailure {
  readonly success: false;
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly hint: string };
  readonly metadata: Metadata;
}

/** The answer for one file; `success` tells which. */
export type FileExtractionResult = ReadSuccess | ReadFailure;

/** Facts about a file without its content. */
export type Inspection =
  | {
      readonly success: true;
      readonly fileType: FileType;
      readonly processor: string;
      readonly metadata: Metadata;
      readonly warnings: readonly Warning[];
    }
  | ReadFailure;
