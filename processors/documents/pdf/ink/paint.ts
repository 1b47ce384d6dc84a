// Records what was painted on a page and what it covers: coloured areas in painting order, with a spatial index.

import type { Box } from './ink.ts';

/** 0xRRGGBB, or `MIXED` for an area without a single colour: a picture, a pattern, a shading. */
export type Colour = number;
export const MIXED: Colour = -1;
const PAPER: Colour = 0xffffff;

/** Cells per axis. Lookups take a few steps both on a page of text and in a chart of 10 000 areas. */
const CELLS = 48;
/** Maximum steps back in one cell before the result is unknown; keeps hostile pages linear. */
const MOST_STEPS = 64;
/** Maximum areas per page. */
const MOST_AREAS = 50_000;
/** Maximum entries over all cells; every full-size area adds one to each cell. */
const MOST_ENTRIES = 1_000_000;

/** Half a point: edges drawn by different programs differ by less. */
const SLACK = 0.5;

interface Area extends Box {
  readonly colour: Colour;
  readonly order: number;
  readonly kind: Kind;
}

/** `through` is translucent: it has no single colour, and covers nothing. */
export type Kind = 'area' | 'picture' | 'through';

/** The areas painted on one page, in order. */
export class Paint {
  readonly #width: number;
  readonly #height: number;
  readonly #cells: Area[][] = [];
  #areas = 0;
  #entries = 0;

  constructor(width: number, height: number) {
    this.#width = Math.max(1, width);
    this.#height = Math.max(1, height);
  }

  /** Paints a box; `order` increases from call to call. */
  add(box: Box, colour: Colour, order: number, kind: Kind): void {
    if (this.#areas >= MOST_AREAS || this.#entries >= MOST_ENTRIES) return;
    if (box.right < 0 || box.bottom < 0 || box.left > this.#width || box.top > this.#height) return;
    if (!(box.right > box.left && box.bottom > box.top)) return;
    this.#areas += 1;
    const { left, top, right, bottom } = box;
    const area: Area = { left, top, right, bottom, colour, order, kind };
    const lastX = this.#column(right);
    const lastY = this.#row(bottom);
    for (let y = this.#row(top); y <= lastY; y += 1)
      for (let x = this.#column(left); x <= lastX; x += 1) {
        const index = y * CELLS + x;
        const cell = this.#cells[index];
        if (cell) cell.push(area);
        else this.#cells[index] = [area];
        this.#entries += 1;
      }
  }

  /** The colour last painted at a place; white if nothing was. */
  under(x: number, y: number): Colour {
    const cell = this.#cell(x, y);
    if (!cell) return PAPER;
    for (let at = cell.length - 1, steps = 0; at >= 0; at -= 1, steps += 1) {
      if (steps > MOST_STEPS) return MIXED;
      const area = cell[at];
      if (area && x >= area.left && x <= area.right && y >= area.top && y <= area.bottom) return area.colour;
    }
    return PAPER;
  }

  /** What was painted over the whole of `box` after `order`. */
  over(box: Box, order: number): 'nothing' | Kind {
    const cell = this.#cell((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    if (!cell) return 'nothing';
    for (let at = cell.length - 1, steps = 0; at >= 0 && steps <= MOST_STEPS; at -= 1, steps += 1) {
      const area = cell[at];
      if (!area || area.order <= order) return 'nothing';
      if (
        area.kind !== 'through' &&
        box.left >= area.left - SLACK &&
        box.right <= area.right + SLACK &&
        box.top >= area.top - SLACK &&
        box.bottom <= area.bottom + SLACK
      )
        return area.kind;
    }
    return 'nothing';
  }

  #cell(x: number, y: number): Area[] | undefined {
    if (!(x >= 0 && y >= 0 && x <= this.#width && y <= this.#height)) return undefined;
    return this.#cells[this.#row(y) * CELLS + this.#column(x)];
  }

  #column(x: number): number {
    return Math.max(0, Math.min(CELLS - 1, Math.floor((x / this.#width) * CELLS)));
  }

  #row(y: number): number {
    return Math.max(0, Math.min(CELLS - 1, Math.floor((y / this.#height) * CELLS)));
  }
}
