// The contract between the engine and a format: the engine passes an opened Source and a context, the processor yields
// parts.

import type { Whole } from './extent.ts';
import type { Bytes, Extension, FileType, MimeType, Tokens } from './format.ts';
import type { Limits } from './limits.ts';
import type { Magic, UnreadFormat } from './manifest.ts';
import type { Ocr, PictureDescriber } from './ocr.ts';
import type { Part, Position } from './part.ts';
import type { Selection, SelectionField, TableFormat } from './selection.ts';
import type { Warning } from './warning.ts';

/** An opened file, and the only access to its bytes. The engine opens and closes it. */
export interface Source {
  /** The name shown to the model; never a host path. */
  readonly name: string;
  readonly extension: Extension | '';
  /** As declared by the caller; not trusted. */
  readonly mimeType: MimeType | undefined;
  readonly size: Bytes;
  /** True if its bytes come over a network, so that reading all of a large file takes long. */
  readonly remote?: boolean;
  /** Equal for equal content, different after a change; keys indexes and cursors. Small files are hashed. */
  identity(): Promise<string>;
  /** Up to `length` bytes at `position`, fewer only at the end. The caller owns the array. */
  read(position: Bytes, length: Bytes): Promise<Uint8Array>;
  /** Fills `target` from `position`. Returns the number of bytes read, fewer than requested only at the end. */
  readInto(target: Uint8Array, position: Bytes): Promise<number>;
  /** The bytes from `from` on, in chunks of up to 1 MiB. A chunk is valid until the next one is requested. */
  chunks(from?: Bytes): AsyncIterable<Uint8Array>;
  /** The whole file. @throws {ReaderError} LIMIT_EXCEEDED above `limits.maxBytesInMemory`. */
  bytes(): Promise<Uint8Array>;
}

/** The encoding of a text. */
export interface Encoding {
  readonly name: string;
  /** 0 to 1; 1 for a byte order mark, valid UTF-8 or an encoding set by the caller. */
  readonly confidence: number;
  /** Other candidates of a statistical guess, most likely first. */
  readonly others?: readonly string[];
}

/** A source as UTF-8 without a byte order mark, regardless of the file's encoding. */
export interface TextSource extends Source {
  readonly encoding: Encoding;
}

/** Tokens and characters an answer may use, and the cost of text. Unlimited for `all`. */
export interface Budget {
  /** Budget if nothing is omitted, so that no note is needed. */
  readonly tokens: Tokens;
  /** Budget if a note must say what was omitted. Never more than `tokens`. */
  readonly tokensBesideNotes: Tokens;
  readonly characters: number;
  readonly charactersBesideNotes: number;
  /**
   * Exact cost of `text` as answers show it, with the escapes of lines that look like notes, in linear time. Costs
   * split at line ends are nearly additive: their sum is never less than the cost of the joined text.
   */
  count(text: string): Tokens;
  /**
   * True if `text` costs at most `tokens` and has at most `characters`; cheaper than counting when the answer is
   * obvious.
   */
  fits(text: string, tokens: Tokens, characters: number): boolean;
  /** Length in UTF-16 units of the longest prefix that costs at most `tokens`. Never splits a surrogate pair. */
  prefix(text: string, tokens: Tokens): number;
}

/** Facts about a file for `metadata`; each processor adds its own. Plain JSON values. */
export interface FormatFacts {
  readonly lines?: number;
  readonly rows?: number;
  readonly columns?: number;
  readonly [fact: string]: unknown;
}

/** Earlier conversion results for one file's content, by name; may be kept between reads. */
export interface Conversion {
  /** Undefined if never kept, evicted, or damaged. Never throws. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Keeps `bytes`, if possible. Never throws. `name`: letters, digits and dashes. */
  put(name: string, bytes: Uint8Array): Promise<void>;
}

