// What a processor yields: pieces of a file's content with their locations.

import type { ErrorCode } from './error.ts';
import type { Extent } from './extent.ts';
import type { MimeType } from './format.ts';
import type { RequestFields } from './selection.ts';

/** Where a walk continues: numbers and short strings only the processor that made them can interpret. */
export type Position = readonly (number | string)[];

/** True for an integer from 0 to `most`. Check every number of a position with it. */
export function isCount(value: unknown, most: number = Number.MAX_SAFE_INTEGER): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most;
}

/** How to get what follows a part. */
export interface Next {
  readonly position: Position;
  /** The same as request fields, if possible (`{ rows: '21-40' }`). */
  readonly request?: RequestFields;
  /** Skips the rest of a unit that was cut inside (`{ lines: '6-205' }`), which `request` cannot express. */
  readonly skip?: RequestFields;
  /** Names of the definitions or sections at that place. */
  readonly surroundings?: Surroundings;
}

/** The names around a place in a file. */
export interface Surroundings {
  /** What contains the place: `Reader.read`. */
  readonly inside?: string;
  /** What begins after it, nearest first. */
  readonly following: readonly string[];
}

/** Positions of text blocks on their page or slide, in points (1/72 inch) from its upper left corner. */
export interface Boxes {
  /** Of the page or slide. */
  readonly width: number;
  readonly height: number;
  /** In text order; content without a position (a comment, a form field) has no box. */
  readonly blocks: readonly BlockBox[];
}

/** A block: UTF-16 units `from` up to `to` of the part's text, and its rectangle. */
export interface BlockBox {
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * A block of a document, or the rows of a table, in its part's text, in UTF-16 units from the block before (or 0) up to `to`, with the blank line
 * after it.
 */
export interface TextBlock {
  readonly to: number;
  readonly kind: 'heading' | 'table' | 'code' | 'page' | 'text';
  /** Of a heading, from 1. */
  readonly level?: number;
  /** Of a heading, without marks. */
  readonly title?: string;
  /** Offsets in the block of its items or rows, without the first. */
  readonly items?: readonly number[];
  /** Lines to repeat above and below a piece of the block: a table's header, the fences of code. */
  readonly frame?: { readonly before: string; readonly after: string };
}

/** A file inside the one that is read. */
export interface Inside {
  /** What follows `!/` in its address. */
  readonly path: string;
  /** Why it cannot be read; the part has no text then. */
  readonly failure?: { readonly code: ErrorCode; readonly message: string };
}

/** A piece of the content as text; the most common part. */
export interface TextPart {
  readonly kind: 'text';
  /** The content alone: concatenated along a walk, it is the converted file. */
  readonly text: string;
  /**
   * What a model sees instead of `text`, if different: numbered lines, a repeated table header, a sheet's heading.
   * Contains no truncation notes, which `render` adds. The budget counts this.
   */
  readonly view?: string;
  /** Its location. Gaps between parts are reported in the unit of the first extent. */
  readonly shown: readonly Extent[];
  /** Number of shown cells whose text is cut. */
  readonly cellsCut?: number;
  /** If requested and supported by the format. */
  readonly boxes?: Boxes;
  /** Of a document or a table that is read whole. */
  readonly blocks?: readonly TextBlock[];
  /** The file inside the one that is read, in a read to search it: see `Inside`. */
  readonly inside?: Inside;
  /** What follows this part; absent on the last part if nothing is left. The last part yielded decides. */
  readonly next?: Next;
}

/** A piece of the content that is not text. Not counted against the budget. */
export interface MediaPart {
  readonly kind: 'binary';
  readonly data: Uint8Array;
  readonly mimeType: MimeType;
  readonly shown: readonly Extent[];
  readonly next?: Next;
}

/** What a processor yields, in reading order. */
export type Part = TextPart | MediaPart;

/** What the model sees of a text part. */
export function viewOf(part: TextPart): string {
  return part.view ?? part.text;
}
