// What the host and the thread that runs pdf.js say to each other. Everything is plain data.

import type { FormatFacts, Warning } from '../../../src/contract/index.ts';
import type { OutlineEntry, Section } from '../document.ts';
import type { Mode } from './open.ts';

/** What a thread is asked to do; one thing at a time. */
export type Request =
  | {
      readonly kind: 'open';
      readonly mode: Mode;
      readonly size: number;
      /** The whole file, when it is small enough; else it is read by ranges. */
      readonly bytes?: Uint8Array;
      /** Pages that ended a thread before: they teach nothing of the document. */
      readonly spoilt: readonly number[];
      /** Facts that need what ended a thread before are left out. */
      readonly shy: boolean;
    }
  | { readonly kind: 'page'; readonly number: number; readonly plain: boolean }
  | { readonly kind: 'outline' }
  | { readonly kind: 'picture'; readonly number: number; readonly shape: PictureShape };

/** How a picture is wanted. */
export interface PictureShape {
  readonly longestEdge: number;
  readonly maxBytes: number;
  readonly maxPixels: number;
}

/** What opening tells. */
export interface Opened {
  readonly pages: number;
  readonly facts: FormatFacts;
  readonly warnings: readonly Warning[];
}

export interface PagePicture {
  readonly data: Uint8Array;
  readonly mimeType: 'image/jpeg' | 'image/png';
}

/** What a request gives back. */
export interface Answers {
  readonly open: Opened;
  readonly page: Section;
  readonly outline: readonly OutlineEntry[];
  readonly picture: PagePicture | undefined;
}

/** To the thread. */
export type ToThread =
  | { readonly kind: 'request'; readonly request: Request }
  | { readonly kind: 'bytes'; readonly from: number; readonly to: number; readonly bytes: Uint8Array }
  /** A file of `pdfjs-dist`; without bytes where there is none. */
  | { readonly kind: 'file'; readonly path: string; readonly bytes?: Uint8Array };

/** From the thread. */
export type FromThread =
  | { readonly kind: 'answer'; readonly value: Answers[keyof Answers] }
  | { readonly kind: 'failure'; readonly name: string; readonly message: string }
  | { readonly kind: 'read'; readonly from: number; readonly to: number }
  /** Asks for a file of `pdfjs-dist`. */
  | { readonly kind: 'file'; readonly path: string }
  /** The modules are there that the thread starts with, or that opening needs. */
  | { readonly kind: 'loaded' }
  /** Work begins on a page, or on facts (0): its time counts from here. */
  | { readonly kind: 'stage'; readonly page: number };