/** What the engine passes to a processor for one answer: the request, the limits, and callbacks to report. */
export interface ProcessContext {
  readonly selection: Selection;
  readonly limits: Limits;
  readonly budget: Budget;
  readonly signal: AbortSignal;
  /**
   * The source as UTF-8: decodes it (detected or requested encoding) and removes the byte order mark. Sets
   * `metadata.encoding`.
   */
  text(source: Source): Promise<TextSource>;
  warn(warning: Warning): void;
  describe(facts: FormatFacts): void;
  /**
   * Kept conversions of this exact content by this `version` of the converter. A version must include every option that
   * affects the result.
   */
  conversion(source: Source, version: string): Promise<Conversion>;
  /**
   * The password of the request. Take it only for a file that does not open without one: from then on, nothing of the
   * file is kept between reads. Never put it in a message.
   */
  password(): string | undefined;
  /** Declares a whole; the parts of it not shown are reported as omitted. */
  whole(whole: Whole): void;
  /**
   * Texts that follow each other with placeholders for their secrets, each as long as before; absent if secrets are
   * shown. Call it on whole texts, before they are cut. Parts are redacted again by the engine.
   */
  redact?(texts: readonly string[]): readonly string[];
  /** If absent, sound can only be cut by the processor itself. */
  readonly media?: MediaTools;
  /** Reads the text of pictures, if the caller wants that. Call it through `recognized`. */
  readonly ocr?: Ocr;
  /** Describes pictures, if the caller wants that. Call it through `described`. */
  readonly describer?: PictureDescriber;
}

/** Sound containers that `MediaTools` can be told to expect. */
export type SoundContainer =
  | 'mp4'
  | 'matroska'
  | 'ogg'
  | 'flac'
  | 'asf'
  | 'mp3'
  | 'aac'
  | 'wav'
  | 'aiff'
  | 'ape'
  | 'wavpack'
  | 'dsf'
  | 'caf'
  | 'amr';

/** A range of a recording, in seconds from its start: `from` inclusive, `to` exclusive. */
export interface SoundStretch {
  /** The container detected by the processor; no other is tried. */
  readonly container: SoundContainer;
  readonly from: number;
  readonly to: number;
  /** Maximum size of the result; quality is reduced to stay within it. */
  readonly maxBytes: Bytes;
}

/** Sound as a complete, playable file. */
export interface Sound {
  readonly data: Uint8Array;
  readonly mimeType: MimeType;
  /** Actual duration. */
  readonly seconds: number;
}

/** Sound processing with a program of the host. */
export interface MediaTools {
  /**
   * The range as a complete file, from the first sound track.
   * @throws {ReaderError} MISSING_DEPENDENCY, CORRUPT_FILE, TIMED_OUT, ABORTED
   */
  cut(source: Source, stretch: SoundStretch, signal: AbortSignal): Promise<Sound>;
}

/** A file inside another: an archive's entry, an email's attachment. */
export interface Entry {
  /** Its last name, without folders. */
  readonly name: string;
  readonly mimeType?: MimeType;
  readonly modified?: Date;
  readonly bytes: Uint8Array;
  /** Bytes actually inflated to extract it, if more than its size. Counted against the limits of files inside it. */
  readonly inflated?: Bytes;
  /** How it was stored, for `metadata`. */
  readonly facts?: FormatFacts;
}

/** A file inside another, to be opened before the next one is asked for. */
export interface InnerFile {
  /** As `entry` takes it. */
  readonly path: string;
  /** @throws {ReaderError} as `entry` */
  open(): Promise<Entry>;
}

/** A folder inside an archive, with a trailing slash; `''` is the archive itself. Shown as a listing. */
export interface Folder {
  readonly folder: string;
}

/**
 * One format. A plain object: cheap to import, loads its parser on first use. Applies its format's limits, fits itself
 * to the budget in whole units and reports extents. Never writes truncation notes.
 */
