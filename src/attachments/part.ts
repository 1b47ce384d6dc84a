// Attachments before conversion to a provider's format: parts in order, and a report on every file.

import type { Bytes, ErrorCode, MimeType, Tokens } from '../contract/index.ts';
import type { Truncation } from '../reader/index.ts';

/** A piece of a message. */
export type AttachmentPart =
  /** The list of all files, always first. */
  | { readonly kind: 'listing'; readonly text: string }
  /** The line that names the picture or recording after it. */
  | { readonly kind: 'label'; readonly text: string }
  /** A file's text, complete or in part, including its notes. `heading` names the file. */
  | { readonly kind: 'text'; readonly heading: string; readonly text: string; readonly name: string }
  | {
      readonly kind: 'image';
      readonly data: Uint8Array;
      readonly mimeType: MimeType;
      readonly name: string;
      readonly width: number;
      readonly height: number;
    }
  | {
      readonly kind: 'document';
      readonly data: Uint8Array;
      readonly mimeType: 'application/pdf';
      readonly name: string;
      readonly pages: number;
    }
  | { readonly kind: 'audio'; readonly data: Uint8Array; readonly mimeType: MimeType; readonly name: string };

/**
 * How a file was included: its own bytes; a picture made from it; all of its text; a part of it; not included, but
 * available in the workspace; not included.
 */
export type Given = 'native' | 'image' | 'text' | 'sample' | 'reference' | 'nothing';

/** The report on one file. */
export interface AttachedFile {
  /** On one line; never a host path. */
  readonly name: string;
  /** Workspace path, as a tool accepts it: `/workspace/big.csv`. */
  readonly path?: string;
  /** Absent if the file could not be opened. */
  readonly bytes?: Bytes;
  /** Detected from its content. */
  readonly mimeType?: MimeType;
  readonly given: Given;
  /** Tokens of its parts, without the listing. */
  readonly tokens: Tokens;
  /** What was included and left out, and why, as shown in the listing. */
  readonly note: string;
  /** False if no read could show the model the rest: sound, video or pictures the target does not accept. */
  readonly carried?: false;
  /** The exact call that shows the rest, if any. */
  readonly call?: string;
  /** For text: what is shown and omitted. */
  readonly truncation?: Truncation;
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly hint: string };
}
