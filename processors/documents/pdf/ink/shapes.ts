// Collects the shapes painted on a page: filled areas, rules, pictures and bullets. Each is clipped and recorded in the
// page's paint; text is collected elsewhere.

import { type Bullet, isBulletSized } from './bullets.ts';
import { differ, type GraphicsState } from './graphics-state.ts';
import type { Box, Fill, Picture, Rule } from './ink.ts';
import { boxUnder, intersect, isUpright } from './matrix.ts';
import { type Colour, MIXED, type Paint } from './paint.ts';
import { barsOf, boundsOf, hasCurve, linesOf, nextOutline, rectangleOf } from './path.ts';

/** Ten times the densest real page; later shapes are dropped. */
const MOST_RULES = 50_000;
const MOST_FILLS = 20_000;
const MOST_PICTURES = 5000;
/** Thicker bars are areas. In points. */
const RULE_THICKNESS = 3;

type State = Readonly<GraphicsState>;
type Mark = Pick<Bullet, 'mcid' | 'artifact'>;

/**
 * Collects the visible shapes of one page. `order` is the index of the painting operator and increases from call to
 * call.
 */
export class Shapes {
  readonly rules: Rule[] = [];
  readonly fills: Fill[] = [];
  readonly pictures: Picture[] = [];
  readonly bullets: Bullet[] = [];
  readonly #paint: Paint;

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  /** Fills the outlines of a path. */
  fill(data: Float32Array, state: State, mark: Mark, order: number): void {
    const { matrix, fill } = state;
    const upright = isUpright(matrix);
    // Each closed outline separately: the bars of a table are often one path.
    for (let at = 0; at < data.length; ) {
      const end = nextOutline(data, at);
      const rectangle = upright ? rectangleOf(data, at, end) : undefined;
      const after = end < data.length ? nextOutline(data, end) : end;
      const hole = rectangle && end < after ? rectangleOf(data, end, after) : undefined;
      if (hole && this.#bars(data.subarray(at, after), state, order)) {
        at = after;
        continue;
      }
      if (rectangle) {
        const box = boxUnder(matrix, ...rectangle);
        this.#bullet(box, fill, mark);
        this.#area(box, true, fill, state, order);
      } else if (!upright || !this.#bars(data.subarray(at, end), state, order)) {
        const bounds = boundsOf(data, at, end);
        const box = bounds && boxUnder(matrix, ...bounds);
        const isBullet = box && hasCurve(data, at, end) && this.#bullet(box, fill, mark);
        if (box && !isBullet) this.#area(box, false, fill, state, order);
      }
      at = end;
    }
  }

  /** Fills the unit square: an image mask of one colour. */
  fillUnitSquare(state: State, order: number): void {
    const { matrix, fill } = state;
    this.#area(boxUnder(matrix, 0, 0, 1, 1), isUpright(matrix), fill, state, order);
  }

  /** Strokes the upright straight lines of a path, and its circles of a bullet's size. */
  stroke(data: Float32Array, state: State, mark: Mark, order: number): void {
    if (state.strokeAlpha < 0.02) return;
    for (let at = 0; at < data.length; ) {
      const end = nextOutline(data, at);
      const bounds = hasCurve(data, at, end) ? boundsOf(data, at, end) : undefined;
      if (bounds) this.#bullet(boxUnder(state.matrix, ...bounds), state.stroke, mark);
      at = end;
    }
    const [a, b, c, d] = state.matrix;
    const thickness = Math.max(0.1, state.lineWidth * Math.sqrt(Math.abs(a * d - b * c)));
    for (const [x, y, toX, toY] of linesOf(data, state.matrix)) {
      const horizontal = Math.abs(toY - y) <= 0.5 && Math.abs(toX - x) >= 1;
      const vertical = Math.abs(toX - x) <= 0.5 && Math.abs(toY - y) >= 1;
      if ((horizontal || vertical) && thickness > RULE_THICKNESS) {
        // A bar drawn as a thick line, which some programs put behind a heading.
        const x0 = Math.min(x, toX) - (vertical ? thickness / 2 : 0);
        const y0 = Math.min(y, toY) - (horizontal ? thickness / 2 : 0);
        const x1 = Math.max(x, toX) + (vertical ? thickness / 2 : 0);
        const y1 = Math.max(y, toY) + (horizontal ? thickness / 2 : 0);
        this.#area({ left: x0, top: y0, right: x1, bottom: y1 }, true, state.stroke, state, order);
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
    }
  }

  /** Paints an image into the unit square. */
  picture(image: unknown, isMask: boolean, state: State, order: number): void {
    const box = intersect(boxUnder(state.matrix, 0, 0, 1, 1), state.clip);
    if (!(box.right > box.left && box.bottom > box.top)) return;
    // A stencil is transparent where it is not painted.
    const opaque = !isMask && !state.masked && state.opaque && state.fillAlpha > 0.9;
    this.#paint.add(box, MIXED, order, opaque ? 'picture' : 'through');
    if (this.pictures.length >= MOST_PICTURES) return;
    this.pictures.push({ ...box, object: objectName(image), matrix: state.matrix });
  }

  /** Adds a shape that may be a bullet; true if its size fits. */
  #bullet(box: Box, colour: Colour, { mcid, artifact }: Mark): boolean {
    if (colour === MIXED || this.bullets.length >= MOST_FILLS || !isBulletSized(box)) return false;
    this.bullets.push({ ...box, colour, mcid, artifact });
    return true;
  }

  /** Adds the rules of a shape that is nothing else: a frame, or a bar with slanted ends. */
  #bars(data: Float32Array, state: State, order: number): boolean {
    const bars = barsOf(data, state.matrix, RULE_THICKNESS);
    for (const bar of bars) this.#area(bar, true, state.fill, state, order);
    return bars.length > 0;
  }

  /** Adds a filled area, or a rule if it is thin. `whole`: it fills its box. */
  #area(box: Box, whole: boolean, fill: Colour, state: State, order: number): void {
    if (state.fillAlpha < 0.02) return;
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
    if (covers) this.#paint.add(area, fill, order, 'area');
    else if (whole || width * height > 100) this.#paint.add(area, MIXED, order, 'through');
    // White on white is not a visible area.
    if (fill !== MIXED && under !== MIXED && !differ(under, fill)) return;
    if (whole && this.fills.length < MOST_FILLS && width > 0 && height > 0)
      this.fills.push({ ...area, color: fill === MIXED ? 0x808080 : fill });
  }

  #rule(box: Box, horizontal: boolean, thickness: number, colour: Colour): void {
    if (this.rules.length >= MOST_RULES) return;
    const middleX = (box.left + box.right) / 2;
    const middleY = (box.top + box.bottom) / 2;
    const under = this.#paint.under(middleX, middleY);
    if (colour !== MIXED && under !== MIXED && !differ(under, colour)) return;
    this.rules.push(
      horizontal
        ? { horizontal, at: middleY, from: box.left, to: box.right, thickness }
        : { horizontal, at: middleX, from: box.top, to: box.bottom, thickness },
    );
  }
}

/** The id under which pdf.js keeps an image; empty for an inline image. */
function objectName(image: unknown): string {
  if (typeof image === 'string') return image;
  if (typeof image !== 'object' || image === null || !('data' in image)) return '';
  return typeof image.data === 'string' ? image.data : '';
}
