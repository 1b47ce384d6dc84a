// A table of an OpenDocument (ODF 1.3 part 3, 9).

import { Grid, type GridCell, type GridRoom } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';

/** `textOf` reads a cell. */
export function readTable(table: XmlElement, textOf: (cell: XmlElement) => string, room: GridRoom): Grid {
  const grid = new Grid('stated', room);
  for (const row of rowsOf(table)) grid.add(cellsOf(row, textOf), Number(row.get('number-rows-repeated')));
  return grid;
}

/** Rows in order, including those in groups and headers. */
function* rowsOf(table: XmlElement): Generator<XmlElement, void, undefined> {
  for (const node of table.children) {
    if (typeof node === 'string') continue;
    if (node.name === 'table-row') yield node;
    else if (/^table-(?:header-rows|rows|row-group)$/.test(node.name)) yield* rowsOf(node);
  }
}

function* cellsOf(row: XmlElement, textOf: (cell: XmlElement) => string): Generator<GridCell> {
  // Columns that the last cell still covers.
  let across = 0;
  for (const cell of row.elements()) {
    const times = Number(cell.get('number-columns-repeated') ?? 1);
    if (cell.name === 'covered-table-cell') {
      yield { joinsAbove: true, joinsLeft: across > 0, times, text: () => '' };
      across -= times;
    } else if (cell.name === 'table-cell') {
      yield { rows: Number(cell.get('number-rows-spanned')), times, text: () => textOf(cell) };
      across = Number(cell.get('number-columns-spanned')) - 1;
    }
  }
}
