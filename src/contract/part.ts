// What a processor yields: pieces of a file's content, each naming where it lies.

import type { Extent } from './extent.ts';
import type { MimeType } from './format.ts';
import type { RequestFields } from './selection.ts';

/** Where a walk goes on: numbers and short strings whose meaning only the processor that made them knows. */
export type Position = readonly (number | string)[];

/** True for a whole number from 0 to `most`: what every number of a position must be checked to be. */
export function isCount(value: unknown, most: number = Number.MAX_SAFE_INTEGER): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most;
}

/** How to get what comes after a part. */
export interface Next {
  readonly position: Position;
  /** The same in the words of a request, where a request can say it (`{ rows: '21-40' }`). */
  readonly request?: RequestFields;
  /** Passes over the rest of a unit that was cut inside (`{ lines: '6-205' }`), where `request` cannot say it. */
  readonly skip?: RequestFields;
  /** Where that is, by the names of the definitions or sections there. */
  readonly surroundings?: Surroundings;
}

/** The names around a place in a file. */
export interface Surroundings {
  /** What the place lies in: `Reader.read`. */
  readonly inside?: string;
  /** What begins after it, the nearest first. */
  readonly following: readonly string[];
}

/** Where the blocks of a text lie on their page or slide, in points (1/72 inch) from its upper left corner. */
export interface Boxes {
  /** Of the page or slide. */
  readonly width: number;
  readonly height: number;
  /** In the order of the text; what has no place of its own (a comment, a form field) has no box. */
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

/** A piece of the content as text, the usual part. */
export interface TextPart {
  readonly kind: 'text';
  /** The content alone: what walking the cursor concatenates. */
  readonly text: string;
  /**
   * What a model sees in place of `text` where that differs: numbered lines, a table's header repeated, a sheet's
   * heading. Carries no truncation notes: `render` words those. The budget is counted on this.
   */
  readonly view?: string;
  /** Where it lies. The first extent is the one gaps between parts are told in. */
  readonly shown: readonly Extent[];
  /** Cells, of those shown, whose text is cut. */
  readonly cellsCut?: number;
  /** Where the request asks for them and the format has them. */
  readonly boxes?: Boxes;
  /** What follows this part; absent on the last part when nothing is left. The last part yielded decides. */
  readonly next?: Next;
}

/** A piece of the content that is no text. No budget counts it. */
export interface MediaPart {
  readonly kind: 'binary';
  readonly data: Uint8Array;
  readonly mimeType: MimeType;
  readonly shown: readonly Extent[];
  readonly next?: Next;
}

/** What a processor yields, in the order in which it is to be read. */
export type Part = TextPart | MediaPart;

/** What the model sees of a text part. */
export function viewOf(part: TextPart): string {
  return part.view ?? part.text;
}
