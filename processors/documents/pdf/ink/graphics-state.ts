// The graphics and text state during a walk over a page's operators (ISO 32000-2, 8.4 and 9.3), with copy-on-write
// saves.

import type { Box } from './ink.ts';
import type { Matrix } from './matrix.ts';
import { type Colour, MIXED } from './paint.ts';

/** The parameters that `q` saves. */
export interface GraphicsState {
  matrix: Matrix;
  clip: Box;
  /** The clip equals its box: painting fills all of it. */
  clipIsBox: boolean;
  fill: Colour;
  stroke: Colour;
  fillAlpha: number;
  strokeAlpha: number;
  /** True if painting replaces what is below instead of blending. */
  opaque: boolean;
  masked: boolean;
  lineWidth: number;
  font: string;
  fontSize: number;
  charSpacing: number;
  wordSpacing: number;
  horizontalScale: number;
  leading: number;
  renderMode: number;
  rise: number;
}

/** Deeper saves are counted, not stored: real files stay below 100. */
const MOST_SAVES = 2000;

/** The current state and the saved ones. */
export class StateStack {
  #current: GraphicsState;
  #shared = false;
  readonly #saved: GraphicsState[] = [];
  #uncounted = 0;

  constructor(matrix: Matrix, clip: Box) {
    this.#current = {
      matrix,
      clip,
      clipIsBox: true,
      fill: 0,
      stroke: 0,
      fillAlpha: 1,
      strokeAlpha: 1,
      opaque: true,
      masked: false,
      lineWidth: 1,
      font: '',
      fontSize: 0,
      charSpacing: 0,
      wordSpacing: 0,
      horizontalScale: 1,
      leading: 0,
      renderMode: 0,
      rise: 0,
    };
  }

  /** For reading. */
  get now(): Readonly<GraphicsState> {
    return this.#current;
  }

  /** For changing. */
  get change(): GraphicsState {
    if (this.#shared) {
      this.#current = { ...this.#current };
      this.#shared = false;
    }
    return this.#current;
  }

  set(values: Partial<GraphicsState>): void {
    Object.assign(this.change, values);
  }

  save(): void {
    if (this.#saved.length >= MOST_SAVES) {
      this.#uncounted += 1;
      return;
    }
    this.#saved.push(this.#current);
    this.#shared = true;
  }

  restore(): void {
    if (this.#uncounted > 0) {
      this.#uncounted -= 1;
      return;
    }
    const saved = this.#saved.pop();
    if (!saved) return;
    this.#current = saved;
    // An outer save may still refer to it.
    this.#shared = true;
  }
}

const COLOURS = new Map<string, Colour>();

/** Parses `#rrggbb`, the colour format of pdf.js. */
export function colourOf(value: unknown): Colour {
  if (typeof value !== 'string') return MIXED;
  const known = COLOURS.get(value);
  if (known !== undefined) return known;
  const colour = /^#[0-9a-f]{6}$/i.test(value) ? Number.parseInt(value.slice(1), 16) : MIXED;
  if (COLOURS.size > 10_000) COLOURS.clear();
  COLOURS.set(value, colour);
  return colour;
}

/** True if the colours are distinguishable: some channel differs by more than 10 of 255. */
export function differ(a: Colour, b: Colour): boolean {
  return (
    Math.abs((a >> 16) - (b >> 16)) > 10 ||
    Math.abs(((a >> 8) & 0xff) - ((b >> 8) & 0xff)) > 10 ||
    Math.abs((a & 0xff) - (b & 0xff)) > 10
  );
}
