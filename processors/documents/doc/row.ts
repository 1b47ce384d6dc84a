// The cells of a table row from its property modifiers ([MS-DOC] 2.6.3): where they start and end, and which are merged.

import { i16, u8, u16 } from '../office97/bytes.ts';
import { eachSprm, SPRM } from './sprm.ts';

/** One cell as the row states it. */
export interface RowCell {
  /** Twentieths of a point. */
  readonly left: number;
  readonly right: number;
  joinsLeft: boolean;
  joinsAbove: boolean;
  /** 1, or as many as join it. */
  rows: number;
}

/** Word allows 63; the format counts in one byte. */
const MAX_CELLS = 255;
/** Bytes of a cell in a table definition ([MS-DOC] 2.9.314, TC80). */
const CELL = 20;

/** The cells of a row; empty if it states none. */
export function readRow(lists: readonly Buffer[]): RowCell[] {
  let cells: RowCell[] = [];
  for (const list of lists)
    eachSprm(list, (code, value, bytes) => {
      if (code === SPRM.tableDefinition) cells = defined(bytes);
      else if (code === SPRM.merge) {
        const to = Math.min(cells.length, value >> 8);
        for (let at = (value & 0xff) + 1; at < to; at += 1) {
          const cell = cells[at];
          if (cell) cell.joinsLeft = true;
        }
      } else if (code === SPRM.verticalMerge) {
        const cell = cells[u8(bytes, 0)];
        if (cell) Object.assign(cell, mergeOf(u8(bytes, 1) & 3));
      }
    });
  return cells;
}

/** [MS-DOC] 2.9.321, TDefTableOperand. */
function defined(bytes: Buffer): RowCell[] {
  const count = Math.min(MAX_CELLS, u8(bytes, 0));
  const cells: RowCell[] = [];
  for (let index = 0; index < count; index += 1) {
    const flags = u16(bytes, 1 + (count + 1) * 2 + index * CELL);
    cells.push({
      left: i16(bytes, 1 + index * 2),
      right: i16(bytes, 3 + index * 2),
      joinsLeft: (flags & 3) === 2,
      ...mergeOf((flags >> 5) & 3),
    });
  }
  return cells;
}

const mergeOf = (bits: number): Pick<RowCell, 'joinsAbove' | 'rows'> => ({
  joinsAbove: bits === 1,
  rows: bits === 0 ? 1 : Number.POSITIVE_INFINITY,
});
