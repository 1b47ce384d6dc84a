// The messages between the host and the pdf.js thread. All are plain data.

import type { FormatFacts, Reading, Warning } from '../../../src/contract/index.ts';
import type { OutlineEntry, Section } from '../document.ts';
import type { Box } from './ink/ink.ts';
import type { Mode } from './open.ts';

/** A request to the thread; one at a time. */
export type Request =
  | {
      readonly kind: 'open';
      readonly mode: Mode;
      readonly size: number;
      /** Absent: the empty password. */
      readonly password?: string;
      /** The whole file if it is small enough; else it is read by ranges. */
      readonly bytes?: Uint8Array;
      /** Pages that brought down a thread before: the document's profile excludes them. */
      readonly spoilt: readonly number[];
      /** True to leave out facts that brought down a thread before. */
      readonly shy: boolean;
    }
  | { readonly kind: 'page'; readonly number: number; readonly plain: boolean }
  | { readonly kind: 'recognized'; readonly number: number; readonly recognized: RecognizedPage }
  | { readonly kind: 'outline' }
  | { readonly kind: 'picture'; readonly number: number; readonly shape: PictureShape };

/** The requested form of a picture. */
export interface PictureShape {
  readonly longestEdge: number;
  readonly maxBytes: number;
  readonly maxPixels: number;
  /** As PNG, for a recognizer. */
  readonly lossless?: boolean;
}

/**
 * The text of a scan. Boxes are in pixels of a picture of `width` by `height` that covers `box` of the page, turned by
 * `turn`.
 */
export interface RecognizedPage extends Reading {
  readonly box: Box;
  readonly by: string;
}

/** The result of opening. */
export interface Opened {
  readonly pages: number;
  readonly facts: FormatFacts;
  readonly warnings: readonly Warning[];
}

export interface PagePicture {
  readonly data: Uint8Array;
  readonly mimeType: 'image/jpeg' | 'image/png';
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** The part of the page that it shows. */
  readonly box: Box;
}

/** The result of each request. */
export interface Answers {
  readonly open: Opened;
  readonly page: Section;
  readonly recognized: Section;
  readonly outline: readonly OutlineEntry[];
  readonly picture: PagePicture | undefined;
}

/** To the thread. */
export type ToThread =
  | { readonly kind: 'request'; readonly request: Request }
  /** The document is closed; another may be opened. */
  | { readonly kind: 'close' }
  /** What was needed; without bytes where there is none. */
  | { readonly kind: 'given'; readonly need: Need; readonly bytes?: Uint8Array };

/** The bytes `[from, to)` of the document, or a file of `pdfjs-dist`. */
export type Need = { readonly from: number; readonly to: number } | { readonly path: string };

/** What V8 has compiled of the thread's program to read `pages` pages. */
export interface CompiledPages {
  readonly code: Uint8Array;
  readonly pages: number;
}

/** From the thread. */
export type FromThread =
  | { readonly kind: 'answer'; readonly value: Answers[keyof Answers] }
  | { readonly kind: 'failure'; readonly name: string; readonly message: string }
  | { readonly kind: 'need'; readonly need: Need }
  /** The modules needed to start the thread, or to open the document, are loaded. */
  | { readonly kind: 'loaded' }
  /** Nothing is left of the document; the heap has `used` bytes. */
  | { readonly kind: 'closed'; readonly used: number; readonly compiled?: CompiledPages }
  /** Work starts on a page, or on facts (0): its time counts from here. */
  | { readonly kind: 'stage'; readonly page: number };
