// A gutter: the vertical white space between two columns.

import type { EmptyRun } from './gutters.ts';

/** A range of rows that white space splits into two columns. */
export interface Gutter {
  /** Rows `from` to `to` are split, both inclusive. */
  from: number;
  to: number;
  left: number;
  right: number;
  score: number;
}

export interface Rectangle extends EmptyRun {
  readonly first: number;
  readonly last: number;
}

export function weight(rectangle: Rectangle): number {
  return (rectangle.to - rectangle.from + 1) * Math.min(12, 2 + rectangle.last - rectangle.first);
}
