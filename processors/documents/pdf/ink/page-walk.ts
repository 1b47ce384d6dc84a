// Walks the operators of a PDF page and tracks the graphics state (ISO 32000-2, 8.4 and 9.3).

import type { PDFPageProxy } from 'pdfjs-dist';
import type { Pdf } from '../open.ts';
import { withBullets } from './bullets.ts';
import { colourOf, StateStack } from './graphics-state.ts';
import { judge } from './hidden.ts';
import type { Box, Ink } from './ink.ts';
import { type ActualText, type Layers, MarkedContent } from './marked-content.ts';
import {
  boxUnder,
  IDENTITY,
  intersect,
  isUpright,
  type Matrix,
  matrixOf,
  multiply,
  number,
  numbersOf,
} from './matrix.ts';
import { MIXED, Paint } from './paint.ts';
import { rectangleOf } from './path.ts';
import { Shapes } from './shapes.ts';
import { ShownText } from './shown-text.ts';

type Operators = Pdf['pdfjs']['OPS'];

type Arguments = readonly unknown[];

/** Handles an operator; `at` is its index on the page, the painting order. */
type Handler = (args: Arguments, at: number) => void;

type Handlers = readonly (readonly [operator: number, handler: Handler])[];

export class Walk {
  readonly #paper: Box;
  readonly #handlers: ReadonlyMap<number, Handler>;
  readonly #states: StateStack;
  readonly #paint: Paint;
  readonly #shapes: Shapes;
  readonly #text: ShownText;
  readonly #marks: MarkedContent;
  /** Nesting depth inside a mask group: what is painted there is not on the page. */
  #maskDepth = 0;
  readonly #groups: boolean[] = [];
  #clipPending = false;

