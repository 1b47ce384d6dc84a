// The content of one PDF page: glyphs, rules, fills, pictures, links. No layout: other modules find words, lines and
// tables.
//
// All coordinates are points (1/72 inch) from the upper left corner of the page as displayed (rotation applied, crop
// box at 0,0), y downward.

import type { ActualText } from './marked-content.ts';

/** An upright rectangle: `left <= right`, `top <= bottom`. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A font as the page uses it. */
export interface Font {
  /** PostScript name without its subset prefix. */
  readonly name: string;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly monospace: boolean;
  /** Distance from the baseline to the top and bottom of the em box, as a share of the size; both positive. */
  readonly ascent: number;
  readonly descent: number;
}

/** Why a glyph is invisible. */
export type Hiding =
  | 'invisible'
  | 'off-page'
  | 'tiny'
  | 'background-color'
  | 'hidden-layer'
  | 'clipped'
  | 'covered';

/** One shown glyph; usually one character, several for a ligature. */
export interface Glyph {
  /** Unicode, NFKC not applied. U+FFFD if the font does not map it. Space glyphs are kept: `' '`. */
  readonly text: string;
  /** Start of the baseline. */
  readonly x: number;
  readonly y: number;
  /** Advance along the baseline. */
  readonly width: number;
  /** Effective font size, perpendicular to the baseline. */
  readonly size: number;
  /** Index into `Ink.fonts`. */
  readonly font: number;
  /** Direction of the baseline in degrees, clockwise: 0 for regular text, 90 reads downward. */
  readonly angle: number;
  /** Fill colour, 0xRRGGBB. */
  readonly color: number;
  readonly hiding?: Hiding;
  /** Marked content id, for the structure tree; -1 outside marked content. */
  readonly mcid: number;
  /** Marked as an artifact (running head, page number) in the file. */
  readonly artifact: boolean;
  /** The text the file states in place of this and other glyphs; until `withActualText` puts it there. */
  readonly actual?: ActualText;
}

/** A straight rule, or a filled rectangle thin enough to be one. */
export interface Rule {
  readonly horizontal: boolean;
  /** y of a horizontal line, x of a vertical one. */
  readonly at: number;
  /** The ends on the other axis. */
  readonly from: number;
  readonly to: number;
  readonly thickness: number;
}

/** A filled area that is not a rule. */
export interface Fill extends Box {
  readonly color: number;
}

/** An image drawn on the page. */
export interface Picture extends Box {
  /** Its name among the page's objects; empty for an inline image. */
  readonly object: string;
  /** Maps the unit square, with the image upright on y = 0, to the page: `[a b c d e f]`. */
  readonly matrix?: readonly [number, number, number, number, number, number];
}

/** A link annotation. */
export interface Link extends Box {
  readonly url?: string;
  /** 1-based target page inside the document. */
  readonly page?: number;
}

/** A node of the structure tree of a tagged page. */
export interface StructureNode {
  /** Standard role: `H1`, `P`, `L`, `LI`, `Table`, `TR`, `TH`, `TD`, `Figure`, ... */
  readonly role: string;
  readonly alt?: string;
  /** Stands in place of its content. */
  readonly actualText?: string;
  /** Child nodes, and marked content ids. */
  readonly children: readonly (StructureNode | number)[];
}

/** Everything on one page. */
export interface Ink {
  /** 1-based. */
  readonly page: number;
  readonly width: number;
  readonly height: number;
  readonly fonts: readonly Font[];
  /** In painting order. */
  readonly glyphs: readonly Glyph[];
  readonly rules: readonly Rule[];
  readonly fills: readonly Fill[];
  readonly pictures: readonly Picture[];
  readonly links: readonly Link[];
  readonly structure?: StructureNode;
  /** True if the page has more glyphs than are kept. */
  readonly truncated?: boolean;
  /** Where the file states other text than it draws. */
  readonly contradictions?: readonly Contradiction[];
}

/** A text stated by the file for glyphs that say something else. */
export interface Contradiction {
  readonly drawn: string;
  readonly stated: string;
  /** True if the stated text is the one among the page's glyphs. */
  readonly replaced: boolean;
}
