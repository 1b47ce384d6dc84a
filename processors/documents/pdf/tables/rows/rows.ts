// Forms the rows of a table with known columns: which lines are one row because a cell's text wraps, and which piece of
// a header spans several columns.

import type { Line } from '../lines.ts';
import type { Cell } from '../table.ts';
import { bandsOf } from './bands.ts';
import { bodyRows } from './body-rows.ts';
import { type SegmentedLine, underlined } from './cell-segment.ts';
import { headerLines, headerRows } from './header-rows.ts';
import type { Row, RowFacts } from './row.ts';

/** The rows of a range of lines, from top to bottom. */
export function rowsOf(lines: readonly SegmentedLine[], facts: RowFacts): Row[] {
  const head = headerLines(lines, facts.rules);
  const bands = bandsOf(lines);
  if (bands !== undefined) {
    let from = 0;
    return bands.map((band) => {
      const header = from < head;
      from += band.length;
      return { lines: header ? withSpans(band, facts) : band, header };
    });
  }
  const header = headerRows(withSpans(lines.slice(0, head), facts));
  return [...header, ...bodyRows(lines.slice(head), facts)];
}

/** The cells of the rows, the first row being `from`. */
export function cellsOfRows(rows: readonly Row[], from: number): Cell[] {
  const cells: Cell[] = [];
  rows.forEach((row, index) => {
    const byColumn = new Map<number, { colSpan: number; lines: Line[] }>();
    for (const part of row.lines) {
      for (const piece of part.pieces) {
        const cell = byColumn.get(piece.column);
        if (cell === undefined) byColumn.set(piece.column, { colSpan: piece.colSpan, lines: [piece.line] });
        else {
          cell.colSpan = Math.max(cell.colSpan, piece.colSpan);
          cell.lines.push(piece.line);
        }
      }
    }
    // A wide piece on one line and narrow ones next to it on another: each keeps the columns up to the next.
    const columns = [...byColumn.keys()].sort((a, b) => a - b);
    columns.forEach((column, at) => {
      const cell = byColumn.get(column);
      if (cell === undefined) return;
      const next = columns[at + 1] ?? Number.POSITIVE_INFINITY;
      cells.push({
        row: from + index,
        column,
        rowSpan: 1,
        colSpan: Math.min(cell.colSpan, next - column),
        lines: cell.lines,
      });
    });
  });
  return cells;
}

/** Header lines with names that span the columns above whose rule they are. */
function withSpans(lines: readonly SegmentedLine[], facts: RowFacts): SegmentedLine[] {
  return lines.map((line) => {
    const pieces = underlined(line, facts);
    return pieces === undefined ? line : { line: line.line, pieces };
  });
}
