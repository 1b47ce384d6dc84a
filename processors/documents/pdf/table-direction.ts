// Puts the columns of a right-to-left table in reading order: what is found on a page runs from left to right.

import { isRightToLeft } from './layout/scripts.ts';
import type { Table } from './tables/table.ts';

/** The same table, mirrored if more of its words are right-to-left than left-to-right. */
export function inReadingDirection(table: Table): Table {
  let right = 0;
  let left = 0;
  for (const cell of table.rows.flat()) {
    for (const { text } of cell.lines.flatMap(({ words }) => words)) {
      if (isRightToLeft(text)) right += 1;
      else if (/\p{L}/u.test(text)) left += 1;
    }
  }
  if (right <= left) return table;
  const rows = table.rows.map((cells) =>
    cells.map((cell) => ({ ...cell, column: table.columns - cell.column - cell.colSpan })).reverse(),
  );
  return { ...table, rows };
}
