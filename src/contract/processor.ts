// The contract between the engine and a format: the engine hands over an opened Source and a context, the processor
// yields parts.

import type { Whole } from './extent.ts';
import type { Bytes, Extension, FileType, MimeType, Tokens } from './format.ts';
import type { Limits } from './limits.ts';
import type { Magic, UnreadFormat } from './manifest.ts';
import type { Part, Position } from './part.ts';
import type { Selection, SelectionField, TableFormat } from './selection.ts';
import type { Warning } from './warning.ts';

/** An opened file, and the only way to its bytes. The engine opens and closes it. */
export interface Source {
  /** What the model may see; never a host path. */
  readonly name: string;
  readonly extension: Extension | '';
  /** As declared by the caller; not trusted. */
  readonly mimeType: MimeType | undefined;
  readonly size: Bytes;
  /** The same for the same content, different when it changes; keys indexes and cursors. Hashes small files. */
  identity(): Promise<string>;
  /** Up to `length` bytes at `position`, fewer only at the end. The array is the caller's. */
  read(position: Bytes, length: Bytes): Promise<Uint8Array>;
  /** Fills `target` from `position`; returns how many bytes came, fewer than asked only at the end. */
  readInto(target: Uint8Array, position: Bytes): Promise<number>;
  /** The bytes from `from` on, in pieces of up to 1 MiB. A piece is valid until the next is asked for. */
  chunks(from?: Bytes): AsyncIterable<Uint8Array>;
  /** The whole file. @throws {ReaderError} LIMIT_EXCEEDED above `limits.maxBytesInMemory`. */
  bytes(): Promise<Uint8Array>;
}

/** Which encoding a text is in. */
export interface Encoding {
  readonly name: string;
  /** 0 to 1; 1 for a byte order mark, valid UTF-8 or the caller's own word. */
  readonly confidence: number;
  /** Of a guess by statistics: what else it may be, the likelier first. */
  readonly others?: readonly string[];
}

/** A source seen as UTF-8 without a byte order mark, whatever the file's own encoding. */
export interface TextSource extends Source {
  readonly encoding: Encoding;
}

/** Tokens and characters an answer may use, and what text costs. Infinite for `all`. */
export interface Budget {
  /** When nothing is left out, so that no note is needed. */
  readonly tokens: Tokens;
  /** When a note must say what was left out. Never more than `tokens`. */
  readonly tokensBesideNotes: Tokens;
  readonly characters: number;
  readonly charactersBesideNotes: number;
  /** Exact cost of `text`; linear time. Text costs are nearly additive at line ends, never less than the joined text's. */
  count(text: string): Tokens;
  /** True when `text` costs at most `tokens` and holds at most `characters`; cheaper than counting when it is clear. */
  fits(text: string, tokens: Tokens, characters: number): boolean;
  /** Length in UTF-16 units of the longest prefix that costs at most `tokens`; never parts a surrogate pair. */
  prefix(text: string, tokens: Tokens): number;
}

/** Facts about a file for `metadata`; each processor adds its own. Plain JSON values. */
export interface FormatFacts {
  readonly lines?: number;
  readonly rows?: number;
  readonly columns?: number;
  readonly [fact: string]: unknown;
}

/** What a converter has made of one file's content before, by name; kept between reads, or nothing. */
export interface Conversion {
  /** Undefined for what was never kept, was dropped, or cannot be read back unchanged. Never throws. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Keeps `bytes`, where that is possible. Never throws. `name`: letters, digits and dashes. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** What is not kept is not converted either: the read ends there with BAD_INPUT. */
  readonly only?: boolean;
}

/** What the engine hands a processor for one answer: what is asked, what it may take, and where to report. */
export interface ProcessContext {
  readonly selection: Selection;
  readonly limits: Limits;
  readonly budget: Budget;
  readonly signal: AbortSignal;
  /** The source as UTF-8: encoding detected (or as requested), byte order mark removed. Sets `metadata.encoding`. */
  text(source: Source): Promise<TextSource>;
  warn(warning: Warning): void;
  describe(facts: FormatFacts): void;
  /** What was kept of this very content, by this `version` of the converter. A version names every option that matters. */
  conversion(source: Source, version: string): Promise<Conversion>;
  /** Declares a whole; what no part shows of it is reported as left out. */
  whole(whole: Whole): void;
  /** Absent where sound can be cut only by the processor's own means. */
  readonly media?: MediaTools;
}

/** The forms of sound that `MediaTools` can be told to take a file for. */
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

/** A stretch of a recording. Seconds from its start, `from` inside, `to` outside. */
export interface SoundStretch {
  /** What the processor found the file to be; it is read as nothing else. */
  readonly container: SoundContainer;
  readonly from: number;
  readonly to: number;
  /** Bytes that the answer may have at most; sound is made coarser to keep within. */
  readonly maxBytes: Bytes;
}

/** Sound that plays by itself. */
export interface Sound {
  readonly data: Uint8Array;
  readonly mimeType: MimeType;
  /** How long it really plays. */
  readonly seconds: number;
}

/** Work on sound that needs a program of the host. */
export interface MediaTools {
  /**
   * The stretch as a file that plays by itself, of the first sound track.
   * @throws {ReaderError} MISSING_DEPENDENCY, CORRUPT_FILE, TIMED_OUT, ABORTED
   */
  cut(source: Source, stretch: SoundStretch, signal: AbortSignal): Promise<Sound>;
}

/** A file inside another: an archive's entry, a mail's attachment. */
export interface Entry {
  /** Its last name, without folders. */
  readonly name: string;
  readonly mimeType?: MimeType;
  readonly modified?: Date;
  readonly bytes: Uint8Array;
  /** Bytes really inflated to get at it, where that is more than it has. They count for what is opened inside it. */
  readonly inflated?: Bytes;
  /** For `metadata`: how it was held. */
  readonly facts?: FormatFacts;
}

