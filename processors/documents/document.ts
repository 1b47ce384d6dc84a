// The interface of document converters: a document as blocks, one section at a time on demand.
// `document-reading.ts` handles paging, budget, line numbers, cursors and the cache.

import type {
  Detail,
  FormatFacts,
  Limits,
  MediaPart,
  Ocr,
  Source,
  TextSource,
  Warning,
} from '../../src/contract/index.ts';
import type { Block } from '../../src/document/index.ts';

/** The name of a document's sections; a flowing document is one unnamed section. */
export type SectionUnit = 'page' | 'slide';

/** A rectangle: left, top, right, bottom in points from the upper left corner of the page. */
export type Rectangle = readonly [number, number, number, number];

export interface SectionLayout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly (Rectangle | null)[];
}

/** A page, a slide, or the whole of a flowing document. */
export interface Section {
  readonly blocks: readonly Block[];
  /** Position of each block; null for a block without a position. */
  readonly layout?: SectionLayout;
  /** Reported once, when the section is shown. */
  readonly warnings?: readonly Warning[];
  /** How the text of a scan was recognized, or why it was not. */
  readonly recognition?: Recognition;
  /** What kind of section it is, if worth reporting: `text`, `scan`, `mixed` or `broken`. */
  readonly kind?: 'text' | 'scan' | 'mixed' | 'broken';
  /** Running text that one of several sections shows for all, if this is one of them. */
  readonly repeated?: readonly string[];
  /** The printed number, if it is left out. */
  readonly pageNumber?: string;
  /** Number of pictures without a mark in the text. */
  readonly unmarked?: number;
}

/** `by`: the engine. `confidence`: from 0 to 1, the mean of the text. A section with a `failure` is not cached. */
export type Recognition =
  | { readonly by: string; readonly confidence: number }
  | { readonly by: string; readonly failure: string };

/** What a converter may use to open a document. */
export interface ConvertContext {
  readonly limits: Limits;
  readonly signal: AbortSignal;
  /** The source as UTF-8, for text formats; see `ProcessContext.text`. */
  text(source: Source): Promise<TextSource>;
  warn(warning: Warning): void;
  /** See `ProcessContext.password`. */
  password(): string | undefined;
  readonly ocr?: Ocr;
}

/** A document being converted. Whoever opens it must close it if it can be closed, also after a failure. */
export interface OpenDocument {
  /** For `metadata`: `title`, `author`, `created`, ... The number of sections is added under the plural of the unit. */
  readonly facts: FormatFacts;
  /** At least 1, already bounded. Default 1. */
  readonly sections?: number;
  /**
   * Section `number` (1-based). The blocks must not depend on which sections were requested before, so that cursors
   * stay valid; the same applies to anything learned about the document as a whole.
   */
  section(number: number): Promise<Section>;
  /** The section as a picture, for a scanned page or on request; undefined if there is none. */
  picture?(
    number: number,
    options: PictureOptions,
  ): Promise<Pick<MediaPart, 'data' | 'mimeType'> | undefined>;
  /** Headings with their sections, if that is cheaper than converting everything: a PDF outline. */
  outline?(): Promise<readonly OutlineEntry[]>;
  close?(): Promise<void>;
}

export interface PictureOptions {
  readonly detail: Detail;
}

/** One heading. `level` is 1-based. */
export interface OutlineEntry {
  readonly level: number;
  readonly title: string;
  readonly section?: number;
}

/** Maximum entries read of a document's own outline. */
export const MAX_OUTLINE_ENTRIES = 5000;

/** Converts one format to blocks. */
export interface Converter {
  /** @throws {ReaderError} CORRUPT_FILE, ENCRYPTED_FILE, LIMIT_EXCEEDED; NotThisFormat */
  open(source: Source, context: ConvertContext): Promise<OpenDocument>;
}
