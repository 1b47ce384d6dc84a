// Finds column names above a detected table that are too close together to be recognised without the columns below.

import { countBefore } from '../../../../src/contract/index.ts';
import type { Line } from './lines.ts';
import type { Arrangement } from './open-table.ts';
import { pieced, type SegmentedLine } from './rows/cell-segment.ts';
import { isValueLine } from './rows/header-rows.ts';
import { isCaption, plainText } from './values.ts';

const MOST_LINES = 5;
/** Maximum words in one name. */
const MOST_WORDS = 7;
/** Maximum line distance, and distance from the lowest line to the table, as a multiple of the size. */
const NEXT_LINE = 1.7;
const FIRST_LINE = 3;
/** Share of the columns that a line further away must name. */
const COMPLETE = 0.8;
/** Names are not set in larger type than the rows; titles are. */
export const LARGER = 1.15;

/**
 * The lines directly above `top` that name the arrangement's columns, from top to bottom; if its own first line already
 * names them, one name alone, unless `further` lines are allowed.
 */
export function headAbove(
  arrangement: Arrangement,
  lines: readonly Line[],
  top: number,
  further = false,
): Line[] {
  const first = arrangement.lines[0];
  if (first === undefined) return [];
  // A label alone is the heading of a group of rows.
  const named = !isValueLine(first) && first.pieces.length > 1;
  const columns = arrangement.columns.length;
  const head: Line[] = [];
  let below = first.line.y;
  const edge = Math.min(top, below - 1);
  for (
    let index = countBefore(lines.length, (at) => (lines[at]?.y ?? 0) < edge) - 1;
    index >= 0;
    index -= 1
  ) {
    const line = lines[index];
    if (line === undefined || head.length >= MOST_LINES || line.size > LARGER * first.line.size) break;
    const cut = pieced(line, arrangement.gutters);
    const isNearest = head.length === 0 && (!named || (further && cut.pieces.length >= COMPLETE * columns));
    if (below - line.y > (isNearest ? FIRST_LINE : NEXT_LINE) * Math.max(line.size, first.line.size)) break;
    if (named && !further && head.length === 0 && cut.pieces.length > 1) break;
    if (!isHead(cut, named || head.length > 0 || columns === 2)) break;
    head.unshift(line);
    below = line.y;
  }
  return head;
}

function isHead({ line, pieces }: SegmentedLine, further: boolean): boolean {
  if (isCaption(plainText(line.words))) return false;
  if (pieces.some((piece) => piece.line.words.length > MOST_WORDS)) return false;
  const [only] = pieces;
  if (only === undefined) return false;
  // A single name spans columns whose own names, below it, are already known.
  if (pieces.length === 1) return further && only.column > 0;
  return pieces.filter((piece) => piece.colSpan === 1).length >= 0.5 * pieces.length || further;
}
