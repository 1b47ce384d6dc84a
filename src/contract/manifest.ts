// How a format is recognised: names, types and signatures. Data only, so that a list of formats costs nothing to
// import.

import type { Bytes, Extension, MimeType } from './format.ts';

/** A signature. It chooses its format regardless of the file name, and its files are never text. */
export interface Magic {
  /**
   * The first bytes, one character per byte, `?` for any; or a test of up to the first MiB of a file of `size` bytes.
   */
  readonly starts: string | ((head: Uint8Array, size: Bytes) => boolean);
  /** Additional bytes anywhere in the first MiB, one character per byte. */
  readonly holds?: string;
  /** As shown to a model: `a PNG image`. */
  readonly what: string;
  /** Default: the first type of the format. */
  readonly mimeType?: MimeType;
  /** More specific formats share this signature, so `file-type`'s result takes precedence. */
  readonly shared?: true;
}

/** A format that is recognised but not supported. */
export interface UnreadFormat {
  readonly extensions: readonly Extension[];
  /** The first matching signature of all formats wins; supported formats come before these. */
  readonly magic: readonly Magic[];
  /** What to do with such a file, in one sentence. Default: convert it. */
  readonly advice?: string;
}
