// A chart of an OpenDocument (ODF 1.3 part 3, 11), shown as its data table.

import { escapeText, type Grid, type GridRoom } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import { readTable } from './table.ts';

/** Its title and those of its axes as plain text; `''` without any. */
export function chartTitles(root: XmlElement): string {
  const titled = [...root.descendants('chart')].find((chart) => chart.child('title') !== undefined);
  return [titled, ...root.descendants('axis')]
    .map((element) => element?.child('title')?.text().replace(/\s+/g, ' ').trim() ?? '')
    .filter((title) => title !== '')
    .join('; ');
}

/** Its data: a header row of series, then one row per category. */
export const chartTable = (table: XmlElement, room: GridRoom): Grid =>
  readTable(table, (cell) => escapeText(cellText(cell)), room);

function cellText(cell: XmlElement): string {
  const shown = cell.elements('p').map((p) => p.text().trim());
  const text = shown.length > 0 ? shown.join(' ') : (cell.get('value') ?? '');
  // The first header cell and missing values.
  return text === 'NaN' ? '' : text;
}
