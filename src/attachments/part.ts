// What attachments become before any provider's format: parts in order, and an account of every file.

import type { Bytes, ErrorCode, MimeType, Tokens } from '../contract/index.ts';
import type { Truncation } from '../reader/index.ts';

/** A piece of a message. */
export type AttachmentPart =
  /** The list of all files, always first. */
  | { readonly kind: 'listing'; readonly text: string }
  /** The line that names the picture or recording after it. */
  | { readonly kind: 'label'; readonly text: string }
  /** A file's text, in whole or in part, with the notes that say so. `heading` names the file. */
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
 * What became of a file: its own bytes; a picture made from it; all of its text; a part of it; nothing, but it lies in
 * the workspace; nothing.
 */
export type Given = 'native' | 'image' | 'text' | 'sample' | 'reference' | 'nothing';

/** The account of one file. */
export interface AttachedFile {
  /** On one line; never a host path. */
  readonly name: string;
  /** In the workspace, as a tool takes it: `/workspace/big.csv`. */
  readonly path?: string;
  /** Absent where the file could not be opened. */
  readonly bytes?: Bytes;
  /** By its content. */
  readonly mimeType?: MimeType;
  readonly given: Given;
  /** What its parts cost, the listing apart. */
  readonly tokens: Tokens;
  /** What was given and what was left out, and why; as the listing says it. */
  readonly note: string;
  /** False where no read could show the model the rest: sound, video or pictures that the target does not take. */
  readonly carried?: false;
  /** The exact call that shows the rest, where there is one. */
  readonly call?: string;
  /** Of text: what is shown and left out. */
  readonly truncation?: Truncation;
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly hint: string };
}
