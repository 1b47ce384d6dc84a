// A table on a slide (DrawingML, ECMA-376 part 1, 21.1.3).

import { Grid, type GridCell, type Table } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import { cellText, isOn, paragraphsOf, type Relations } from './text.ts';

/** The table as one block; empty without text. */
export function slideTable(table: XmlElement, relations: Relations): Table {
  const grid = new Grid('stated');
  for (const row of table.elements('tr')) grid.add(cellsOf(row, relations));
  return grid.table('table');
}

/** Cells covered by a merge exist, and state only its direction. */
function* cellsOf(row: XmlElement, relations: Relations): Generator<GridCell> {
  for (const cell of row.elements('tc')) {
    const body = cell.child('txBody');
    yield {
      rows: Number.POSITIVE_INFINITY,
      joinsAbove: isOn(cell.get('vMerge')),
      joinsLeft: isOn(cell.get('hMerge')),
      text: () => (body ? cellText(paragraphsOf(body, [], relations)) : ''),
    };
  }
}
