// A gutter: the vertical white space between two columns.

import type { EmptyRun } from './gutters.ts';
import type { Row } from './rows.ts';

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

/**
 * Removes rows at the ends of a gutter that stand apart on the side that would otherwise be read too late.
 */
export function trim(rows: readonly Row[], gutter: Gutter): void {
  const middle = (gutter.left + gutter.right) / 2;
  const reaches = (row: Row, after: boolean): boolean =>
    row.words.some((word) => (word.left + word.right) / 2 >= middle === after);
  const isOnly = (row: Row, after: boolean): boolean => reaches(row, after) && !reaches(row, !after);
  /** The next row from `index` on with text on that side; the gutter's end if there is none. */
  const nextOn = (index: number, after: boolean, step: 1 | -1): number => {
    let next = index + step;
    while (next > gutter.from && next < gutter.to) {
      const row = rows[next];
      if (row !== undefined && reaches(row, after)) break;
      next += step;
    }
    return Math.min(gutter.to, Math.max(gutter.from, next));
  };
  /** True if a row is more than `most` em from its neighbour, and further than that one is from the next. */
  const isApart = (index: number, next: number, behind: number, most: number): boolean => {
    const [row, near, far] = [rows[index], rows[next], rows[behind]];
    if (row === undefined || near === undefined || far === undefined) return false;
    const gap = Math.abs(near.y - row.y);
    return gap > most * Math.max(row.size, near.size) && gap > 1.4 * Math.abs(far.y - near.y);
  };
  // A few rows on the right above everything on the left (a date, a title) are read before the columns.
  for (let index = gutter.from; index < Math.min(gutter.to, gutter.from + 3); index += 1) {
    const row = rows[index];
    if (row === undefined || !isOnly(row, true)) break;
    const next = nextOn(index, true, 1);
    if (isApart(index, next, nextOn(next, true, 1), 2.2)) {
      gutter.from = index + 1;
      break;
    }
  }
  // A few rows on the left below everything on the right are read after the columns.
  for (let index = gutter.to; index > Math.max(gutter.from, gutter.to - 3); index -= 1) {
    const row = rows[index];
    if (row === undefined || !isOnly(row, false)) break;
    const next = nextOn(index, false, -1);
    if (isApart(index, next, nextOn(next, false, -1), 3)) {
      gutter.to = index - 1;
      break;
    }
  }
}
