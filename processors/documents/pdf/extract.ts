// Reads one page of a PDF into ink: one walk over the page's operators, keeping the graphics state as ISO 32000-2
// (8.4, 9.3) says. Nothing is drawn and nothing is laid out.

import type { PDFPageProxy } from 'pdfjs-dist';
import { type Disc, isDisc, withBullets } from './bullets.ts';
import { fontOf, type PageFont } from './font.ts';
import { glyphText } from './glyph-text.ts';
import { colourOf, differ, StateStack } from './graphics-state.ts';
import { boxOf, judge, type PaintedGlyph } from './hidden.ts';
import type { Box, Fill, Font, Glyph, Hiding, Ink, Picture, Rule } from './ink.ts';
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
import { boundsOf, CLOSE, CURVE, hasCurve, LINE, MOVE, nextOutline, QUADRATIC, rectangleOf } from './path.ts';
import { linksOf, structureOf } from './structure.ts';

/** More than the densest real page by a factor of ten; then the page is cut and says so. */
const MOST_GLYPHS = 300_000;
const MOST_RULES = 50_000;
const MOST_FILLS = 20_000;
const MOST_PICTURES = 5000;
/** Thicker bars are areas. In points. */
const RULE_THICKNESS = 3;
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
  readonly #fonts: Font[] = [];
  readonly #fontsByName = new Map<string, PageFont>();
  readonly #glyphs: PaintedGlyph[] = [];
  /** Painting order of each glyph. */
  readonly #orders: number[] = [];
  readonly #rules: Rule[] = [];
  readonly #fills: Fill[] = [];
  readonly #pictures: Picture[] = [];
  readonly #discs: Disc[] = [];
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
  }

  ink(): Pick<Ink, 'fonts' | 'glyphs' | 'rules' | 'fills' | 'pictures' | 'truncated'> {
    const { right, bottom } = this.#paper;
    judge(this.#glyphs, this.#orders, this.#pictures, this.#paint, right * bottom);
    return {
      fonts: this.#fonts,
      glyphs: withBullets(this.#glyphs, this.#discs),
      rules: this.#rules,
      fills: this.#fills,
      pictures: this.#pictures,
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
          this.#picture(args[0], fnArray[at] === OPS.paintImageMaskXObject);
          break;
        case OPS.paintSolidColorImageMask:
          this.#area(boxUnder(states.now.matrix, 0, 0, 1, 1), isUpright(states.now.matrix), states.now.fill);
          break;
        case OPS.shadingFill:
          if (this.#maskDepth === 0) this.#paint.add(states.now.clip, MIXED, this.#order, 'through');
          break;
      }
    }
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

  #picture(image: unknown, isMask: boolean): void {
    if (this.#maskDepth > 0 || this.#mark.hidden) return;
    const state = this.#states.now;
    const box = intersect(boxUnder(state.matrix, 0, 0, 1, 1), state.clip);
    if (!(box.right > box.left && box.bottom > box.top)) return;
    // A stencil is seen through where it is not painted.
    const opaque = !isMask && !state.masked && state.opaque && state.fillAlpha > 0.9;
    this.#paint.add(box, MIXED, this.#order, opaque ? 'picture' : 'through');
    if (this.#pictures.length >= MOST_PICTURES) return;
    this.#pictures.push({ ...box, object: objectName(image), matrix: state.matrix });
  }

  #path(args: readonly unknown[]): void {
    const { OPS } = this.#pdf.pdfjs;
    const [operator, pieces, bounds] = args;
    const data: unknown = Array.isArray(pieces) ? pieces[0] : undefined;
    const clips = this.#clipPending;
    this.#clipPending = false;
    if (!(data instanceof Float32Array)) return;
    if (this.#maskDepth === 0 && !this.#mark.hidden) {
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
      if (fills) this.#fillPath(data);
      if (strokes) this.#strokePath(data);
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

  #fillPath(data: Float32Array): void {
    const { matrix, fill } = this.#states.now;
    const upright = isUpright(matrix);
    // Each closed outline by itself: a table's bars are often one path.
    for (let at = 0; at < data.length; ) {
      const end = nextOutline(data, at);
      const rectangle = upright ? rectangleOf(data, at, end) : undefined;
      if (rectangle) this.#area(boxUnder(matrix, ...rectangle), true, fill);
      else {
        const bounds = boundsOf(data, at, end);
        const box = bounds && boxUnder(matrix, ...bounds);
        if (
          box &&
          fill !== MIXED &&
          this.#discs.length < MOST_FILLS &&
          isDisc(box) &&
          hasCurve(data, at, end)
        )
          this.#discs.push({ ...box, colour: fill, mcid: this.#mark.mcid, artifact: this.#mark.artifact });
        else if (box) this.#area(box, false, fill);
      }
      at = end;
    }
  }

  /** A filled area: a rule when it is thin. `whole` when it fills its box. */
  #area(box: Box, whole: boolean, fill: Colour): void {
    const state = this.#states.now;
    if (this.#maskDepth > 0 || this.#mark.hidden || state.fillAlpha < 0.02) return;
    const area = intersect(box, state.clip);
    const width = area.right - area.left;
    const height = area.bottom - area.top;
    if (width <= 0 && height <= 0) return;
    const thin = Math.min(width, height);
    const long = Math.max(width, height);
    if (whole && thin <= RULE_THICKNESS && long >= 2 * thin) {
      this.#rule(area, width >= height, thin, fill);
      return;
    }
    const covers = whole && state.clipIsBox && state.opaque && !state.masked && state.fillAlpha > 0.9;
    const under = this.#paint.under((area.left + area.right) / 2, (area.top + area.bottom) / 2);
    if (covers) this.#paint.add(area, fill, this.#order, 'area');
    else if (whole || width * height > 100) this.#paint.add(area, MIXED, this.#order, 'through');
    // White on paper is no area that a reader sees.
    if (fill !== MIXED && under !== MIXED && !differ(under, fill)) return;
    if (whole && this.#fills.length < MOST_FILLS && width > 0 && height > 0)
      this.#fills.push({ ...area, color: fill === MIXED ? 0x808080 : fill });
  }

  #rule(box: Box, horizontal: boolean, thickness: number, colour: Colour): void {
    if (this.#rules.length >= MOST_RULES) return;
    const middleX = (box.left + box.right) / 2;
    const middleY = (box.top + box.bottom) / 2;
    const under = this.#paint.under(middleX, middleY);
    if (colour !== MIXED && under !== MIXED && !differ(under, colour)) return;
    this.#rules.push(
      horizontal
        ? { horizontal, at: middleY, from: box.left, to: box.right, thickness }
        : { horizontal, at: middleX, from: box.top, to: box.bottom, thickness },
    );
  }

  #strokePath(data: Float32Array): void {
    const state = this.#states.now;
    if (state.strokeAlpha < 0.02) return;
    const [a, b, c, d, e, f] = state.matrix;
    const thickness = Math.max(0.1, state.lineWidth * Math.sqrt(Math.abs(a * d - b * c)));
    let startX = 0;
    let startY = 0;
    let x = 0;
    let y = 0;
    const line = (toX: number, toY: number): void => {
      const horizontal = Math.abs(toY - y) <= 0.5 && Math.abs(toX - x) >= 1;
      const vertical = Math.abs(toX - x) <= 0.5 && Math.abs(toY - y) >= 1;
      if ((horizontal || vertical) && thickness > RULE_THICKNESS) {
        // A bar drawn as a line, as some programs put behind a heading.
        const x0 = Math.min(x, toX) - (vertical ? thickness / 2 : 0);
        const y0 = Math.min(y, toY) - (horizontal ? thickness / 2 : 0);
        const x1 = Math.max(x, toX) + (vertical ? thickness / 2 : 0);
        const y1 = Math.max(y, toY) + (horizontal ? thickness / 2 : 0);
        this.#area({ left: x0, top: y0, right: x1, bottom: y1 }, true, state.stroke);
      } else if (horizontal || vertical) {
        const box = intersect(
          {
            left: Math.min(x, toX),
            right: Math.max(x, toX),
            top: Math.min(y, toY),
            bottom: Math.max(y, toY),
          },
          state.clip,
        );
        const long = horizontal ? box.right - box.left : box.bottom - box.top;
        if (long >= 1) this.#rule(box, horizontal, thickness, state.stroke);
      }
      x = toX;
      y = toY;
    };
    for (let at = 0; at < data.length; ) {
      const operator = data[at];
      if (operator === CLOSE) {
        line(startX, startY);
        at += 1;
        continue;
      }
      const size = operator === CURVE ? 6 : operator === QUADRATIC ? 4 : 2;
      const endX = data[at + size - 1] ?? 0;
      const endY = data[at + size] ?? 0;
      const toX = a * endX + c * endY + e;
      const toY = b * endX + d * endY + f;
      if (operator === LINE) line(toX, toY);
      else {
        x = toX;
        y = toY;
      }
      if (operator === MOVE) {
        startX = toX;
        startY = toY;
      }
      at += size + 1;
    }
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

/** Where pdf.js keeps an image: its id, or nothing for one that the content stream holds itself. */
function objectName(image: unknown): string {
  if (typeof image === 'string') return image;
  if (typeof image !== 'object' || image === null || !('data' in image)) return '';
  return typeof image.data === 'string' ? image.data : '';
}
