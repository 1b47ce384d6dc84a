// Reads one page of a PDF into ink: one walk over the page's operators, keeping the graphics state as ISO 32000-2
// (8.4, 9.3) says. Nothing is drawn and nothing is laid out.

import type { PDFPageProxy } from 'pdfjs-dist';
import { withBullets } from './bullets.ts';
import { fontOf, type PageFont } from './font.ts';
import { glyphText } from './glyph-text.ts';
import { colourOf, differ, StateStack } from './graphics-state.ts';
import { boxOf, judge, type PaintedGlyph } from './hidden.ts';
import type { Box, Font, Glyph, Hiding, Ink } from './ink.ts';
import {
  boxUnder,
  IDENTITY,
  intersect,
  isUpright,
  type Matrix,
  matrixOf,
  multiply,
  numbersOf,
} from './matrix.ts';
import type { Pdf } from './open.ts';
import { type Colour, MIXED, Paint } from './paint.ts';
import { rectangleOf } from './path.ts';
import { Shapes } from './shapes.ts';
import { linksOf, structureOf } from './structure.ts';

/** Ten times the densest real page; the walk drops later glyphs and reports the page as truncated. */
const MOST_GLYPHS = 300_000;
/** Text below this height in points cannot be read by a person on paper or screen. */
const TINY = 1;

/** What one page holds. Pass its annotations where they are wanted for more than links. */
export async function inkOf(pdf: Pdf, page: PDFPageProxy, annotations?: readonly unknown[]): Promise<Ink> {
  const viewport = page.getViewport({ scale: 1 });
  const { document, pdfjs } = pdf;
  const layers = await document.getOptionalContentConfig();
  const operators = await page.getOperatorList({ annotationMode: pdfjs.AnnotationMode.DISABLE });
  const walk = new Walk(
    pdf,
    page,
    matrixOf(viewport.transform) ?? IDENTITY,
    viewport.width,
    viewport.height,
    layers,
  );
  walk.run(operators);
  const structure = await structureOf(page);
  const links = await linksOf(document, annotations ?? (await page.getAnnotations()), viewport);
  return {
    page: page.pageNumber,
    width: viewport.width,
    height: viewport.height,
    ...walk.ink(),
    links,
    ...(structure && { structure }),
  };
}

interface Layers {
  isVisible(group: unknown): boolean;
}

interface Mark {
  readonly mcid: number;
  readonly artifact: boolean;
  readonly hidden: boolean;
}

const UNMARKED: Mark = { mcid: -1, artifact: false, hidden: false };
const MOST_MARKS = 500;

class Walk {
  readonly #pdf: Pdf;
  readonly #page: PDFPageProxy;
  readonly #paper: Box;
  readonly #layers: Layers;
  readonly #states: StateStack;
  readonly #paint: Paint;
  readonly #shapes: Shapes;
  readonly #fonts: Font[] = [];
  readonly #fontsByName = new Map<string, PageFont>();
  readonly #glyphs: PaintedGlyph[] = [];
  /** Painting order of each glyph. */
  readonly #orders: number[] = [];
  readonly #marks: Mark[] = [];
  #mark: Mark = UNMARKED;
  #unkeptMarks = 0;
  #order = 0;
  #truncated = false;
  /** Depth inside a group that is a mask: what is painted there is not on the page. */
  #maskDepth = 0;
  readonly #groups: boolean[] = [];
  #clipPending = false;
  #textMatrix: Matrix = IDENTITY;
  #x = 0;
  #y = 0;
  #lineX = 0;
  #lineY = 0;

  constructor(pdf: Pdf, page: PDFPageProxy, matrix: Matrix, width: number, height: number, layers: Layers) {
    this.#pdf = pdf;
    this.#page = page;
    this.#paper = { left: 0, top: 0, right: width, bottom: height };
    this.#layers = layers;
    this.#states = new StateStack(matrix, this.#paper);
    this.#paint = new Paint(width, height);
    this.#shapes = new Shapes(this.#paint);
  }

