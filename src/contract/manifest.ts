// What a format is known by: names, types and signatures. Data, so that a list of formats costs nothing to import.

import type { Bytes, Extension, MimeType } from './format.ts';

/** A signature. It chooses its format whatever the file is called, and its files are never text. */
export interface Magic {
  /** The first bytes: a character a byte, `?` for any. Or a test of up to the first MiB of a file of `size` bytes. */
  readonly starts: string | ((head: Uint8Array, size: Bytes) => boolean);
  /** What stands anywhere in the first MiB besides: a character a byte. */
  readonly holds?: string;
  /** In words a model understands: `a PNG image`. */
  readonly what: string;
  /** Default: the first type of the format. */
  readonly mimeType?: MimeType;
  /** More exact formats start the same way: what `file-type` calls the content takes precedence. */
  readonly shared?: true;
}

/** A format that is recognised and not read. */
export interface UnreadFormat {
  readonly extensions: readonly Extension[];
  /** The first signature of all formats that matches wins, formats that are read before these. */
  readonly magic: readonly Magic[];
  /** What to do with such a file, in one sentence. Default: to convert it. */
  readonly advice?: string;
}
