// Positions of shapes on a slide (DrawingML, ECMA-376 part 1, 20.1.7), including those inside groups.

import type { XmlElement } from '../../../src/package/index.ts';
import type { Box } from '../slide-order.ts';

/** The rectangle in an `xfrm`; undefined if it has none. */
export function boxOf(xfrm: XmlElement | undefined): Box | undefined {
  const off = xfrm?.child('off');
  const ext = xfrm?.child('ext');
  if (!off || !ext) return undefined;
  return { x: number(off, 'x'), y: number(off, 'y'), width: number(ext, 'cx'), height: number(ext, 'cy') };
}

function number(element: XmlElement, name: string): number {
  const value = Number(element.get(name));
  return Number.isFinite(value) ? value : 0;
}

/** Converts positions inside a group to positions on the slide. */
export class Frame {
  static readonly SLIDE: Frame = new Frame(0, 0, 1, 1);
  readonly #x: number;
  readonly #y: number;
  readonly #scaleX: number;
  readonly #scaleY: number;

  private constructor(x: number, y: number, scaleX: number, scaleY: number) {
    this.#x = x;
    this.#y = y;
    this.#scaleX = scaleX;
    this.#scaleY = scaleY;
  }

  place(box: Box): Box {
    return {
      x: this.#x + box.x * this.#scaleX,
      y: this.#y + box.y * this.#scaleY,
      width: box.width * this.#scaleX,
      height: box.height * this.#scaleY,
    };
  }

  /** The frame inside a group with this `xfrm` (ECMA-376 part 1, 20.1.7.5); this one if it states none. */
  inside(xfrm: XmlElement | undefined): Frame {
    const outer = boxOf(xfrm);
    const childOff = xfrm?.child('chOff');
    const childExt = xfrm?.child('chExt');
    if (!outer || !childOff || !childExt) return this;
    return this.within(outer, {
      x: number(childOff, 'x'),
      y: number(childOff, 'y'),
      width: number(childExt, 'cx'),
      height: number(childExt, 'cy'),
    });
  }

  /** The frame inside a group at `outer`, whose shapes have positions in the rectangle `inner`. */
  within(outer: Box, inner: Box): Frame {
    const scaleX = inner.width > 0 && outer.width > 0 ? outer.width / inner.width : 1;
    const scaleY = inner.height > 0 && outer.height > 0 ? outer.height / inner.height : 1;
    return new Frame(
      this.#x + (outer.x - inner.x * scaleX) * this.#scaleX,
      this.#y + (outer.y - inner.y * scaleY) * this.#scaleY,
      this.#scaleX * scaleX,
      this.#scaleY * scaleY,
    );
  }
}