  ink(): Pick<Ink, 'fonts' | 'glyphs' | 'rules' | 'fills' | 'pictures' | 'truncated'> {
    const { right, bottom } = this.#paper;
    const { rules, fills, pictures, discs } = this.#shapes;
    judge(this.#glyphs, this.#orders, pictures, this.#paint, right * bottom);
    return {
      fonts: this.#fonts,
      glyphs: withBullets(this.#glyphs, discs),
      rules,
      fills,
      pictures,
      ...(this.#truncated && { truncated: true }),
    };
  }

  run(operators: { readonly fnArray: readonly number[]; readonly argsArray: readonly unknown[] }): void {
    const { OPS } = this.#pdf.pdfjs;
    const states = this.#states;
    const { fnArray, argsArray } = operators;
    for (let at = 0; at < fnArray.length; at += 1) {
      const raw: unknown = argsArray[at];
      const args: readonly unknown[] = Array.isArray(raw) ? raw : [];
      this.#order = at;
      switch (fnArray[at]) {
        case OPS.showText:
          if (this.#maskDepth === 0) this.#showText(args[0]);
          break;
        case OPS.constructPath:
          this.#path(args);
          break;
        case OPS.save:
          states.save();
          break;
        case OPS.restore:
          states.restore();
          break;
        case OPS.transform: {
          const matrix = matrixOf(args);
          if (matrix) states.change.matrix = multiply(states.now.matrix, matrix);
          break;
        }
        case OPS.beginText:
          this.#textMatrix = IDENTITY;
          this.#moveTo(0, 0);
          break;
        case OPS.setTextMatrix:
          this.#textMatrix = matrixOf(args[0]) ?? matrixOf(args) ?? this.#textMatrix;
          this.#moveTo(0, 0);
          break;
        case OPS.moveText:
          this.#moveTo(this.#lineX + number(args[0]), this.#lineY + number(args[1]));
          break;
        case OPS.setLeadingMoveText:
          states.change.leading = number(args[1]);
          this.#moveTo(this.#lineX + number(args[0]), this.#lineY + number(args[1]));
          break;
        case OPS.nextLine:
          this.#moveTo(this.#lineX, this.#lineY + states.now.leading);
          break;
        case OPS.setLeading:
          states.change.leading = -number(args[0]);
          break;
        case OPS.setCharSpacing:
          states.change.charSpacing = number(args[0]);
          break;
        case OPS.setWordSpacing:
          states.change.wordSpacing = number(args[0]);
          break;
        case OPS.setHScale:
          states.change.horizontalScale = number(args[0], 100) / 100;
          break;
        case OPS.setTextRise:
          states.change.rise = number(args[0]);
          break;
        case OPS.setTextRenderingMode:
          states.change.renderMode = number(args[0]);
          break;
        case OPS.setFont:
          this.#setFont(args);
          break;
        case OPS.setLineWidth:
          states.change.lineWidth = Math.abs(number(args[0], 1));
          break;
        case OPS.setFillRGBColor:
          states.change.fill = colourOf(args[0]);
          break;
        case OPS.setStrokeRGBColor:
          states.change.stroke = colourOf(args[0]);
          break;
        case OPS.setFillColorN:
        case OPS.setFillTransparent:
          states.change.fill = MIXED;
          break;
        case OPS.setStrokeColorN:
        case OPS.setStrokeTransparent:
          states.change.stroke = MIXED;
          break;
        case OPS.setGState:
          this.#setGraphics(args[0]);
          break;
        case OPS.clip:
        case OPS.eoClip:
          this.#clipPending = true;
          break;
        case OPS.paintFormXObjectBegin:
          this.#beginForm(args[0], args[1]);
          break;
        case OPS.paintFormXObjectEnd:
          states.restore();
          break;
        case OPS.beginGroup:
          this.#beginGroup(args[0]);
          break;
        case OPS.endGroup:
          states.restore();
          if (this.#groups.pop()) this.#maskDepth -= 1;
          break;
        case OPS.beginMarkedContent:
        case OPS.beginMarkedContentProps:
          this.#beginMark(args);
          break;
        case OPS.endMarkedContent:
          if (this.#unkeptMarks > 0) this.#unkeptMarks -= 1;
          else this.#mark = this.#marks.pop() ?? UNMARKED;
          break;
        case OPS.paintImageXObject:
        case OPS.paintInlineImageXObject:
        case OPS.paintImageMaskXObject:
          if (this.#isPainting())
            this.#shapes.picture(args[0], fnArray[at] === OPS.paintImageMaskXObject, states.now, at);
          break;
        case OPS.paintSolidColorImageMask:
          if (this.#isPainting()) this.#shapes.fillUnitSquare(states.now, at);
          break;
        case OPS.shadingFill:
          if (this.#maskDepth === 0) this.#paint.add(states.now.clip, MIXED, this.#order, 'through');
          break;
      }
    }
  }

  /** False inside a mask and on a hidden layer. */
  #isPainting(): boolean {
    return this.#maskDepth === 0 && !this.#mark.hidden;
  }

  #moveTo(x: number, y: number): void {
    this.#x = x;
    this.#lineX = x;
    this.#y = y;
    this.#lineY = y;
  }

  #setFont(args: readonly unknown[]): void {
    const state = this.#states.change;
    if (typeof args[0] === 'string') state.font = args[0];
    state.fontSize = number(args[1]);
  }

  #setGraphics(entries: unknown): void {
    if (!Array.isArray(entries)) return;
    const state = this.#states.change;
    for (const entry of entries as unknown[]) {
      const [key, value]: readonly unknown[] = Array.isArray(entry) ? entry : [];
      if (key === 'ca') state.fillAlpha = number(value, 1);
      else if (key === 'CA') state.strokeAlpha = number(value, 1);
      else if (key === 'LW') state.lineWidth = Math.abs(number(value, 1));
      else if (key === 'BM') state.opaque = value === 'source-over';
      else if (key === 'SMask') state.masked = Boolean(value);
      else if (key === 'Font' && Array.isArray(value)) this.#setFont(value);
    }
  }

  #beginForm(matrix: unknown, box: unknown): void {
    const states = this.#states;
    states.save();
    const inner = matrixOf(matrix);
    if (inner) states.change.matrix = multiply(states.now.matrix, inner);
    this.#clipTo(box);
  }

  #beginGroup(group: unknown): void {
    const states = this.#states;
    states.save();
    const { smask, bbox, matrix }: { smask?: unknown; bbox?: unknown; matrix?: unknown } =
      typeof group === 'object' && group !== null ? group : {};
    const isMask = Boolean(smask);
    this.#groups.push(isMask);
    if (isMask) this.#maskDepth += 1;
    const inner = matrixOf(matrix);
    const outer = states.now.matrix;
    // The form that follows brings its matrix again; here it only places the box.
    if (inner) states.change.matrix = multiply(outer, inner);
    this.#clipTo(bbox);
    states.change.matrix = outer;
  }

  #clipTo(box: unknown): void {
    const corners = numbersOf(box, 4);
    if (!corners) return;
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = corners;
    const state = this.#states.change;
    state.clip = intersect(state.clip, boxUnder(state.matrix, x0, y0, x1, y1));
    if (!isUpright(state.matrix)) state.clipIsBox = false;
  }

  #beginMark(args: readonly unknown[]): void {
    if (this.#marks.length >= MOST_MARKS) {
      this.#unkeptMarks += 1;
      return;
    }
    const [tag, props] = args;
    const name = typeof tag === 'string' ? tag : nameOf(tag);
    const outer = this.#mark;
    this.#marks.push(outer);
    this.#mark = {
      mcid: name !== 'OC' && typeof props === 'number' ? props : outer.mcid,
      artifact: outer.artifact || name === 'Artifact',
      hidden: outer.hidden || (name === 'OC' && !this.#isVisible(props)),
    };
  }

  #isVisible(group: unknown): boolean {
    try {
      return this.#layers.isVisible(group);
    } catch {
      return true;
    }
  }

