// The header of a table: which of its first lines name columns, as rows.

import { isNumber, isValue } from '../values.ts';
import type { CellSegment, SegmentedLine } from './cell-segment.ts';
import { isLabel, isYear, type Row } from './row.ts';

/** Number of lines at the top that name columns: those above the first rule, or above the first line of values. */
export function headerLines(lines: readonly SegmentedLine[], rules: readonly number[]): number {
  const firstValues = lines.findIndex((line) => isValueLine(line));
  const limit = firstValues < 0 ? lines.length : firstValues;
  const last = lines.at(-1)?.line.y ?? 0;
  for (const rule of rules) {
    let above = 0;
    while (above < lines.length && (lines[above]?.line.y ?? 0) < rule) above += 1;
    if (above === 0) continue;
    if (rule >= last) break;
    return above <= 8 && above <= Math.max(limit, 1) ? above : Math.min(limit, 1);
  }
  if (firstValues === 0) return 0;
  if (firstValues < 0 || firstValues > 6) return 1;
  // A label alone right above the first values is the heading of a group of rows, unless it continues the line above.
  let head = firstValues;
  while (head > 1 && isLabel(lines[head - 1])) head -= 1;
  return head;
}

/** True if most pieces after the first column are values. */
export function isValueLine(line: SegmentedLine): boolean {
  let numbers = 0;
  let missing = 0;
  let others = 0;
  for (const piece of line.pieces) {
    if (piece.column === 0) continue;
    if (!isValue(piece.text) || isYear(piece.text)) others += 1;
    else if (isNumber(piece.text)) numbers += 1;
    else missing += 1;
  }
  return numbers > 0 ? numbers + missing >= others : missing > 0 && others === 0;
}

/** Text below a piece that spans several columns is a new row; other header lines are wrapped names. */
export function headerRows(lines: readonly SegmentedLine[]): Row[] {
  const rows: Row[] = [];
  let open: SegmentedLine[] = [];
  for (const line of lines) {
    if (
      open.some((above) => above.pieces.some((upper) => line.pieces.some((lower) => isUnder(upper, lower))))
    ) {
      rows.push({ lines: open, header: true });
      open = [];
    }
    open.push(line);
  }
  if (open.length > 0) rows.push({ lines: open, header: true });
  return rows;
}

/** True if two pieces share columns without covering the same ones. */
function isUnder(upper: CellSegment, lower: CellSegment): boolean {
  if (upper.column >= lower.column + lower.colSpan || lower.column >= upper.column + upper.colSpan)
    return false;
  return upper.column !== lower.column || upper.colSpan !== lower.colSpan;
}
