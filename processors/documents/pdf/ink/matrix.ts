// Plane geometry: affine matrices in PDF notation ([a b c d e f], ISO 32000-2, 8.3.4) and upright boxes.

import type { Box } from './ink.ts';

/** `x' = a x + c y + e`, `y' = b x + d y + f`. */
export type Matrix = readonly [number, number, number, number, number, number];

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Applies `inner`, then `outer`. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  return [
    outer[0] * inner[0] + outer[2] * inner[1],
    outer[1] * inner[0] + outer[3] * inner[1],
    outer[0] * inner[2] + outer[2] * inner[3],
    outer[1] * inner[2] + outer[3] * inner[3],
    outer[0] * inner[4] + outer[2] * inner[5] + outer[4],
    outer[1] * inner[4] + outer[3] * inner[5] + outer[5],
  ];
}

/** Six finite numbers of a list, or undefined. */
export function matrixOf(values: unknown): Matrix | undefined {
  const list = numbersOf(values, 6);
  if (!list) return undefined;
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = list;
  return [a, b, c, d, e, f];
}

/** The first `count` finite numbers of an array or typed array; undefined if there are fewer. */
export function numbersOf(values: unknown, count: number): number[] | undefined {
  if (!Array.isArray(values) && !ArrayBuffer.isView(values)) return undefined;
  const list: unknown[] = Array.isArray(values) ? values : Array.from(values as Float32Array);
  const numbers: number[] = [];
  for (const value of list) {
    if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
    numbers.push(value);
    if (numbers.length === count) return numbers;
  }
  return undefined;
}

/** The bounding box of the rectangle from (x0, y0) to (x1, y1) under `matrix`. */
export function boxUnder(matrix: Matrix, x0: number, y0: number, x1: number, y1: number): Box {
  const [a, b, c, d, e, f] = matrix;
  const ax = a * x0;
  const bx = a * x1;
  const cy = c * y0;
  const dy = c * y1;
  const ay = b * x0;
  const by = b * x1;
  const ey = d * y0;
  const fy = d * y1;
  return {
    left: e + Math.min(ax, bx) + Math.min(cy, dy),
    right: e + Math.max(ax, bx) + Math.max(cy, dy),
    top: f + Math.min(ay, by) + Math.min(ey, fy),
    bottom: f + Math.max(ay, by) + Math.max(ey, fy),
  };
}

/** The intersection of two boxes; all zero if they do not overlap. */
export function intersect(a: Box, b: Box): Box {
  const left = Math.max(a.left, b.left);
  const right = Math.min(a.right, b.right);
  const top = Math.max(a.top, b.top);
  const bottom = Math.min(a.bottom, b.bottom);
  return right < left || bottom < top
    ? { left: 0, top: 0, right: 0, bottom: 0 }
    : { left, top, right, bottom };
}

/** True if upright rectangles stay upright: the rotation is a multiple of 90 degrees. */
export function isUpright(matrix: Matrix): boolean {
  const [a, b, c, d] = matrix;
  const slack = 1e-4 * (Math.abs(a) + Math.abs(b) + Math.abs(c) + Math.abs(d));
  return (Math.abs(b) <= slack && Math.abs(c) <= slack) || (Math.abs(a) <= slack && Math.abs(d) <= slack);
}

/** `value` if it is a finite number, else `otherwise`. */
export function number(value: unknown, otherwise: number = 0): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}
