// Determines the reading order of a page: splits rows into columns at gutters, and into bands at content that spans the
// columns, until each region has one column. `gutters.ts` finds the gutters.

import { median } from '../ink/box.ts';
import { bestGutter } from './gutters.ts';
import { type Row, rowOf } from './rows.ts';
import { streamGutter } from './stream-gutter.ts';
import type { Word } from './words.ts';

const MAX_DEPTH = 12;
const MAX_WORDS = 40_000;
const BAND_GAP = 2.2;

/** Regions of one column each, in reading order; every word of `rows` is in exactly one. */
export function regionsOf(rows: readonly Row[]): Row[][] {
  let words = 0;
  for (const row of rows) words += row.words.length;
  const regions: Row[][] = [];
  if (words > MAX_WORDS) return rows.length === 0 ? [] : [[...rows]];
  // Text without a gutter stays together across the white space above and below it.
  let plain: Row[] = [];
  for (const band of bandsOf(rows)) {
    const parts: Row[][] = [];
    split(band, 0, parts);
    if (parts.length === 1) {
      for (const row of band) plain.push(row);
      continue;
    }
    if (plain.length > 0) regions.push(plain);
    plain = [];
    for (const part of parts) regions.push(part);
  }
  if (plain.length > 0) regions.push(plain);
  return regions;
}

/** Splits the rows where the page is white from side to side: everything below is read after everything above. */
function bandsOf(rows: readonly Row[]): Row[][] {
  const steps: number[] = [];
  for (const [index, row] of rows.entries()) {
    const next = rows[index + 1];
    if (next !== undefined && next.y - row.y > 0.5 * row.size) steps.push(next.y - row.y);
  }
  const usual = median(steps) ?? 12;
  const bands: Row[][] = [];
  let band: Row[] = [];
  let bottom = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    const white = row.top - bottom;
    if (band.length > 0 && white > BAND_GAP * usual && white > BAND_GAP * row.size) {
      bands.push(band);
      band = [];
    }
    band.push(row);
    bottom = Math.max(bottom, row.bottom);
  }
  if (band.length > 0) bands.push(band);
  return bands;
}

function split(rows: readonly Row[], depth: number, regions: Row[][]): void {
  if (rows.length === 0) return;
  const mayPart = depth < MAX_DEPTH && rows.length >= 3;
  const gutter = mayPart ? (bestGutter(rows) ?? streamGutter(rows)) : undefined;
  if (gutter === undefined) {
    regions.push([...rows]);
    return;
  }
  const middle = (gutter.left + gutter.right) / 2;
  const left: Row[] = [];
  const right: Row[] = [];
  for (let index = gutter.from; index <= gutter.to; index += 1) {
    const row = rows[index];
    if (row === undefined) continue;
    const before = row.words.filter((word) => (word.left + word.right) / 2 < middle);
    const after = row.words.filter((word) => (word.left + word.right) / 2 >= middle);
    if (before.length > 0) left.push(rowOf(before, row.y, sizeOf(before, row.size)));
    if (after.length > 0) right.push(rowOf(after, row.y, sizeOf(after, row.size)));
  }
  split(rows.slice(0, gutter.from), depth + 1, regions);
  split(left, depth + 1, regions);
  split(right, depth + 1, regions);
  split(rows.slice(gutter.to + 1), depth + 1, regions);
}

function sizeOf(words: readonly Word[], size: number): number {
  let largest = 0;
  for (const word of words) largest = Math.max(largest, word.size);
  return largest || size;
}