/** A folder inside an archive, with its last slash; `''` is the archive itself. It is shown as a listing. */
export interface Folder {
  readonly folder: string;
}

/**
 * One format. A plain object: cheap to import, its parser loads on first use. It applies its format's limits, fits
 * itself to the budget in whole units and reports extents; it never writes a truncation note.
 */
export interface Processor {
  readonly name: string;
  readonly fileType: FileType;
  readonly extensions: readonly Extension[];
  readonly mimeTypes: readonly MimeType[];
  /** The type of an extension where that is not the first of `mimeTypes`; `''` for all others. */
  readonly types?: Readonly<Partial<Record<Extension | '', MimeType>>>;
  /** Signatures that choose it. Formats without one are chosen by name, by type or by what `file-type` recognises. */
  readonly magic?: readonly Magic[];
  /** File names without a telling extension, lower case (`'makefile'`). */
  readonly names?: readonly string[];
  /** The request fields it understands. */
  readonly selects: readonly SelectionField[];
  /** The values of `format` it understands; without them it shows its files as they are. */
  readonly formats?: readonly TableFormat[];
  /** Its files are text: `lines` may be asked of them, and what it cannot parse is shown as text. */
  readonly textual: boolean;
  /** Its outline, as far as that is cheap, stands above a first view that does not hold all of a file. */
  readonly introduces?: boolean;
  /** True for a position that holds after lines were added to the file. Its first number may be a byte offset of the text. */
  readonly follows?: (position: Position) => boolean;
  /** What it shows is another text than that of the file. */
  readonly converts?: true;
  /** What it converts is kept between reads. */
  readonly keeps?: boolean;
  /** Types that another processor reads as text and that this one draws when `region` or `detail` is asked. */
  readonly draws?: readonly MimeType[];
  /** Which of `draws` a file is that starts with `head`; undefined for none. */
  drawing?(head: Uint8Array, extension: Extension | ''): MimeType | undefined;
  /** Confirms the name on up to the first 64 KiB, in place of `magic`; never chooses. */
  matches?(head: Uint8Array): boolean;
  /** Chooses text without a telling name, by up to its first 64 KiB. The first `true` wins, then the first `'maybe'`. */
  reads?(text: string, cutOff: boolean): boolean | 'maybe';
  process(source: Source, context: ProcessContext): AsyncIterable<Part>;
  /** Loads its code ahead of its first file. */
  prepare?(): Promise<void>;
  /**
   * Headings, sheets, keys or symbols: the shape of the file instead of its content, all of it and the same each time. The
   * engine pages it. A bound on what it covers is a warning, or the whole `{ unit: 'level', name: OUTLINE }`.
   */
  outline?(source: Source, context: ProcessContext): AsyncIterable<OutlineLine>;
  /**
   * The file or folder at `path` inside this one, as `archive.zip!/path` names it. A processor that gives folders lists
   * `selection.folder`.
   * @throws {ReaderError} FILE_NOT_FOUND with the nearest name, LIMIT_EXCEEDED, ENCRYPTED_FILE, CORRUPT_FILE
   */
  entry?(source: Source, path: string, context: EntryContext): Promise<Entry | Folder>;
  /**
   * The one file that this one only packs (`data.csv` of `data.csv.gz`), which is then read in its place; undefined when
   * it holds several. Asked only where `matches` holds.
   */
  unwrap?(source: Source, context: EntryContext): Promise<Entry | undefined>;
}

/** An entry of the list of formats. */
export type Format = Processor | UnreadFormat;

/** What opening an entry may use. */
export type EntryContext = Pick<ProcessContext, 'limits' | 'signal' | 'warn'>;

/** The name of an outline's extents, beside those of the content. */
export const OUTLINE = 'outline';

/** One entry of an outline. */
export interface OutlineLine {
  /** Without a line end. */
  readonly text: string;
  /**
   * 0 for the file itself, 1 for what it holds; absent where an outline is a plain list. Outer levels come first where
   * not all of an outline fits.
   */
  readonly level?: number;
  /** The same in a word or two, for many on one line: `12 name`. */
  readonly short?: string;
  /** Its name, where even that is too much. */
  readonly name?: string;
  /** What stands before and after the lines inside this one, where those are written on its line: `12 Name {` and `}`. */
  readonly around?: readonly [string, string];
  /** Of one level, what weighs more comes first where not all of it fits a few lines; entries without are all alike. */
  readonly weight?: number;
  /** The line says little without the lines of its parents above it. */
  readonly nested?: true;
}

/** What a processor does, apart from what it is called. */
export interface ProcessorCode {
  process(source: Source, context: ProcessContext): AsyncIterable<Part>;
  outline?(source: Source, context: ProcessContext): AsyncIterable<OutlineLine>;
}

/** The part of a manifest that loads its code on first use. */
export type LazyCode = Required<ProcessorCode> & Required<Pick<Processor, 'prepare'>>;

/**
 * Code that is loaded when it is first used, so that a list of formats costs nothing to import. The outline of code
 * without one is empty.
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
 * Thrown by a processor before its first part when the bytes are not its format after all. A textual file is then
 * shown as text with the warning; another is CORRUPT_FILE with the warning's message.
 */
export class NotThisFormat extends Error {
  override readonly name = 'NotThisFormat';
  readonly warning: Warning;

  constructor(warning: Warning, cause?: unknown) {
    super(warning.message, cause === undefined ? undefined : { cause });
    this.warning = warning;
  }
}