export interface Processor {
  readonly name: string;
  readonly fileType: FileType;
  readonly extensions: readonly Extension[];
  /** Extensions its files share with other formats: they do not choose it, and are no mismatch once its signature does. */
  readonly sharedExtensions?: readonly Extension[];
  readonly mimeTypes: readonly MimeType[];
  /** The MIME type of an extension if it is not the first of `mimeTypes`; `''` for all others. */
  readonly types?: Readonly<Partial<Record<Extension | '', MimeType>>>;
  /** Signatures that choose it. Formats without one are chosen by name, by type or by `file-type`. */
  readonly magic?: readonly Magic[];
  /** File names without a meaningful extension, in lower case (`'makefile'`). */
  readonly names?: readonly string[];
  /** Request fields it supports. */
  readonly selects: readonly SelectionField[];
  /** Values of `format` it supports; without them files are shown unchanged. */
  readonly formats?: readonly TableFormat[];
  /** Its files are text: they support `lines`, and are shown as text if they cannot be parsed. */
  readonly textual: boolean;
  /**
   * The cheap part of its outline is shown above a first view that does not hold the whole file; `'always'`: also above
   * the whole file, if there is room, because its content does not show what the outline says (types of columns).
   */
  readonly introduces?: boolean | 'always';
  /**
   * True for a position that stays valid after lines are appended. Its first number may be a byte offset in the text.
   */
  readonly follows?: (position: Position) => boolean;
  /**
   * A stretch of whole lines reads like a file of its own: any, or if it follows the first line, which holds the names.
   */
  readonly splits?: 'lines' | 'records';
  /** The text it shows differs from that of the file. */
  readonly converts?: true;
  /** Its conversions are kept between reads. */
  readonly keeps?: boolean;
  /** People write its files by hand: edits apply to the file's own text, although answers show a conversion. */
  readonly authored?: true;
  /** The texts inside a file with this content that are shown decoded, for edits; undefined if it has none. */
  passages?(text: string): Promise<Passages | undefined>;
  /** Types that another processor reads as text and this one draws when `region` or `detail` is requested. */
  readonly draws?: readonly MimeType[];
  /** Which of `draws` a file starting with `head` is; undefined for none. */
  drawing?(head: Uint8Array, extension: Extension | ''): MimeType | undefined;
  /** Confirms a choice by name from up to the first 64 KiB, instead of `magic`; never chooses. */
  matches?(head: Uint8Array): boolean;
  /**
   * Chooses text without a known name, by up to its first 64 KiB. The first `true` wins, then the first `'maybe'`;
   * `'asked'` reads any text as a table, if its rows are asked for.
   */
  reads?(text: string, cutOff: boolean): boolean | 'maybe' | 'asked';
  process(source: Source, context: ProcessContext): AsyncIterable<Part>;
  /** Preloads its code before its first file. */
  prepare?(): Promise<void>;
  /**
   * Headings, sheets, keys or symbols: the structure of the file instead of its content, complete and the same each
   * time. The engine pages it. If its coverage is limited, report a warning or the whole `{ unit: 'level', name:
   * OUTLINE }`.
   */
  outline?(source: Source, context: ProcessContext): AsyncIterable<OutlineLine>;
  /**
   * The file or folder at `path` inside this one, as in `archive.zip!/path`. A processor that returns folders lists
   * `selection.folder`.
   * @throws {ReaderError} FILE_NOT_FOUND with the nearest name, LIMIT_EXCEEDED, ENCRYPTED_FILE, CORRUPT_FILE
   */
  entry?(source: Source, path: string, context: EntryContext): Promise<Entry | Folder>;
  /** All files that `entry` opens, without folders and links, in the order of the container. */
  files?(source: Source, context: EntryContext): AsyncIterable<InnerFile>;
  /** Its own text only lists its files. */
  readonly lists?: true;
  /**
   * The single compressed file (`data.csv` in `data.csv.gz`), which is read instead; undefined if there are several.
   * Only called if `matches` holds.
   */
  unwrap?(source: Source, context: EntryContext): Promise<Entry | undefined>;
  /** `unwrap` gives a preview of the file; a path into the file leads to its entries instead. */
  readonly previews?: boolean;
  /**
   * The file behind a password, which is read instead under the same name; undefined if it is not protected.
   * @throws {ReaderError} ENCRYPTED_FILE, WRONG_PASSWORD, CORRUPT_FILE, LIMIT_EXCEEDED
   */
  decrypt?(source: Source, head: Uint8Array, context: EntryContext): Promise<Uint8Array | undefined>;
}

