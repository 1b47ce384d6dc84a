// Where shapes lie on a slide, and the order in which a reader meets them.

import type { XmlElement } from '../../../src/package/index.ts';

/** A rectangle in English Metric Units, 914 400 an inch. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The rectangle that an `xfrm` states; undefined when it states none. */
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

/** What turns a place inside a group into one on the slide. */
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

  /** The frame inside a group with this `xfrm` (ECMA-376 part 1, 20.1.7.5); this one when it states none. */
  inside(xfrm: XmlElement | undefined): Frame {
    const outer = boxOf(xfrm);
    const childOff = xfrm?.child('chOff');
    const childExt = xfrm?.child('chExt');
    if (!outer || !childOff || !childExt) return this;
    const width = number(childExt, 'cx');
    const height = number(childExt, 'cy');
    const scaleX = width > 0 && outer.width > 0 ? outer.width / width : 1;
    const scaleY = height > 0 && outer.height > 0 ? outer.height / height : 1;
    return new Frame(
      this.#x + (outer.x - number(childOff, 'x') * scaleX) * this.#scaleX,
      this.#y + (outer.y - number(childOff, 'y') * scaleY) * this.#scaleY,
      this.#scaleX * scaleX,
      this.#scaleY * scaleY,
    );
  }
}

/** A fifth of an inch: shapes whose tops differ by less stand side by side. */
const ROW_TOLERANCE = 182_880;

/**
 * In reading order: rows from the top, each from the left. What has no place of its own keeps its place in the file,
 * after what stands before it there.
 */
export function inReadingOrder<T extends { readonly box: Box | undefined }>(items: readonly T[]): T[] {
  const placed: { readonly item: T; readonly x: number; readonly y: number }[] = [];
  let last: Box | undefined;
  for (const item of items) {
    last = item.box ?? last;
    placed.push({ item, x: last?.x ?? 0, y: last?.y ?? 0 });
  }
  placed.sort((a, b) => a.y - b.y);
  const ordered: T[] = [];
  let row: typeof placed = [];
  const endRow = (): void => {
    row.sort((a, b) => a.x - b.x);
    for (const { item } of row) ordered.push(item);
    row = [];
  };
  for (const one of placed) {
    const [first] = row;
    if (first && one.y - first.y > ROW_TOLERANCE) endRow();
    row.push(one);
  }
  endRow();
  return ordered;
}
