// Paths in pdf.js's format, one list of numbers each: extracts straight lines, rectangles and bounds.

import type { Box } from './ink.ts';
import type { Matrix } from './matrix.ts';

/** pdf.js encodes a path as a number for the operator, followed by its points. */
export const MOVE: number = 0;
export const LINE: number = 1;
export const CURVE: number = 2;
export const QUADRATIC: number = 3;
export const CLOSE: number = 4;

export function stepOf(operator: number | undefined): number {
  return operator === CLOSE ? 1 : operator === CURVE ? 7 : operator === QUADRATIC ? 5 : 3;
}

/** End of the outline that starts at `from`. */
export function nextOutline(data: Float32Array, from: number): number {
  for (let at = from + stepOf(data[from]); at < data.length; at += stepOf(data[at]))
    if (data[at] === MOVE) return at;
  return data.length;
}

export type Corners = readonly [number, number, number, number];

/** The corners of an outline that is an upright rectangle or a straight line. */
export function rectangleOf(data: Float32Array, from: number, end: number): Corners | undefined {
  let points = 0;
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  let top = Number.POSITIVE_INFINITY;
  let bottom = Number.NEGATIVE_INFINITY;
  let lastX = 0;
  let lastY = 0;
  for (let at = from; at < end; at += stepOf(data[at])) {
    const operator = data[at];
    if (operator === CLOSE) continue;
    if (operator !== MOVE && operator !== LINE) return undefined;
    if (operator === MOVE && points > 0) return undefined;
    const x = data[at + 1] ?? 0;
    const y = data[at + 2] ?? 0;
    if (points > 0 && Math.abs(x - lastX) > 0.05 && Math.abs(y - lastY) > 0.05) return undefined;
    points += 1;
    if (points > 5) return undefined;
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
    lastX = x;
    lastY = y;
  }
  return points >= 4 || (points >= 2 && (right - left < 0.05 || bottom - top < 0.05))
    ? [left, top, right, bottom]
    : undefined;
}

export function hasCurve(data: Float32Array, from: number, end: number): boolean {
  for (let at = from; at < end; at += stepOf(data[at])) if (data[at] === CURVE) return true;
  return false;
}

export function boundsOf(data: Float32Array, from: number, end: number): Corners | undefined {
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  let top = Number.POSITIVE_INFINITY;
  let bottom = Number.NEGATIVE_INFINITY;
  for (let at = from; at < end; at += stepOf(data[at]))
    for (let point = at + 1; point + 1 < at + stepOf(data[at]); point += 2) {
      const x = data[point] ?? 0;
      const y = data[point + 1] ?? 0;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  return right > left && bottom > top ? [left, top, right, bottom] : undefined;
}

/** A straight line: x and y of its start, then of its end. */
type Line = readonly [x: number, y: number, toX: number, toY: number];

/** The straight lines of a path under a matrix, including those that close an outline. Curves are skipped. */
export function* linesOf(data: Float32Array, matrix: Matrix): Generator<Line, void, undefined> {
  const [a, b, c, d, e, f] = matrix;
  let startX = 0;
  let startY = 0;
  let x = 0;
  let y = 0;
  for (let at = 0; at < data.length; at += stepOf(data[at])) {
    const operator = data[at];
    const end = at + stepOf(operator);
    const endX = data[end - 2] ?? 0;
    const endY = data[end - 1] ?? 0;
    const toX = operator === CLOSE ? startX : a * endX + c * endY + e;
    const toY = operator === CLOSE ? startY : b * endX + d * endY + f;
    if (operator === LINE || operator === CLOSE) yield [x, y, toX, toY];
    x = toX;
    y = toY;
    if (operator === MOVE) {
      startX = toX;
      startY = toY;
    }
  }
}

/** A shape with more sides is a drawing. */
const MOST_SIDES = 16;

/**
 * The bars that a shape of straight lines consists of: pairs of parallel sides at most `thickness` apart. Borders of tables
 * are drawn so, with slanted ends where two of them meet. None if a long side belongs to no pair.
 */
export function barsOf(data: Float32Array, matrix: Matrix, thickness: number): Box[] {
  if (data.length > 3 * MOST_SIDES + 3 || hasCurve(data, 0, data.length)) return [];
  const sides = [...linesOf(data, matrix)];
  const bars: Box[] = [];
  for (const along of ['x', 'y'] as const) {
    const long: Side[] = [];
    for (const [x, y, toX, toY] of sides) {
      const [from, to, at, slant] = along === 'x' ? [x, toX, y, toY - y] : [y, toY, x, toX - x];
      if (Math.abs(to - from) <= 2 * thickness) continue;
      if (Math.abs(slant) <= 0.05) long.push({ from: Math.min(from, to), to: Math.max(from, to), at });
      else if (Math.abs(slant) > thickness) return [];
    }
    long.sort((a, b) => a.at - b.at);
    if (long.length % 2 === 1) return [];
    for (let index = 0; index < long.length; index += 2) {
      const [first, second] = [long[index], long[index + 1]];
      if (!first || !second || second.at - first.at > thickness) return [];
      const [from, to] = [Math.min(first.from, second.from), Math.max(first.to, second.to)];
      if (Math.min(first.to, second.to) - Math.max(first.from, second.from) < 0.5 * (to - from)) return [];
      bars.push(
        along === 'x'
          ? { left: from, right: to, top: first.at, bottom: second.at }
          : { left: first.at, right: second.at, top: from, bottom: to },
      );
    }
  }
  return bars;
}

interface Side {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}
