// What lies on one page of a PDF: glyphs, ruling lines, fills, pictures, links. No layout: which glyphs make a word, a line
// or a table is for others to find.
//
// All coordinates are points (1/72 inch) from the page's upper left corner as it is displayed (rotation applied, crop box
// at 0,0), y downward.

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
  /** Distance from baseline to top and bottom of the em box, as a share of the size; positive both. */
  readonly ascent: number;
  readonly descent: number;
}

/** Why a glyph cannot be seen by a person. */
export type Hiding =
  | 'invisible'
  | 'off-page'
  | 'tiny'
  | 'background-color'
  | 'hidden-layer'
  | 'clipped'
  | 'covered';

/** One shown glyph; usually one character, a ligature's several. */
export interface Glyph {
  /** Unicode, NFKC not applied. U+FFFD where the font does not tell. A space glyph is kept: `' '`. */
  readonly text: string;
  /** Where the baseline starts. */
  readonly x: number;
  readonly y: number;
  /** Advance along the baseline. */
  readonly width: number;
  /** Effective font size, perpendicular to the baseline. */
  readonly size: number;
  /** Into `Ink.fonts`. */
  readonly font: number;
  /** Direction of the baseline in degrees, clockwise as seen: 0 for ordinary text, 90 reads downward. */
  readonly angle: number;
  /** 0xRRGGBB of the fill. */
  readonly color: number;
  readonly hiding?: Hiding;
  /** Marked content id, for the structure tree; -1 outside. */
  readonly mcid: number;
  /** Marked as an artifact (running head, page number) by the file itself. */
  readonly artifact: boolean;
}

/** A straight ruling line, or a filled rectangle thin enough to be one. */
export interface Rule {
  readonly horizontal: boolean;
  /** The line's y when horizontal, x when vertical. */
  readonly at: number;
  /** The ends on the other axis. */
  readonly from: number;
  readonly to: number;
  readonly thickness: number;
}

/** A filled area that is no rule. */
export interface Fill extends Box {
  readonly color: number;
}

/** An image drawn on the page. */
export interface Picture extends Box {
  /** Its name among the page's objects; empty for one that the page's content holds itself. */
  readonly object: string;
  /** From the unit square, in which the image stands upright with its foot at 0, to the page: `[a b c d e f]`. */
  readonly matrix?: readonly [number, number, number, number, number, number];
}

/** A link annotation. */
export interface Link extends Box {
  readonly url?: string;
  /** 1-based target inside the document. */
  readonly page?: number;
}

/** A node of the structure tree of a tagged page. */
export interface StructureNode {
  /** Standard role: `H1`, `P`, `L`, `LI`, `Table`, `TR`, `TH`, `TD`, `Figure`, ... */
  readonly role: string;
  readonly alt?: string;
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
  /** In the order they are drawn. */
  readonly glyphs: readonly Glyph[];
  readonly rules: readonly Rule[];
  readonly fills: readonly Fill[];
  readonly pictures: readonly Picture[];
  readonly links: readonly Link[];
  readonly structure?: StructureNode;
  /** The page holds more glyphs than are kept. */
  readonly truncated?: boolean;
}
