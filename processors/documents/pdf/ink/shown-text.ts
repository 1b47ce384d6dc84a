// Collects the text of a page during a walk over its operators: the position of each glyph (ISO 32000-2, 9.4), its
// font, and why it may be invisible.

import type { PDFPageProxy } from 'pdfjs-dist';
import { fontOf, type PageFont, withDrawnWeights, withFixedWidths } from './font.ts';
import { glyphText } from './glyph-text.ts';
import { differ, type GraphicsState } from './graphics-state.ts';
import { boxOf, type PaintedGlyph } from './hidden.ts';
import type { Box, Font, Glyph, Hiding } from './ink.ts';
import type { Mark } from './marked-content.ts';
import { IDENTITY, type Matrix, multiply, number, numbersOf } from './matrix.ts';
import { type Colour, MIXED, type Paint } from './paint.ts';

/** Ten times the densest real page; later glyphs are dropped and the page is reported as truncated. */
const MOST_GLYPHS = 300_000;
/** Text below this height in points is unreadable on paper or screen. */
const TINY = 1;

type State = Readonly<GraphicsState>;

/** What all glyphs of one text-showing operator share. */
interface Line {
  readonly matrix: Matrix;
  readonly font: PageFont;
  readonly size: number;
  /** In degrees, (-180, 180]. */
  readonly angle: number;
  /** Points on the page per unit along the line. */
  readonly along: number;
  readonly colour: Colour;
}

/** Collects the glyphs of one page. */
export class ShownText {
  readonly glyphs: PaintedGlyph[] = [];
  /** Painting order of each glyph. */
  readonly orders: number[] = [];
  truncated = false;
  readonly #page: PDFPageProxy;
  readonly #paper: Box;
  readonly #paint: Paint;
  readonly #fonts: PageFont[] = [];
  readonly #fontsByName = new Map<string, PageFont>();
  #matrix: Matrix = IDENTITY;
  #x = 0;
  #y = 0;
  #lineX = 0;
  #lineY = 0;

  constructor(page: PDFPageProxy, paper: Box, paint: Paint) {
    this.#page = page;
    this.#paper = paper;
    this.#paint = paint;
  }

  get fonts(): Font[] {
    return withFixedWidths(withDrawnWeights(this.#fonts), this.glyphs);
  }

  /** Restarts the line under `matrix`, or the last one. */
  begin(matrix: Matrix | undefined): void {
    if (matrix) this.#matrix = matrix;
    this.#moveTo(0, 0);
  }

  /** Moves relative to the start of the line. */
  moveBy(x: number, y: number): void {
    this.#moveTo(this.#lineX + x, this.#lineY + y);
  }

  /** Shows glyphs and position adjustments, in pdf.js's format. */
  show(glyphs: unknown, state: State, mark: Mark, order: number): void {
    if (!Array.isArray(glyphs)) return;
    const line = this.#line(state);
    const unseen = hidesAll(state, mark);
    for (const glyph of glyphs as unknown[]) {
      if (typeof glyph === 'number') {
        const shift = (-glyph * state.fontSize) / 1000;
        if (line.font.vertical) this.#y += shift;
        else this.#x += shift * state.horizontalScale;
      } else if (isGlyph(glyph)) {
        const found = this.#place(glyph, line, state, mark);
        if (!found) continue;
        const hiding = unseen ?? this.#hiding(found, line.colour, state.clip);
        if (hiding) found.hiding = hiding;
        this.glyphs.push(found);
        this.orders.push(order);
      }
    }
  }

  #moveTo(x: number, y: number): void {
    this.#x = x;
    this.#lineX = x;
    this.#y = y;
    this.#lineY = y;
  }

  #line(state: State): Line {
    const { matrix: outer, font: name, fontSize, horizontalScale, renderMode, stroke, fill } = state;
    const font = this.#font(name, isThickened(state));
    const matrix = multiply(outer, this.#matrix);
    const [a, b, c, d] = matrix;
    const length = Math.hypot(a, b);
    const determinant = Math.abs(a * d - b * c);
    const sign = fontSize * horizontalScale < 0 ? -1 : 1;
    const angle = Math.atan2(b * sign, a * sign) * (180 / Math.PI) + (font.vertical ? 90 : 0);
    const rounded = Math.abs(angle - Math.round(angle)) < 0.05 ? Math.round(angle) : angle;
    return {
      matrix,
      font,
      size: Math.abs(fontSize) * (length > 0 ? determinant / length : Math.hypot(c, d)),
      angle: rounded > 180 ? rounded - 360 : rounded <= -180 ? rounded + 360 : rounded,
      along: font.vertical ? Math.hypot(c, d) : length,
      colour: renderMode === 1 ? stroke : fill,
    };
  }

  /** Advances past the glyph; undefined for one that is not on the page, or beyond the limit. */
  #place(
    glyph: RawGlyph,
    line: Line,
    state: State,
    { mcid, artifact, actual }: Mark,
  ): PaintedGlyph | undefined {
    const { font, size, angle, along, colour } = line;
    const [a, b, c, d, e, f] = line.matrix;
    const { fontSize, horizontalScale, charSpacing, wordSpacing, rise } = state;
    const scale = font.unit * fontSize;
    const spacing = (glyph.isSpace ? wordSpacing : 0) + charSpacing;
    let width = number(glyph.width) * scale;
    let x = this.#x;
    let y = this.#y + rise;
    if (font.vertical) {
      const metric = numbersOf(glyph.vmetric, 3) ?? font.verticalMetric;
      const [advance = -1000, originX = number(glyph.width) / 2, originY = 880] = metric ?? [];
      width = -advance * scale;
      // As if the line were rotated: its baseline left of the middle, its start at the top of the first glyph.
      x += (number(glyph.width) / 2 - originX) * scale - 0.38 * fontSize;
      y += (originY - 880) * scale;
      this.#y -= width + spacing;
    } else this.#x += (width + spacing) * horizontalScale;
    if (this.glyphs.length >= MOST_GLYPHS) {
      this.truncated = true;
      return undefined;
    }
    const deviceX = a * x + c * y + e;
    const deviceY = b * x + d * y + f;
    const advance = Math.abs(font.vertical ? width : width * horizontalScale) * along;
    if (!Number.isFinite(deviceX + deviceY + advance + size)) return undefined;
    return {
      text: glyphText(glyph.unicode),
      x: deviceX,
      y: deviceY,
      width: advance,
      size,
      font: font.index,
      angle,
      color: colour === MIXED ? 0x808080 : colour,
      mcid,
      artifact,
      ...(actual && { actual }),
    };
  }