  #font(name: string): PageFont {
    const known = this.#fontsByName.get(name);
    if (known) return known;
    const object: unknown = this.#page.commonObjs.has(name) ? this.#page.commonObjs.get(name) : undefined;
    const font = fontOf(object, this.#fonts.length);
    this.#fonts.push(font.font);
    this.#fontsByName.set(name, font);
    return font;
  }

  #showText(glyphs: unknown): void {
    if (!Array.isArray(glyphs)) return;
    const state = this.#states.now;
    const { fontSize, horizontalScale, charSpacing, wordSpacing, rise } = state;
    const font = this.#font(state.font);
    const matrix = multiply(state.matrix, this.#textMatrix);
    const [a, b, c, d, e, f] = matrix;
    const length = Math.hypot(a, b);
    const determinant = Math.abs(a * d - b * c);
    const size = Math.abs(fontSize) * (length > 0 ? determinant / length : Math.hypot(c, d));
    const sign = fontSize * horizontalScale < 0 ? -1 : 1;
    const { vertical } = font;
    const angle = Math.atan2(b * sign, a * sign) * (180 / Math.PI) + (vertical ? 90 : 0);
    const rounded = Math.abs(angle - Math.round(angle)) < 0.05 ? Math.round(angle) : angle;
    const degrees = rounded > 180 ? rounded - 360 : rounded <= -180 ? rounded + 360 : rounded;
    const scale = font.unit * fontSize;
    const along = vertical ? Math.hypot(c, d) : length;
    const colour = state.renderMode === 1 ? state.stroke : state.fill;
    const shown = colour === MIXED ? 0x808080 : colour;
    const unseen = this.#unseen();
    const { mcid, artifact } = this.#mark;
    for (const glyph of glyphs as unknown[]) {
      if (typeof glyph === 'number') {
        const shift = (-glyph * fontSize) / 1000;
        if (vertical) this.#y += shift;
        else this.#x += shift * horizontalScale;
        continue;
      }
      if (!isGlyph(glyph)) continue;
      const spacing = (glyph.isSpace ? wordSpacing : 0) + charSpacing;
      let width = number(glyph.width) * scale;
      let x = this.#x;
      let y = this.#y + rise;
      if (vertical) {
        const metric = numbersOf(glyph.vmetric, 3) ?? font.verticalMetric;
        const [advance = -1000, originX = number(glyph.width) / 2, originY = 880] = metric ?? [];
        width = -advance * scale;
        // As if the line were turned: its baseline left of the middle, its start at the top of the first glyph.
        x += (number(glyph.width) / 2 - originX) * scale - 0.38 * fontSize;
        y += (originY - 880) * scale;
        this.#y -= width + spacing;
      } else this.#x += (width + spacing) * horizontalScale;
      if (this.#glyphs.length >= MOST_GLYPHS) {
        this.#truncated = true;
        continue;
      }
      const text = glyphText(glyph.unicode);
      const deviceX = a * x + c * y + e;
      const deviceY = b * x + d * y + f;
      const advance = Math.abs(vertical ? width : width * horizontalScale) * along;
      if (!Number.isFinite(deviceX + deviceY + advance + size)) continue;
      const found: PaintedGlyph = {
        text,
        x: deviceX,
        y: deviceY,
        width: advance,
        size,
        font: font.index,
        angle: degrees,
        color: shown,
        mcid,
        artifact,
      };
      const hiding = unseen ?? this.#hiding(found, colour, state);
      if (hiding) found.hiding = hiding;
      this.#glyphs.push(found);
      this.#orders.push(this.#order);
    }
  }