/** The texts inside a file that are shown decoded, such as the sources of a notebook's cells. */
export interface Passages {
  /** In the order of the file. `name` follows "in": `cell 3`. */
  readonly list: readonly { readonly name: string; readonly text: string }[];
  /** The content of the file with `texts` in place of those in `list`, and all else unchanged. */
  replaced(texts: readonly string[]): Promise<string>;
}

/** An entry of the list of formats. */
export type Format = Processor | UnreadFormat;

/** What opening an entry may use. */
export type EntryContext = Pick<ProcessContext, 'limits' | 'signal' | 'warn' | 'password'>;

/** The name of an outline's extents, to distinguish them from those of the content. */
export const OUTLINE = 'outline';
/** Deeper lines of an outline count as lines of this level. */
export const MAX_LEVEL = 1000;

/** One entry of an outline. */
export interface OutlineLine {
  /** Without a line end. */
  readonly text: string;
  /**
   * 0 for the file itself, 1 for its direct contents; absent in a flat list. If an outline does not fit, outer levels
   * come first.
   */
  readonly level?: number;
  /** Short form for several entries on one line: `12 name`. */
  readonly short?: string;
  /** The name alone, if even the short form is too long. */
  readonly name?: string;
  /** Text before and after the lines inside this one when they are written on its line: `12 Name {` and `}`. */
  readonly around?: readonly [string, string];
  /** Within a level, heavier entries come first if not all fit in a few lines; entries without a weight are equal. */
  readonly weight?: number;
  /** The line needs the lines of its parents for context. */
  readonly nested?: true;
  /** What it names in a text, by lines: a section by its heading, or a whole definition. */
  readonly names?: SectionLines;
}

/** A heading of a text, or a definition: its first and last line, and what it says. */
export interface SectionLines {
  readonly title: string;
  readonly from: number;
  readonly to: number;
  /** The lines are those of a heading, and what it names ends at the next one. */
  readonly isHeading: boolean;
}

/** What a processor does, without its manifest. */
export interface ProcessorCode {
  process(source: Source, context: ProcessContext): AsyncIterable<Part>;
  outline?(source: Source, context: ProcessContext): AsyncIterable<OutlineLine>;
}

/** The part of a manifest that loads its code on first use. */
export type LazyCode = Required<ProcessorCode> & Required<Pick<Processor, 'prepare'>>;

/**
 * Loads code on first use, so that a list of formats costs nothing to import. Code without an outline has an empty one.
 */
export function lazily(load: () => Promise<ProcessorCode>): LazyCode {
  return {
    prepare: async () => {
      await load();
    },
    async *process(source, context) {
      yield* (await load()).process(source, context);
    },
    async *outline(source, context) {
      const code = await load();
      if (code.outline) yield* code.outline(source, context);
    },
  };
}

/**
 * Thrown by a processor before its first part if the bytes are not in its format. A textual file is then shown as text
 * with the warning; any other file fails with CORRUPT_FILE and the warning's message.
 */
export class NotThisFormat extends Error {
  override readonly name = 'NotThisFormat';
  readonly warning: Warning;

  constructor(warning: Warning, cause?: unknown) {
    super(warning.message, cause === undefined ? undefined : { cause });
    this.warning = warning;
  }
}
