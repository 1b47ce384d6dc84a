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
/** Names are not set in larger type than the rows; titles are. */
export const LARGER = 1.15;

/**
 * The lines directly above the arrangement that name its columns, from top to bottom; if its own first line already names
 * them, one name alone.
 */
export function headAbove(arrangement: Arrangement, lines: readonly Line[]): Line[] {
  const first = arrangement.lines[0];
  if (first === undefined) return [];
  // A label alone is the heading of a group of rows.
  const named = !isValueLine(first) && first.pieces.length > 1;
  const head: Line[] = [];
  let below = first.line.y;
  for (
    let index = countBefore(lines.length, (at) => (lines[at]?.y ?? 0) < first.line.y - 1) - 1;
    index >= 0;
    index -= 1
  ) {
    const line = lines[index];
    if (line === undefined || head.length >= MOST_LINES || line.size > LARGER * first.line.size) break;
    const cut = pieced(line, arrangement.gutters);
    const reach = head.length === 0 && !named ? FIRST_LINE : NEXT_LINE;
    if (below - line.y > reach * Math.max(line.size, first.line.size)) break;
    if (named && head.length === 0 && cut.pieces.length > 1) break;
    if (!isHead(cut, named || head.length > 0 || arrangement.columns.length === 2)) break;
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