  /** Why all that is shown in this state is unseen. */
  #unseen(): Hiding | undefined {
    const state = this.#states.now;
    if (this.#mark.hidden) return 'hidden-layer';
    if (state.renderMode === 3 || state.renderMode === 7) return 'invisible';
    const alpha = state.renderMode === 1 ? state.strokeAlpha : state.fillAlpha;
    return alpha < 0.02 ? 'invisible' : undefined;
  }

  #hiding(glyph: Glyph, colour: Colour, state: { readonly clip: Box }): Hiding | undefined {
    const box = boxOf(glyph);
    const { right, bottom } = this.#paper;
    if (box.right < 0 || box.bottom < 0 || box.left > right || box.top > bottom) return 'off-page';
    if (glyph.text === ' ') return undefined;
    if (glyph.size < TINY) return 'tiny';
    const { clip } = state;
    if (box.right <= clip.left || box.left >= clip.right || box.bottom <= clip.top || box.top >= clip.bottom)
      return 'clipped';
    if (colour === MIXED) return undefined;
    const under = this.#paint.under((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    return under !== MIXED && !differ(under, colour) ? 'background-color' : undefined;
  }

  #path(args: readonly unknown[]): void {
    const { OPS } = this.#pdf.pdfjs;
    const [operator, pieces, bounds] = args;
    const data: unknown = Array.isArray(pieces) ? pieces[0] : undefined;
    const clips = this.#clipPending;
    this.#clipPending = false;
    if (!(data instanceof Float32Array)) return;
    if (this.#isPainting()) {
      const strokes =
        operator === OPS.stroke ||
        operator === OPS.closeStroke ||
        operator === OPS.fillStroke ||
        operator === OPS.eoFillStroke ||
        operator === OPS.closeFillStroke ||
        operator === OPS.closeEOFillStroke;
      const fills =
        operator === OPS.fill ||
        operator === OPS.eoFill ||
        (strokes && operator !== OPS.stroke && operator !== OPS.closeStroke);
      if (fills) this.#shapes.fill(data, this.#states.now, this.#mark, this.#order);
      if (strokes) this.#shapes.stroke(data, this.#states.now, this.#order);
    }
    if (clips) this.#clipPath(data, bounds);
  }

  #clipPath(data: Float32Array, bounds: unknown): void {
    const before = this.#states.now.clip;
    this.#clipTo(bounds);
    const state = this.#states.change;
    if (state.clip.right - state.clip.left <= 0 || state.clip.bottom - state.clip.top <= 0) return;
    const inside =
      before.left >= state.clip.left - 0.01 &&
      before.right <= state.clip.right + 0.01 &&
      before.top >= state.clip.top - 0.01 &&
      before.bottom <= state.clip.bottom + 0.01;
    if (!rectangleOf(data, 0, data.length) && !inside) state.clipIsBox = false;
  }
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

function number(value: unknown, otherwise = 0): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

function nameOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string'
    ? value.name
    : '';
}
