// What a converter of documents gives: the document as Markdown blocks, one section at a time, each section only when it
// is asked for. Paging, budget, line numbers, cursors and the cache are `document-reading.ts`.

import type {
  Detail,
  FormatFacts,
  Limits,
  MediaPart,
  Source,
  TextSource,
  Warning,
} from '../../src/contract/index.ts';

/** What a document's sections are called; a document that flows is one section without a name. */
export type SectionUnit = 'page' | 'slide';

/**
 * One Markdown block: a paragraph, a heading, a whole list, a whole table, a fenced code block. Ends in one `"\n"`, holds no
 * blank line outside a code fence. A document's text is its blocks with one blank line between each two.
 */
export type Block = string;

/** A rectangle: left, top, right, bottom in points from the upper left corner of the page. */
export type Rectangle = readonly [number, number, number, number];

export interface SectionLayout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly (Rectangle | null)[];
}

/** A page, a slide, or the whole of a document that flows. */
export interface Section {
  readonly blocks: readonly Block[];
  /** Where they lie, one for each block; null for what has no place of its own. */
  readonly layout?: SectionLayout;
  /** Said once when the section is shown, beside its text. */
  readonly warnings?: readonly Warning[];
  /** What the section is, where that is worth telling: `text`, `scan`, `mixed` or `broken`. */
  readonly kind?: 'text' | 'scan' | 'mixed' | 'broken';
}

/** What opening a document may use. */
export interface ConvertContext {
  readonly limits: Limits;
  readonly signal: AbortSignal;
  /** The source as UTF-8, for formats that are text; see `ProcessContext.text`. */
  text(source: Source): Promise<TextSource>;
  warn(warning: Warning): void;
}

/** A document under conversion. Whoever opened it closes it, also after a failure. */
export interface OpenDocument {
  /** For `metadata`: `title`, `author`, `created`, ... The count of sections is added under the plural of the unit. */
  readonly facts: FormatFacts;
  /** At least 1, already bounded. */
  readonly sections: number;
  /**
   * Section `number` (1-based). The same blocks whichever sections were asked for before, so that a cursor finds its
   * place again; what is learned of the document as a whole must not depend on the order of calls.
   */
  section(number: number): Promise<Section>;
  /** The section as a picture, for a page that is a scan or when a caller asks for one; undefined where there is none. */
  picture?(
    number: number,
    options: PictureOptions,
  ): Promise<Pick<MediaPart, 'data' | 'mimeType'> | undefined>;
  /** Headings with their sections, where that is cheaper than converting everything: a PDF's outline. */
  outline?(): Promise<readonly OutlineEntry[]>;
  close(): Promise<void>;
}

export interface PictureOptions {
  readonly detail: Detail;
}

/** One heading. `level` from 1. */
export interface OutlineEntry {
  readonly level: number;
  readonly title: string;
  readonly section?: number;
}

/** Entries of an outline of the document's own that are read. */
export const MAX_OUTLINE_ENTRIES = 5000;

/** Turns one format into Markdown. */
export interface Converter {
  /** @throws {ReaderError} CORRUPT_FILE, ENCRYPTED_FILE, LIMIT_EXCEEDED; NotThisFormat */
  open(source: Source, context: ConvertContext): Promise<OpenDocument>;
}
