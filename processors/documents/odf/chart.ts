// A chart of an OpenDocument (ODF 1.3 part 3, 11), shown as its data table.

import { escapeText } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import { type RepeatRoom, tableRows } from './table.ts';

/** Its title and those of its axes as plain text; `''` without any. */
export function chartTitles(root: XmlElement): string {
  const titled = [...root.descendants('chart')].find((chart) => chart.child('title') !== undefined);
  return [titled, ...root.descendants('axis')]
    .map((element) => element?.child('title')?.text().replace(/\s+/g, ' ').trim() ?? '')
    .filter((title) => title !== '')
    .join('; ');
}

/** Its data: a header row of series, then one row per category. */
export function chartRows(table: XmlElement, room: RepeatRoom): string[][] {
  const rows = tableRows(table, (cell) => escapeText(cellText(cell)), room);
  // The first header cell and missing values are stored as NaN.
  return rows.map((row) => row.map((cell) => (cell === 'NaN' ? '' : cell)));
}

function cellText(cell: XmlElement): string {
  const shown = cell.elements('p').map((p) => p.text().trim());
  return shown.length > 0 ? shown.join(' ') : (cell.get('value') ?? '');
}