  #font(name: string, thickened: boolean): PageFont {
    const key = thickened ? `${name} thickened` : name;
    const known = this.#fontsByName.get(key);
    if (known) return known;
    const object: unknown = this.#page.commonObjs.has(name) ? this.#page.commonObjs.get(name) : undefined;
    const font = fontOf(object, this.#fonts.length);
    const used = thickened ? { ...font, font: { ...font.font, bold: true } } : font;
    this.#fonts.push(used);
    this.#fontsByName.set(key, used);
    return used;
  }

  #hiding(glyph: Glyph, colour: Colour, clip: Box): Hiding | undefined {
    const box = boxOf(glyph);
    const { right, bottom } = this.#paper;
    if (box.right < 0 || box.bottom < 0 || box.left > right || box.top > bottom) return 'off-page';
    if (glyph.text === ' ') return undefined;
    if (glyph.size < TINY) return 'tiny';
    if (box.right <= clip.left || box.left >= clip.right || box.bottom <= clip.top || box.top >= clip.bottom)
      return 'clipped';
    if (colour === MIXED) return undefined;
    const under = this.#paint.under((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    return under !== MIXED && !differ(under, colour) ? 'background-color' : undefined;
  }
}

/** Width of the outline, in em, from which filled and stroked text looks bold. */
const THICK = 0.012;

/** True for text that is stroked in its own colour as well as filled, to look bold. */
function isThickened({ renderMode, lineWidth, fontSize, stroke, fill }: State): boolean {
  if (renderMode !== 2 && renderMode !== 6) return false;
  return stroke !== MIXED && !differ(stroke, fill) && lineWidth >= THICK * Math.abs(fontSize);
}

/** Why all text shown in this state is invisible. */
function hidesAll({ renderMode, strokeAlpha, fillAlpha }: State, { hidden }: Mark): Hiding | undefined {
  if (hidden) return 'hidden-layer';
  if (renderMode === 3 || renderMode === 7) return 'invisible';
  return (renderMode === 1 ? strokeAlpha : fillAlpha) < 0.02 ? 'invisible' : undefined;
}

interface RawGlyph {
  readonly unicode: string;
  readonly width: unknown;
  readonly isSpace: boolean;
  readonly vmetric: unknown;
}

function isGlyph(value: unknown): value is RawGlyph {
  return (
    typeof value === 'object' && value !== null && 'unicode' in value && typeof value.unicode === 'string'
  );
}
