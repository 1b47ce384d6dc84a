// A table of an OpenDocument (ODF 1.3 part 3, 9), and a chart (11), which is shown as its data table.

import { cleanText, Grid, type GridCell, type GridRoom } from '../../../src/document/index.ts';
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

/** The title of a chart and those of its axes as plain text; `''` without any. */
export function chartTitles(root: XmlElement): string {
  const titled = [...root.descendants('chart')].find((chart) => chart.child('title') !== undefined);
  return [titled, ...root.descendants('axis')]
    .map((element) => element?.child('title')?.text().replace(/\s+/g, ' ').trim() ?? '')
    .filter((title) => title !== '')
    .join('; ');
}

/** The data of a chart: a header row of series, then one row per category. */
export const chartTable = (table: XmlElement, room: GridRoom): Grid =>
  readTable(table, (cell) => cleanText(chartText(cell)), room);

function chartText(cell: XmlElement): string {
  const shown = cell.elements('p').map((p) => p.text().trim());
  const text = shown.length > 0 ? shown.join(' ') : (cell.get('value') ?? '');
  // The first header cell and missing values.
  return text === 'NaN' ? '' : text;
}