  constructor(pdf: Pdf, page: PDFPageProxy, matrix: Matrix, width: number, height: number, layers: Layers) {
    const { OPS } = pdf.pdfjs;
    this.#paper = { left: 0, top: 0, right: width, bottom: height };
    this.#states = new StateStack(matrix, this.#paper);
    this.#paint = new Paint(width, height);
    this.#shapes = new Shapes(this.#paint);
    this.#text = new ShownText(page, this.#paper, this.#paint);
    this.#marks = new MarkedContent(layers);
    this.#handlers = new Map([
      ...this.#textOperators(OPS),
      ...this.#stateOperators(OPS),
      ...this.#groupOperators(OPS),
      ...this.#paintOperators(OPS),
    ]);
  }

  ink(): Pick<Ink, 'fonts' | 'glyphs' | 'rules' | 'fills' | 'pictures' | 'truncated'> {
    const { right, bottom } = this.#paper;
    const { rules, fills, pictures, bullets } = this.#shapes;
    const { fonts, glyphs, orders, truncated } = this.#text;
    judge(glyphs, orders, pictures, this.#paint, right * bottom);
    return {
      fonts,
      glyphs: withBullets(glyphs, bullets),
      rules,
      fills,
      pictures,
      ...(truncated && { truncated: true }),
    };
  }

  /** The texts stated for marked content. */
  get actualTexts(): readonly ActualText[] {
    return this.#marks.texts;
  }

  run({ fnArray, argsArray }: { readonly fnArray: readonly number[]; readonly argsArray: Arguments }): void {
    for (let at = 0; at < fnArray.length; at += 1) {
      const raw: unknown = argsArray[at];
      this.#handlers.get(fnArray[at] ?? -1)?.(Array.isArray(raw) ? raw : [], at);
    }
  }

  #textOperators(OPS: Operators): Handlers {
    const states = this.#states;
    const text = this.#text;
    return [
      [
        OPS.showText,
        ([glyphs], at) => {
          if (this.#maskDepth === 0) text.show(glyphs, states.now, this.#marks.now, at);
        },
      ],
      [OPS.beginText, () => text.begin(IDENTITY)],
      [OPS.setTextMatrix, (args) => text.begin(matrixOf(args[0]) ?? matrixOf(args))],
      [OPS.moveText, ([x, y]) => text.moveBy(number(x), number(y))],
      [
        OPS.setLeadingMoveText,
        ([x, y]) => {
          states.set({ leading: number(y) });
          text.moveBy(number(x), number(y));
        },
      ],
      [OPS.nextLine, () => text.moveBy(0, states.now.leading)],
      [OPS.setFont, (args) => this.#setFont(args)],
      [OPS.setLeading, ([leading]) => states.set({ leading: -number(leading) })],
      [OPS.setCharSpacing, ([spacing]) => states.set({ charSpacing: number(spacing) })],
      [OPS.setWordSpacing, ([spacing]) => states.set({ wordSpacing: number(spacing) })],
      [OPS.setHScale, ([percent]) => states.set({ horizontalScale: number(percent, 100) / 100 })],
      [OPS.setTextRise, ([rise]) => states.set({ rise: number(rise) })],
      [OPS.setTextRenderingMode, ([mode]) => states.set({ renderMode: number(mode) })],
    ];
  }

  #stateOperators(OPS: Operators): Handlers {
    const states = this.#states;
    const mixedFill = (): void => states.set({ fill: MIXED });
    const mixedStroke = (): void => states.set({ stroke: MIXED });
    return [
      [OPS.save, () => states.save()],
      [OPS.restore, () => states.restore()],
      [
        OPS.transform,
        (args) => {
          const matrix = matrixOf(args);
          if (matrix) states.change.matrix = multiply(states.now.matrix, matrix);
        },
      ],
      [OPS.setLineWidth, ([width]) => states.set({ lineWidth: Math.abs(number(width, 1)) })],
      [OPS.setFillRGBColor, ([colour]) => states.set({ fill: colourOf(colour) })],
      [OPS.setStrokeRGBColor, ([colour]) => states.set({ stroke: colourOf(colour) })],
      [OPS.setFillColorN, mixedFill],
      [OPS.setFillTransparent, mixedFill],
      [OPS.setStrokeColorN, mixedStroke],
      [OPS.setStrokeTransparent, mixedStroke],
      [OPS.setGState, ([entries]) => this.#setGraphics(entries)],
    ];
  }

  #groupOperators(OPS: Operators): Handlers {
    const marks = this.#marks;
    return [
      [OPS.paintFormXObjectBegin, ([matrix, box]) => this.#beginForm(matrix, box)],
      [OPS.paintFormXObjectEnd, () => this.#states.restore()],
      [OPS.beginGroup, ([group]) => this.#beginGroup(group)],
      [
        OPS.endGroup,
        () => {
          this.#states.restore();
          if (this.#groups.pop()) this.#maskDepth -= 1;
        },
      ],
      [OPS.beginMarkedContent, (args) => marks.begin(args)],
      [OPS.beginMarkedContentProps, (args) => marks.begin(args)],
      [OPS.endMarkedContent, () => marks.end()],
    ];
  }

  #paintOperators(OPS: Operators): Handlers {
    const states = this.#states;
    const clip = (): void => {
      this.#clipPending = true;
    };
    const picture =
      (isMask: boolean): Handler =>
      ([image], at) => {
        if (this.#isPainting()) this.#shapes.picture(image, isMask, states.now, at);
      };
    const fills = new Set([OPS.fill, OPS.eoFill]);
    const strokes = new Set([OPS.stroke, OPS.closeStroke]);
    const both = [OPS.fillStroke, OPS.eoFillStroke, OPS.closeFillStroke, OPS.closeEOFillStroke];
    for (const operator of both) {
      fills.add(operator);
      strokes.add(operator);
    }
    return [
      [OPS.clip, clip],
      [OPS.eoClip, clip],
      [
        OPS.constructPath,
        ([operator, pieces, bounds], at) => {
          const kind = Number(operator);
          this.#path(pieces, bounds, at, { fills: fills.has(kind), strokes: strokes.has(kind) });
        },
      ],
      [OPS.paintImageXObject, picture(false)],
      [OPS.paintInlineImageXObject, picture(false)],
      [OPS.paintImageMaskXObject, picture(true)],
      [
        OPS.paintSolidColorImageMask,
        (_, at) => {
          if (this.#isPainting()) this.#shapes.fillUnitSquare(states.now, at);
        },
      ],
      [
        OPS.shadingFill,
        (_, at) => {
          if (this.#maskDepth === 0) this.#paint.add(states.now.clip, MIXED, at, 'through');
        },
      ],
    ];
  }

  /** False inside a mask and on a hidden layer. */
  #isPainting(): boolean {
    return this.#maskDepth === 0 && !this.#marks.now.hidden;
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
    // The form that follows applies its matrix again; here it only places the box.
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

  #path(pieces: unknown, bounds: unknown, at: number, paints: { fills: boolean; strokes: boolean }): void {
    const data: unknown = Array.isArray(pieces) ? pieces[0] : undefined;
    const clips = this.#clipPending;
    this.#clipPending = false;
    if (!(data instanceof Float32Array)) return;
    if (this.#isPainting()) {
      if (paints.fills) this.#shapes.fill(data, this.#states.now, this.#marks.now, at);
      if (paints.strokes) this.#shapes.stroke(data, this.#states.now, this.#marks.now, at);
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
